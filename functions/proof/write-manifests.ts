import { randomBytes } from 'node:crypto';
import { compressed } from '../archive/archive-object.ts';
import { LEDGER_DAYS } from '../journal/ledger.ts';
import { beginOf, buildDay, countKept, lateLines, type PartLines, type ReadRows } from './build-day.ts';
import { ProofRefusedError } from './errors.ts';
import {
  dayFolder,
  keyField,
  MANIFEST,
  type Manifest,
  manifestText,
  type Part,
  PROOF_DATE,
  partFile,
  partOf,
  proofFolder,
  SALT,
  saltId,
  sha256,
} from './manifest.ts';

/** The objects below the archive's prefix. */
export interface ProofStore {
  /** Names of the folders that lie directly in a folder, without slashes. */
  readonly folders: (path: string) => Promise<string[]>;
  /** Undefined if there is none. */
  readonly get: (path: string) => Promise<Uint8Array | undefined>;
  readonly put: (path: string, body: Uint8Array) => Promise<void>;
  /** Puts the object unless it exists. @returns whether it was put */
  readonly create: (path: string, body: Uint8Array) => Promise<boolean>;
}

export interface WriteOptions {
  readonly table: string;
  readonly store: ProofStore;
  readonly read: ReadRows;
  /** Whether a reader of the stream archives the table's deletions. */
  readonly archive: boolean;
  /** Whether parts have hashes instead of keys, since keys may be personal data. */
  readonly hashKeys: boolean;
  readonly nowMs: number;
  /** Called with each manifest that was written. */
  readonly onWritten: (manifest: Manifest) => void;
}

/** Days of the ledger that are read: older rows may be removed by native TTL during the read. */
const DAYS_BACK = LEDGER_DAYS - 1;

/** Seconds after the end of a day until its manifest is written: by then the readers have seen most of its deletions. */
export const SETTLED_SECONDS = 2 * 3_600;

/** Seconds until a row is stored after the time that it names. */
const PUT_SECONDS = 60;

const DAY_MS = 86_400_000;

/**
 * Writes the manifests that are missing since the last one, oldest first. For a table without any it begins with the ledger's first day.
 * An existing manifest is never changed. After a failure, written manifests stay, and the next call continues after them.
 *
 * @throws JournalUnreadableError, ProofRefusedError
 */
export async function writeManifests(options: WriteOptions): Promise<void> {
  const { table, store, nowMs } = options;
  let previous = await lastManifest(table, store);
  const lastMs = nowMs - SETTLED_SECONDS * 1000 - DAY_MS;
  const earliest = dateOf(nowMs - DAYS_BACK * DAY_MS);
  let date = previous === undefined ? await firstDay(options, earliest) : dayAfter(previous.date);
  if (date < earliest) date = earliest;
  for (; date <= dateOf(lastMs); date = dayAfter(date)) previous = await writeDay(options, date, previous);
}

interface Written extends Pick<Manifest, 'date' | 'asOf'> {
  readonly sha256: string;
}

async function writeDay(
  options: WriteOptions,
  date: string,
  previous: Written | undefined,
): Promise<Written> {
  const { table, store, archive, nowMs, onWritten } = options;
  const folder = `${proofFolder(table)}${dayFolder(date)}`;
  const salt = options.hashKeys ? await saltOf(table, store) : undefined;
  const asOf = new Date(nowMs - PUT_SECONDS * 1000).toISOString();
  const day = { read: options.read, date, asOf, keyField: keyField(salt) };
  const put = async (name: string, lines: readonly string[]): Promise<Part> => {
    const part = partOf(name, lines);
    await store.put(`${folder}${partFile(part)}`, compressed(lines));
    return part;
  };
  const parts: Part[] = [];
  const counts = await buildDay(day, async ({ name, lines }: PartLines) => {
    parts.push(await put(name, lines));
  });
  // The readers write at most a day after the deletion, since a stream keeps a record for a day. So one day back is enough.
  const isNext = previous !== undefined && dayAfter(previous.date) === date;
  const late: Part[] = [];
  if (isNext)
    for await (const { name, lines } of lateLines({ ...day, date: previous.date }, previous.asOf))
      late.push(await put(name, lines));
  const manifest: Manifest = {
    format: 1,
    table,
    date,
    asOf,
    archive,
    keys: salt === undefined ? { as: 'text' } : { as: 'hmac-sha256', saltId: saltId(salt) },
    ...counts,
    kept: await countKept(day),
    parts,
    ...(late.length > 0 && { late }),
    previous: previous === undefined ? null : { date: previous.date, sha256: previous.sha256 },
  };
  const text = manifestText(manifest);
  if (!(await store.create(`${folder}${MANIFEST}`, Buffer.from(text))))
    throw new ProofRefusedError(
      `Manifest of ${date}: expected to write the first one, got one that somebody has written meanwhile. Nothing is to be done: the next call goes on from it.`,
    );
  onWritten(manifest);
  return { date, asOf, sha256: sha256(text) };
}

async function lastManifest(table: string, store: ProofStore): Promise<Written | undefined> {
  const folder = proofFolder(table);
  const dates = (await store.folders(folder))
    .filter(name => name.startsWith(PROOF_DATE))
    .map(name => name.slice(PROOF_DATE.length));
  // A folder without a manifest was left by a call that was interrupted.
  for (const date of dates.sort().reverse()) {
    const bytes = await store.get(`${folder}${dayFolder(date)}${MANIFEST}`);
    if (bytes === undefined) continue;
    const { asOf } = JSON.parse(Buffer.from(bytes).toString()) as Manifest;
    return { date, asOf, sha256: sha256(bytes) };
  }
  return undefined;
}

/** The first day of the ledger; today if the ledger is empty. */
async function firstDay({ read, nowMs }: WriteOptions, earliest: string): Promise<string> {
  const days = [dateOf(nowMs)];
  for (const book of ['deleted', 'archived', 'kept'] as const) {
    for await (const { entries } of read(book, beginOf(earliest), nowMs / 1000)) {
      const [first] = entries;
      if (first !== undefined) days.push(dateOf(first.at * 1000));
      break;
    }
  }
  return days.sort()[0] ?? earliest;
}

/**
 * The salt of the table; a new one is made if there is none, for example after somebody deleted it so that hashes can no longer be linked
 * to keys.
 */
async function saltOf(table: string, store: ProofStore): Promise<Uint8Array> {
  const path = `${proofFolder(table)}${SALT}`;
  const made = randomBytes(32);
  const there = await store.get(path);
  if (there !== undefined) return there;
  if (await store.create(path, made)) return made;
  return (await store.get(path)) ?? made;
}

export function dateOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}

export function dayAfter(date: string): string {
  return dateOf(Date.parse(date) + DAY_MS);
}
