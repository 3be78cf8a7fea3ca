/** @jest-environment ./test/support/dynamodb-environment.ts */

import { type LocalS3, startS3 } from 'aws-on-loopback/s3/start-s3';
import { createS3 } from '../../../functions/archive/s3.ts';
import { writeEntries } from '../../../functions/journal/ledger.ts';
import { beginOf, rowsOfTable } from '../../../functions/proof/build-day.ts';
import { s3ProofStore } from '../../../functions/proof/s3-store.ts';
import { type ManifestRuntime, writeManifest } from '../../../functions/write-manifest/handler.ts';
import { createJournal } from '../../support/journal-table.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';
import { PROVED_TABLE, proved, provedRows } from '../../support/proof-folder.ts';

const dynamo = useLocalDynamoDb();
const DATE = '2026-11-21';
const EXPIRIES = Array.from({ length: 30 }, (_unused, index) =>
  proved(`k${index}`, beginOf(DATE) + index * 1_800),
);

let s3: LocalS3;
beforeAll(async () => {
  s3 = await startS3({ buckets: ['archive'] });
});
afterAll(() => s3.stop());

async function runtime(more: Partial<ManifestRuntime> = {}) {
  const journal = await createJournal(dynamo.client);
  for (const { book, entries, writtenAt } of provedRows(EXPIRIES))
    await writeEntries(journal, { book, table: PROVED_TABLE, entries, nowMs: Date.parse(writtenAt) });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = createS3(
    { maxAttempts: 1, requestTimeoutMs: 5_000 },
    { endpoint: s3.endpoint, region: 'us-east-1', credentials },
  );
  const logged: unknown[][] = [];
  const log = (...line: unknown[]) => void logged.push(line);
  const made: ManifestRuntime = {
    table: PROVED_TABLE,
    store: s3ProofStore(client, 'archive', 'law/'),
    read: rowsOfTable(journal, PROVED_TABLE),
    ...{ archive: true, hashKeys: true },
    logger: { info: log, error: log },
    clock: () => Date.parse('2026-11-23T03:17:00.000Z'),
    ...more,
  };
  return { made, logged };
}

test('writes the manifests of the days that have none, and later nothing', async () => {
  const { made, logged } = await runtime();
  await writeManifest(made);
  const folder = `law/proof/${PROVED_TABLE}/`;
  const keys = (await s3.keys('archive')).filter(key => !key.endsWith('.gz'));
  expect(keys.sort()).toEqual([
    `${folder}date=2026-11-21/manifest.json`,
    `${folder}date=2026-11-22/manifest.json`,
    `${folder}salt`,
  ]);
  expect(JSON.parse(String(await s3.read('archive', keys.sort()[0] ?? '')))).toMatchObject({
    date: DATE,
    deleted: { sweep: 30, other: 0 },
    archive: true,
  });
  expect(logged.map(([text, fields]) => [text, (fields as { date: string }).date])).toEqual([
    ['manifest written', DATE],
    ['manifest written', '2026-11-22'],
  ]);
  await writeManifest(made);
  expect(logged).toHaveLength(2);
});

test('what keeps it from writing one is logged and thrown, so that it is tried again and an alarm sounds', async () => {
  const { made, logged } = await runtime({
    table: 'unread',
    // biome-ignore lint/correctness/useYield: it cannot be read
    read: async function* () {
      throw new Error('the journal is away');
    },
  });
  await expect(writeManifest(made)).rejects.toThrow('the journal is away');
  expect(logged).toEqual([['no manifest written', { error: 'Error: the journal is away' }]]);
});
