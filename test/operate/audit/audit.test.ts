/** @jest-environment ./test/support/dynamodb-environment.ts */

import { describeAudit } from '../../../cli/audit/text.ts';
import type { PreciseTtlProps } from '../../../config/props.ts';
import type { Book } from '../../../functions/journal/books.ts';
import { writeEntries } from '../../../functions/journal/ledger.ts';
import { hashOfKey } from '../../../functions/report/shown-keys.ts';
import { compareDeletions } from '../../../operate/audit/audit.ts';
import type { AuditOptions } from '../../../operate/audit/report.ts';
import { configOf } from '../../support/configs.ts';
import { createJournal } from '../../support/journal-table.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const dynamo = useLocalDynamoDb();
const FROM = Date.parse('2026-11-23T09:30:00Z') / 1000;
const NOW = Date.parse('2026-11-23T12:00:00Z');
const MINUTE = 60;

let deployments = 0;

async function audited(props: Partial<PreciseTtlProps> = { archive: {}, events: { eventBus: 'bus' } }) {
  deployments += 1;
  const sweep = `audited-${deployments}`;
  const journal = await createJournal(dynamo.client, sweep);
  const config = configOf({ tableName: 'Orders', partitionKey: 'id', sweep, ...props });
  /** @param entries time of each deletion, in minutes after FROM */
  const write = (book: Book, entries: Readonly<Record<string, number>>) =>
    writeEntries(journal, {
      book,
      table: 'Orders',
      entries: Object.entries(entries).map(([id, minute]) => {
        const at = FROM + Math.round(minute * MINUTE);
        return { key: { id: { S: id } }, ttl: at - 2, at };
      }),
      nowMs: NOW,
    });
  const run = async (options: Partial<AuditOptions> = {}) => {
    const now = options.now ?? (() => NOW);
    const connect = () => ({ dynamoDb: dynamo.client, destroy() {} });
    const audit = await compareDeletions(
      { config, from: new Date(FROM * 1000), maxKeys: 100, ...options, now },
      connect,
    );
    return { audit, text: describeAudit(audit, NOW) };
  };
  return { write, run };
}

test('all was seen', async () => {
  const { write, run } = await audited();
  const all = { a: 0, b: 1, c: 75 };
  for (const book of ['deleted', 'archived', 'published'] as const) await write(book, all);
  const { audit, text } = await run();
  expect(audit.verdict).toBe('equal');
  expect(text).toBe(
    `Table Orders, deleted from 2026-11-23 09:30:00Z to 2026-11-23 12:00:00Z
  archived 3 of 3
  published 3 of 3`,
  );
});

test('what a reader has not seen is named, with its minutes merged; each reader for itself, over hours', async () => {
  const { write, run } = await audited();
  await write('deleted', { a: 0, b: 29.5, c: 30.2, d: 31, e: 33, f: 80 });
  await write('archived', { a: 0, e: 33 });
  await write('published', { a: 0, b: 29, c: 30, d: 31, e: 33, f: 80 });
  const { audit, text } = await run();
  expect(audit.verdict).toBe('differs');
  expect(text).toContain(
    `  archived 2 of 6
    DIFFERS: 4 not archived, deleted
      from 2026-11-23 09:59:00Z to 2026-11-23 10:02:00Z: 3
      from 2026-11-23 10:50:00Z to 2026-11-23 10:51:00Z: 1
    the keys
      {"id":{"S":"b"}}  deleted 2026-11-23 09:59:30Z, expired 2026-11-23 09:59:28Z
      {"id":{"S":"c"}}  deleted 2026-11-23 10:00:12Z, expired 2026-11-23 10:00:10Z
`,
  );
  expect(text).toContain('  published 6 of 6\n\nWhat mends it:\n');
  const [archived] = audit.tables[0]?.readers ?? [];
  expect(archived).toMatchObject({
    missing: 4,
    waiting: 0,
    spans: [
      { from: '2026-11-23T09:59:00Z', to: '2026-11-23T10:02:00Z', keys: 3 },
      { from: '2026-11-23T10:50:00Z', to: '2026-11-23T10:51:00Z', keys: 1 },
    ],
    keys: [
      { key: '{"id":{"S":"b"}}', deletedAt: '2026-11-23T09:59:30Z', expiredAt: '2026-11-23T09:59:28Z' },
      { key: '{"id":{"S":"c"}}' },
      { key: '{"id":{"S":"d"}}' },
      { key: '{"id":{"S":"f"}}' },
    ],
  });
});

test('what may still come in time is not known, each reader by its own time', async () => {
  const { write, run } = await audited();
  await write('deleted', { old: 0, late: 146.5 });
  await write('archived', { old: 0 });
  await write('published', { old: 0, late: 146.5 });
  const waiting = await run();
  expect(waiting.audit.verdict).toBe('unknown');
  expect(waiting.text).toContain(
    '  archived 1 of 2\n    NOT KNOWN: 1 may still come: archived within 240 s. Look again after 2026-11-23 12:04:00Z.\n  published 2 of 2',
  );
  expect((await run({ now: () => NOW + 30_000 })).audit.verdict).toBe('differs');
});

test('without a ledger nothing is known; one that begins later says so', async () => {
  const { write, run } = await audited({ archive: {} });
  const empty = await run();
  expect(empty.audit.verdict).toBe('unknown');
  expect(empty.text).toContain('NOT KNOWN: the ledger has no deletion of the last 14 days.');
  await write('deleted', { a: 20 });
  await write('archived', { a: 20 });
  const later = await run();
  expect(later.audit.verdict).toBe('equal');
  expect(later.text).toContain('The first deletion in the ledger is that of 2026-11-23 09:50:00Z');
  expect(later.text).not.toContain('published');
});

test('only so many keys are kept, and all are counted', async () => {
  const { write, run } = await audited({ events: { eventBus: 'bus' }, deleteMode: 'batch' });
  await write('deleted', Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`k${index}`, 1])));
  const { audit, text } = await run();
  expect(audit.tables[0]?.readers[0]?.keys).toHaveLength(100);
  expect(text).toContain('      and 20 more: --json FILE has all');
  expect(text).toContain("deleteMode 'batch' counts what was gone already as deleted");
  const whole = await run({ maxKeys: Number.POSITIVE_INFINITY });
  expect(whole.audit.tables[0]?.readers[0]?.keys).toHaveLength(120);
});

test.each([
  { logKeys: 'full', mask: true },
  { logKeys: 'hash', mask: false },
  { logKeys: 'none', mask: false },
] as const)('logKeys $logKeys, --mask $mask: no key is shown', async ({ logKeys, mask }) => {
  const { write, run } = await audited({ archive: {}, logKeys });
  await write('deleted', { 'somebody@example.com': 1 });
  const { audit, text } = await run({ mask });
  const report = JSON.stringify(audit);
  expect(text + report).not.toContain('somebody');
  const hash = hashOfKey({ id: { S: 'somebody@example.com' } }, ['id'], 'Orders');
  expect([text, report].map(each => each.includes(hash))).toEqual(Array(2).fill(logKeys !== 'none'));
});

test('refuses tables that nothing reads', async () => {
  const { run } = await audited({});
  await expect(run()).rejects.toThrow('table: expected a table with archive or events, got none');
});
