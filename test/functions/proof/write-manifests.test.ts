import { gunzipSync } from 'node:zlib';
import type { LedgerEntry } from '../../../functions/journal/ledger.ts';
import { beginOf } from '../../../functions/proof/build-day.ts';
import { type Manifest, sha256 } from '../../../functions/proof/manifest.ts';
import { type WriteOptions, writeManifests } from '../../../functions/proof/write-manifests.ts';
import { type BookRow, memoryStore, readRows, rowsOf } from '../../support/proof-books.ts';

const FIRST = beginOf('2026-11-20');
const FOLDER = 'proof/orders/date=2026-11-20';

const entry = (name: string, at: number, line?: string): LedgerEntry => ({
  key: { pk: { S: name } },
  ttl: at - 1,
  at,
  ...(line !== undefined && { line }),
});

function proof(rows: readonly BookRow[], given: Partial<WriteOptions> = {}) {
  const { store, objects } = memoryStore();
  const write = async (now: string, more: Partial<WriteOptions> = {}) => {
    const written: Manifest[] = [];
    const onWritten = (manifest: Manifest) => void written.push(manifest);
    const options = { table: 'orders', store, archive: true, hashKeys: false, onWritten, ...given, ...more };
    await writeManifests({ read: readRows(rows), nowMs: Date.parse(now), ...options });
    return written;
  };
  const dates = (written: readonly Manifest[]) => written.map(({ date }) => date);
  return { objects, write, dates, text: (path: string) => String(objects.get(path)) };
}

test('the manifests of all days since the first that the ledger has, each with the hash of the one before', async () => {
  const { objects, write, dates, text } = proof([
    ...rowsOf('deleted', [entry('a', FIRST), entry('b', FIRST + 2 * 86_400)]),
    ...rowsOf('archived', [entry('a', FIRST, 'x')]),
  ]);
  const written = await write('2026-11-23T03:00:00.000Z');
  expect(dates(written)).toEqual(['2026-11-20', '2026-11-21', '2026-11-22']);
  const previous = { date: '2026-11-21', sha256: sha256(text('proof/orders/date=2026-11-21/manifest.json')) };
  expect(written.map(manifest => manifest.previous)).toEqual([
    null,
    { date: '2026-11-20', sha256: sha256(text(`${FOLDER}/manifest.json`)) },
    previous,
  ]);
  const [first] = written;
  expect(JSON.parse(text(`${FOLDER}/manifest.json`))).toEqual(first);
  const [part] = first?.parts ?? [];
  const lines = gunzipSync(
    objects.get(`${FOLDER}/00-${part?.sha256.slice(0, 16)}.jsonl.gz`) ?? '',
  ).toString();
  expect(part).toEqual({ name: '00', lines: 1, sha256: sha256(lines) });
  expect(JSON.parse(lines)).toMatchObject({ key: { pk: { S: 'a' } }, line: 'x' });
  await expect(write('2026-11-23T05:00:00.000Z')).resolves.toEqual([]);
  await expect(write('2026-11-24T03:00:00.000Z')).resolves.toMatchObject([{ date: '2026-11-23' }]);
});

test('a day has a manifest when it has been over for two hours', async () => {
  const { write, dates } = proof(rowsOf('deleted', [entry('a', FIRST)]));
  expect(dates(await write('2026-11-21T01:59:59.000Z'))).toEqual([]);
  expect(dates(await write('2026-11-21T02:00:00.000Z'))).toEqual(['2026-11-20']);
});

test('a table of which nothing was deleted has none', async () => {
  const { write, objects } = proof([]);
  await expect(write('2026-11-23T03:00:00.000Z')).resolves.toEqual([]);
  expect(objects.size).toBe(0);
});

test('no day is written of which the ledger may have lost rows', async () => {
  const { write, dates } = proof(rowsOf('deleted', [entry('a', FIRST)]));
  await write('2026-11-21T03:00:00.000Z');
  expect(dates(await write('2026-12-20T03:00:00.000Z'))[0]).toBe('2026-12-07');
});

test('what comes to light of the day before is in a part of its own', async () => {
  const late = rowsOf('archived', [entry('a', FIRST, 'x')], '2026-11-21T04:00:00.000Z');
  const { write, objects } = proof([...rowsOf('deleted', [entry('a', FIRST)]), ...late]);
  const [first] = await write('2026-11-21T03:00:00.000Z');
  expect(first?.late).toBeUndefined();
  const [second] = await write('2026-11-22T03:00:00.000Z');
  expect(second).toMatchObject({ late: [{ name: 'late', lines: 1 }], deleted: { sweep: 0, other: 0 } });
  const path = `proof/orders/date=2026-11-21/late-${second?.late?.[0]?.sha256.slice(0, 16)}.jsonl.gz`;
  expect(JSON.parse(gunzipSync(objects.get(path) ?? '').toString())).toMatchObject({ line: 'x' });
});

test('keys that are personal data are hashes under a salt, which is made anew when it is gone', async () => {
  const { write, objects } = proof(rowsOf('deleted', [entry('a', FIRST)]), { hashKeys: true });
  const [first] = await write('2026-11-21T03:00:00.000Z');
  const [second] = await write('2026-11-22T03:00:00.000Z');
  expect(second?.keys).toEqual(first?.keys);
  expect([...objects.values()].some(body => String(body).includes('"a"'))).toBe(false);
  objects.delete('proof/orders/salt');
  const [third] = await write('2026-11-23T03:00:00.000Z');
  expect(third?.keys).toMatchObject({ as: 'hmac-sha256', saltId: expect.any(String) });
  expect(third?.keys).not.toEqual(first?.keys);
});

test('a call that was cut off is made up by the next one', async () => {
  const { write, objects, dates } = proof(
    rowsOf('deleted', [entry('a', FIRST), entry('b', FIRST + 7_200), entry('c', FIRST + 86_400)]),
  );
  const { store } = memoryStore(objects);
  const broken = {
    ...store,
    put: async (path: string, body: Uint8Array) => {
      if (path.includes('/02-')) throw new Error('S3 is away');
      await store.put(path, body);
    },
  };
  await expect(write('2026-11-23T03:00:00.000Z', { store: broken })).rejects.toThrow('S3 is away');
  expect(dates(await write('2026-11-23T03:30:00.000Z'))).toEqual(['2026-11-20', '2026-11-21', '2026-11-22']);
});

test('two calls at once write one manifest', async () => {
  const { write, objects } = proof(rowsOf('deleted', [entry('a', FIRST)]));
  const { store } = memoryStore(objects);
  const elsewhere = { ...store, folders: async () => [] };
  await write('2026-11-21T03:00:00.000Z');
  const before = objects.get(`${FOLDER}/manifest.json`);
  await expect(write('2026-11-21T03:30:00.000Z', { store: elsewhere })).rejects.toThrow(
    'expected to write the first one, got one that somebody has written meanwhile',
  );
  expect(objects.get(`${FOLDER}/manifest.json`)).toBe(before);
});
