-- The archive in Athena. Replace BUCKET and SessionData; put the prefix, if there is one, before the table's name. `range` begins with your
-- first expiry. The table has each line as a text: a JSON SerDe would take `id` and `Id` for one.

CREATE EXTERNAL TABLE session_data_lines (line string)
PARTITIONED BY (expired_date string)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001'
LOCATION 's3://BUCKET/SessionData/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.expired_date.type' = 'date',
  'projection.expired_date.format' = 'yyyy-MM-dd',
  'projection.expired_date.range' = '2026-01-01,NOW',
  'projection.expired_date.interval' = '1',
  'projection.expired_date.interval.unit' = 'DAYS',
  'storage.location.template' = 's3://BUCKET/SessionData/expired_date=${expired_date}/'
);

-- Each expiry once: Lambda can hand a batch on twice.
CREATE VIEW session_data_expired AS
SELECT expired_date, item_key, expired_at, deleted_at, item, line
FROM (
  SELECT *, row_number() OVER (PARTITION BY item_key, expired_at ORDER BY deleted_at DESC, id) AS copy
  FROM (
    SELECT expired_date, line,
      json_format(json_extract(line, '$.key')) AS item_key,
      json_extract_scalar(line, '$.expiredAt') AS expired_at,
      json_extract_scalar(line, '$.deletedAt') AS deleted_at,
      json_extract_scalar(line, '$.id') AS id,
      json_extract(line, '$.item') AS item
    FROM session_data_lines
  )
)
WHERE copy = 1;

-- DynamoDB JSON
SELECT json_extract_scalar(item, '$.UserName.S') AS user_name, expired_at
FROM session_data_expired
WHERE expired_date BETWEEN '2026-11-01' AND '2026-11-30';

-- format: 'json'. A number of more than 15 digits is taken from the line, where all its digits are.
SELECT json_extract_scalar(item, '$.UserName') AS user_name,
  CAST(json_extract_scalar(line, '$.item.AccountNumber') AS decimal(38, 0)) AS account_number
FROM session_data_expired
WHERE expired_date = '2026-11-22';
