import { readFileSync } from 'node:fs';
import { expiryModel } from '../../expiry/model.ts';
import { expiredPartition, removedPartition, tableFolder } from '../../functions/archive/archive-object.ts';
import { removalOf } from '../../functions/archive-expiries/removal.ts';
import { monthlyCost } from '../../operate/cost.ts';
import { codeBlocks } from '../support/code-blocks.ts';
import { streamRecord } from '../support/stream-records.ts';
import { expiriesOf } from './consumer.ts';

const text = readFileSync('docs/archive-and-events.md', 'utf8');
const DATE = Date.parse('2026-11-22T10:00:00Z');

test('the table has the fields of a line, in their order', () => {
  const item = { id: { S: 'a' }, ttl: { N: String(DATE / 1000) } };
  const removal = removalOf(streamRecord({ place: 1, item, at: DATE / 1000 }), {
    tableName: 'SessionData',
    model: expiryModel({ partitionKey: 'id' }),
    archiveFormat: 'dynamodb-json',
    archiveRemovals: 'expiries',
  });
  expect(fieldsIn('### The layout')).toEqual(Object.keys(JSON.parse(removal?.line ?? '{}')));
});

/** The names in the table of a section. */
function fieldsIn(heading: string): string[] {
  const [, section = ''] = text.split(`${heading}\n`);
  const rows = section.split(/\n#+ /)[0]?.match(/^\| `[^|]*/gm) ?? [];
  return rows.flatMap(row => [...row.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
}

test('the folders are those of the code', () => {
  expect(text).toContain(`<prefix><table>/${expiredPartition(DATE)}`);
  expect(text).toContain(`<prefix><table>/${removedPartition(DATE)}`);
  const template = expiredPartition(DATE).replace('2026-11-22', () => `\${expired_date}`);
  const folder = tableFolder({ archivePrefix: '' }, 'SessionData');
  expect(readFileSync('docs/files/athena.sql', 'utf8')).toContain(
    `'storage.location.template' = 's3://BUCKET/${folder}${template}'`,
  );
});

test.each([
  [1e6, 1, [/are ([\d,]+) objects written to S3/, /\$([\d.]+) a month in us-east-1/]],
  [1e8, 100, [/With 100 million a month it is \$([\d.]+)/]],
  [1000, 0.001, [/object of its own, \$([\d.]+) for each million/]],
] as const)(
  'what %d expiries a month cost is what the calculator says',
  (itemsPerMonth, millions, patterns) => {
    const { bill } = monthlyCost({
      ...{ itemsPerMonth, itemBytes: 1000, renewalsPerItem: 0, lifetimeHours: 24, copies: 1 },
      tables: [{ tableName: 'SessionData', partitionKey: 'id', archive: {} }],
    });
    const puts = bill.lines.find(({ name }) => name === 'objects written to S3')?.amount ?? 0;
    const { archive } = bill.byPart;
    const dollars = itemsPerMonth < 1e6 ? archive / millions : archive;
    const said = patterns.map(pattern => pattern.exec(text.replaceAll('\n', ' '))?.[1]);
    const expected = [puts.toLocaleString('en-US'), dollars.toFixed(2)];
    expect(said).toEqual(patterns.length === 2 ? expected : expected.slice(1));
  },
);

test('the consumer of the stream on the page is that of consumer.ts, and gets the expiries', () => {
  const source = readFileSync(new URL('consumer.ts', import.meta.url), 'utf8');
  const shown = source.replace("'../../expiry/index.ts'", "'precise-ttl'");
  expect(codeBlocks('docs/archive-and-events.md', 'ts')).toContain(shown);
  const item = { UserName: { S: 'a' }, SessionId: { N: '1' }, ttl: { N: '1790000000' } };
  const expired = streamRecord({ place: 1, item, at: 1_790_000_001 });
  const deleted = streamRecord({ place: 2, item, at: 1_789_999_999 });
  expect(expiriesOf({ Records: [deleted, expired] })).toEqual([expired]);
});
