-- The archive in Athena. Replace BUCKET and SessionData. `range` begins with your first expiry. The table has each line as a text: a JSON SerDe would take `id` and `Id` for one.

CREATE EXTERNAL TABLE session_data_lines (line string)
PARTITIONED BY (day string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001'
LOCATION 's3://BUCKET/SessionData/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.day.type' = 'date',
  'projection.day.format' = 'yyyy-MM-dd',
  'projection.day.range' = '2026-01-01,NOW',
  'projection.day.interval' = '1',
  'projection.day.interval.unit' = 'DAYS',
  'storage.location.template' = 's3://BUCKET/SessionData/day=${day}/'
);

-- Each expiry once: a pipe can deliver a batch twice.
CREATE VIEW session_data_expired AS
SELECT day, item_key, expired_at, deleted_at, item, line
FROM (
  SELECT *, row_number() OVER (PARTITION BY item_key, expired_at ORDER BY deleted_at DESC, id) AS copy
  FROM (
    SELECT day, line,
      json_format(json_extract(line, '$.key')) AS item_key,
      json_extract_scalar(line, '$.expiredAt') AS expired_at,
      json_extract_scalar(line, '$.deletedAt') AS deleted_at,
      json_extract_scalar(line, '$.id') AS id,
      json_extract(line, '$.oldImage') AS item
    FROM session_data_lines
  )
)
WHERE copy = 1;

-- DynamoDB JSON
SELECT json_extract_scalar(item, '$.UserName.S') AS user_name, expired_at
FROM session_data_expired
WHERE day BETWEEN '2026-11-01' AND '2026-11-30';
