import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { lineText } from '../../functions/archive/archive-line.ts';
import { compressed, expiredPartition } from '../../functions/archive/archive-object.ts';
import type { LedgerEntry } from '../../functions/journal/ledger.ts';
import { sha256 } from '../../functions/proof/manifest.ts';
import { type WriteOptions, writeManifests } from '../../functions/proof/write-manifests.ts';
import { type BookRow, memoryStore, readRows } from './proof-books.ts';

export const PROVED_TABLE = 'Sessions';

const iso = (seconds: number) => new Date(seconds * 1000).toISOString();

/** A deletion, and its line in the archive. */
export function proved(name: string, deletedAt: number, lateSeconds = 2) {
  const ttl = deletedAt - lateSeconds;
  const key = { id: { S: name } };
  const line = lineText(
    {
      table: PROVED_TABLE,
      key,
      expiredAt: iso(ttl),
      deletedAt: iso(deletedAt),
      id: sha256(`${name} ${deletedAt}`).slice(0, 32),
      sequenceNumber: `${deletedAt}00000`,
      removal: 'expiry',
      item: { ...key, ttl: { N: String(ttl) } },
    },
    'dynamodb-json',
  );
  const deleted: LedgerEntry = { key, ttl, at: deletedAt };
  return {
    deleted,
    archived: { ...deleted, line: sha256(line) },
    partition: expiredPartition(ttl * 1000),
    line,
  };
}

export type Proved = ReturnType<typeof proved>;

/** Entries of a minute are a row, as the functions write them. */
export function provedRows(all: readonly Proved[]): BookRow[] {
  return (['deleted', 'archived'] as const).flatMap(book =>
    [...Map.groupBy(all, each => Math.floor(each[book].at / 60)).values()].map(those => ({
      book,
      writtenAt: iso((those[0]?.deleted.at ?? 0) + 30),
      entries: those.map(each => each[book]),
    })),
  );
}

/** Lines of an object. */
const LINES_OF_EACH = 1_000;

/** A copy of an archive with its manifests in a folder. */
export class ProofFolder {
  readonly path: string;
  constructor(path: string) {
    this.path = path;
  }

  async write(all: readonly Proved[], now: string, more: Partial<WriteOptions> = {}): Promise<void> {
    const { store, objects } = memoryStore(new Map(this.#proofObjects()));
    await writeManifests({
      ...{ table: PROVED_TABLE, store, archive: true, hashKeys: false, onWritten: () => undefined },
      read: readRows(provedRows(all)),
      nowMs: Date.parse(now),
      ...more,
    });
    for (const [partition, those] of Map.groupBy(all, each => each.partition))
      for (let first = 0; first < those.length; first += LINES_OF_EACH) {
        const lines = those.slice(first, first + LINES_OF_EACH).map(({ line }) => line);
        objects.set(`${PROVED_TABLE}/${partition}${first}.jsonl.gz`, compressed(lines));
      }
    for (const [path, body] of objects) this.put(path, body);
  }

  put(path: string, body: string | Uint8Array): void {
    mkdirSync(dirname(join(this.path, path)), { recursive: true });
    writeFileSync(join(this.path, path), body);
  }

  remove(path: string): void {
    rmSync(join(this.path, path), { recursive: true });
  }

  /** Paths below a folder whose names match. */
  paths(below: string, name = /./): string[] {
    return readdirSync(join(this.path, below), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && name.test(entry.name))
      .map(entry => join(entry.parentPath, entry.name).slice(this.path.length + 1))
      .sort();
  }

  /** The object of the archive that has this line, changed. */
  changeObjectOf(line: string, change: (lines: string[]) => readonly string[]): void {
    const path = this.paths(PROVED_TABLE).find(each => this.lines(each).includes(line));
    if (path === undefined) throw new Error(`no object has ${line}`);
    this.put(path, compressed(change(this.lines(path))));
  }

  lines(path: string): string[] {
    return gunzipSync(readFileSync(join(this.path, path)))
      .toString()
      .trimEnd()
      .split('\n');
  }

  text(path: string): string {
    return readFileSync(join(this.path, path), 'utf8');
  }

  *#proofObjects(): Generator<[string, Uint8Array]> {
    mkdirSync(join(this.path, 'proof'), { recursive: true });
    for (const path of this.paths('proof')) yield [path, readFileSync(join(this.path, path))];
  }
}
