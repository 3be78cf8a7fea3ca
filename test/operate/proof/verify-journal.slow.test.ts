/** @jest-environment ./test/support/dynamodb-environment.ts */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { resolveProps } from '../../../config/props.ts';
import { journalName } from '../../../functions/journal/layout.ts';
import { LEDGER_DAYS, writeEntries } from '../../../functions/journal/ledger.ts';
import { beginOf } from '../../../functions/proof/build-day.ts';
import { sha256 } from '../../../functions/proof/manifest.ts';
import type { WriteOptions } from '../../../functions/proof/write-manifests.ts';
import { folderSource } from '../../../operate/archive/archive-source.ts';
import type { ProofOptions } from '../../../operate/proof/report.ts';
import { createJournal } from '../../support/journal-table.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';
import { type BookRow, readRows } from '../../support/proof-books.ts';
import { PROVED_TABLE, ProofFolder, type Proved, proved, provedRows } from '../../support/proof-folder.ts';
import { PROVED, PROVED_DATE, verifyFolder } from '../../support/proof-sabotages.ts';

const BEGIN = beginOf(PROVED_DATE);
const EXPIRIES = Array.from({ length: 30 }, (_unused, index) => proved(`k${index}`, BEGIN + index * 1_800));

const dynamo = useLocalDynamoDb();
const folders: string[] = [];
const journal = journalName(resolveProps(PROVED).sweep);
afterEach(async () => {
  await dynamo.client.send(new DeleteTableCommand({ TableName: journal })).catch(() => undefined);
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function newFolder(): ProofFolder {
  const path = mkdtempSync(join(tmpdir(), 'precise-ttl-proof-'));
  folders.push(path);
  return new ProofFolder(path);
}

/** A journal in DynamoDB Local, and a folder with a copy of the archive and its manifests. */
async function written(
  {
    inJournal,
    inManifest = inJournal,
  }: { readonly inJournal: readonly Proved[]; readonly inManifest?: readonly Proved[] },
  more: Partial<WriteOptions> = {},
) {
  const made = await createJournal(dynamo.client, resolveProps(PROVED).sweep);
  for (const { book, entries, writtenAt } of provedRows(inJournal))
    await writeEntries(made, { book, table: PROVED_TABLE, entries, nowMs: Date.parse(writtenAt) });
  const folder = newFolder();
  await folder.write(inManifest, '2026-11-23T03:00:00.000Z', more);
  return { folder };
}

/** Verifies the copy in the folder with the journal in DynamoDB Local. */
const verify = (
  folder: ProofFolder,
  { askJournal = true, ...more }: Partial<ProofOptions> & { readonly askJournal?: boolean } = {},
) =>
  verifyFolder(folder.path, {
    sources: {
      askJournal,
      connect: () => ({
        source: folderSource(folder.path),
        dynamoDb: dynamo.client,
        destroy: () => undefined,
      }),
    },
    ...more,
  });

test('the journal has the same deletions as the manifest', async () => {
  const { folder } = await written({ inJournal: EXPIRIES });
  await expect(verify(folder)).resolves.toMatchObject({
    end: 'equal',
    text: expect.stringContaining('journal   has the same deletions'),
  });
});

test('what one of the two has alone is named', async () => {
  const [own, other] = [proved('journal alone', BEGIN + 10), proved('manifest alone', BEGIN + 50_000)];
  const { folder } = await written({ inJournal: [...EXPIRIES, own], inManifest: [...EXPIRIES, other] });
  const { end, names, findings } = await verify(folder);
  expect([end, names]).toEqual(['differs', ['journal-differs', 'journal-differs']]);
  expect(findings.map(({ key }) => key)).toEqual(
    [own, other].map(({ deleted }) => JSON.stringify(deleted.key)),
  );
});

test('keys that are hashed are compared as long as the salt is there, and lines after it', async () => {
  const { folder } = await written({ inJournal: EXPIRIES }, { hashKeys: true });
  await expect(verify(folder)).resolves.toMatchObject({ end: 'equal' });
  const { line, deleted } = EXPIRIES[4] as Proved;
  folder.changeObjectOf(line, lines =>
    lines.map(each => (each === line ? each.replace('"N":"1', '"N":"2') : each)),
  );
  const changed = await verify(folder);
  expect(changed.findings).toEqual([
    { name: 'line-changed', text: expect.any(String), key: JSON.stringify(deleted.key) },
  ]);
  folder.remove(`proof/${PROVED_TABLE}/salt`);
  const { names, text } = await verify(folder);
  expect(names).toEqual(['line-added', 'line-removed']);
  expect(text).toContain('journal   not asked: the salt of its keys is gone');
});

test('what was archived after the manifest is open until the next day names it', async () => {
  const seen = (line: number, writtenAt: string): BookRow[] =>
    provedRows(EXPIRIES.slice(line)).map(row => ({ ...row, ...(row.book === 'archived' && { writtenAt }) }));
  const rows = [...provedRows(EXPIRIES.slice(0, 20)), ...seen(20, '2026-11-22T05:00:00.000Z')];
  const { folder } = await written({ inJournal: [], inManifest: [] });
  await folder.write(EXPIRIES, '2026-11-22T03:00:00.000Z', { read: readRows(rows) });
  const open = await verify(folder, { askJournal: false });
  expect(open).toMatchObject({ end: 'open', names: [], text: expect.stringContaining('open      ') });
  await folder.write(EXPIRIES, '2026-11-23T03:00:00.000Z', { read: readRows(rows) });
  await expect(verify(folder, { askJournal: false })).resolves.toMatchObject({
    end: 'equal',
    text: expect.stringContaining('archive   30 of 30 lines are there as they were'),
  });
});

test('what the reader of the archive never saw is named', async () => {
  const rows = provedRows(EXPIRIES).filter(({ book }, index) => book === 'deleted' || index > 31);
  const { folder } = await written({ inJournal: [], inManifest: [] });
  const lines = EXPIRIES.slice(2);
  await folder.write(lines, '2026-11-23T03:00:00.000Z', { read: readRows(rows) });
  const { names, findings } = await verify(folder, { askJournal: false });
  expect(names).toEqual(['never-archived', 'never-archived']);
  expect(findings.map(({ key }) => key)).toEqual(['{"id":{"S":"k0"}}', '{"id":{"S":"k1"}}']);
});

test("an archive with `format: 'json'` has its lines known by their keys, too", async () => {
  const plain = EXPIRIES.map((each, index): Proved => {
    const line = each.line.replaceAll(`{"S":"k${index}"}`, `"k${index}"`);
    return { ...each, line, archived: { ...each.archived, line: sha256(line) } };
  });
  const [changed, unproven] = [plain[3], plain[4]] as [Proved, Proved];
  const rows = provedRows(plain).filter(
    ({ book, entries }) => book === 'deleted' || entries[0]?.line !== unproven.archived.line,
  );
  for (const hashKeys of [false, true]) {
    const folder = newFolder();
    await folder.write(plain, '2026-11-23T03:00:00.000Z', { read: readRows(rows), hashKeys });
    folder.changeObjectOf(changed.line, lines =>
      lines.map(line => (line === changed.line ? line.replace('"removal"', ' "removal"') : line)),
    );
    const { names } = await verify(folder, { askJournal: false });
    expect(names).toEqual(['line-changed', 'line-unproven']);
  }
});

test("around midnight a line of the record's day belongs to the manifest of the other day", async () => {
  // The sweep recorded the second before midnight and the stream the second after it, and the other way round.
  const skewed = (name: string, sweep: number, record: number): Proved => {
    const made = proved(name, record, 5);
    return { ...made, deleted: { ...made.deleted, at: sweep } };
  };
  const all = [
    skewed('before', BEGIN - 1, BEGIN + 1),
    ...EXPIRIES,
    skewed('after', BEGIN + 86_400, BEGIN + 86_399),
  ];
  const { folder } = await written({ inJournal: all });
  await expect(verify(folder)).resolves.toMatchObject({ end: 'equal' });
  for (const date of ['2026-11-20', '2026-11-22'])
    await expect(verify(folder, { date })).resolves.toMatchObject({ names: [] });
});

test('a table without an archive is verified against its journal', async () => {
  const { folder } = await written({ inJournal: EXPIRIES }, { archive: false });
  const { end, text } = await verify(folder);
  expect(end).toBe('equal');
  expect(text).not.toContain('archive ');
});

test('where there is no manifest it says where one should be', async () => {
  await expect(verify(newFolder())).rejects.toThrow('expected the manifests of Sessions at');
});

test('a day that the journal has no more is not asked of it', async () => {
  const { folder } = await written({ inJournal: [], inManifest: EXPIRIES });
  const now = Date.parse(PROVED_DATE) + LEDGER_DAYS * 86_400_000;
  await expect(verify(folder, { now: () => now })).resolves.toMatchObject({
    end: 'equal',
    text: expect.stringContaining('journal   not asked: the journal has 14 days'),
  });
});
