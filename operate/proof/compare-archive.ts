import { isObject } from '../../expiry/fields.ts';
import { EXPIRED_DATE, expiredPartition } from '../../functions/archive/archive-object.ts';
import { keyTextOf } from '../../functions/journal/ledger.ts';
import { CLOCKS_APART_SECONDS } from '../../functions/journal/nearest.ts';
import { type KeyField, type ProofLine, sha256 } from '../../functions/proof/manifest.ts';
import { dateOf, dayAfter } from '../../functions/proof/write-manifests.ts';
import type { ItemKey, KeyAttribute } from '../../statemachine/contract/keys.ts';
import { inParallel } from '../abortable.ts';
import type { ArchiveSource } from '../archive/archive-source.ts';
import { type ArchivedLine, linesOf, parsedLine } from '../archive/archived-lines.ts';
import { ArchivedLineError } from '../errors.ts';
import type { Chain } from './chain.ts';
import { type Day, linesOfHour } from './day.ts';
import type { Finding, ProofOptions } from './report.ts';

export interface ArchiveOptions {
  readonly source: ArchiveSource;
  readonly table: string;
  readonly chain: Chain;
  readonly day: Day;
  /** The form of keys in the day's manifest; undefined if its salt was deleted. */
  readonly keyField: KeyField | undefined;
  readonly showKey: (line: { readonly key?: unknown; readonly keyHash?: string }) => string | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: ProofOptions['onProgress'];
}

export interface ArchiveComparison {
  /** Number of lines in the manifest, and how many of them are in the archive. */
  readonly expected: number;
  readonly found: number;
  /** Lines that cannot be judged yet: the manifest of the next day lists the late lines. */
  readonly open: number;
  readonly findings: readonly Finding[];
}

const READS_AT_ONCE = 8;
const MINUTE_MS = CLOCKS_APART_SECONDS * 1000;

/** A line of the archive with a deletion of the day that is not among the lines of the day's manifest. */
interface Unknown {
  readonly where: string;
  readonly hash: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * Compares the lines of the archive with their hashes in the day's manifest. It reads the partitions of the dates on which the
 * day's items expired, and the partition of the day itself.
 *
 * @throws {ArchiveUnreadableError}
 */
export async function compareArchive(options: ArchiveOptions): Promise<ArchiveComparison> {
  const { source, table, day, showKey, signal, onProgress } = options;
  const missing = new Map<string, ProofLine>();
  for (const line of day.lines) if (line.line !== undefined) missing.set(line.line, line);
  const known = new Set(missing.keys());
  const expected = known.size;
  const findings: Finding[] = [];
  const unknown: Unknown[] = [];

  const look = (line: ArchivedLine, partition: string) => {
    const hash = sha256(line.text);
    missing.delete(hash);
    const fields = readable(() => parsedLine(line), findings);
    if (fields === undefined) return;
    const { expiredAt, deletedAt } = fields;
    const belongs = expiredPartition(Date.parse(String(expiredAt ?? deletedAt)) || 0);
    if (belongs !== partition)
      findings.push({
        name: 'line-misplaced',
        text: `${line.where}: expected lines of ${partition}, got one of ${belongs}`,
        key: showKey(fields),
      });
    else if (!known.has(hash) && String(deletedAt).startsWith(day.date))
      unknown.push({ where: line.where, hash, fields });
  };
  for (const partition of partitionsOf(day)) {
    const paths = (await source.objects(`${table}/${partition}`)).filter(path => path.endsWith('.gz'));
    await inParallel(
      paths,
      READS_AT_ONCE,
      async path => {
        const body = await source.read(path);
        for (const line of readable(() => linesOf(body, source.name(path)), findings) ?? [])
          look(line, partition);
        onProgress?.({ at: partition, done: expected - missing.size, total: expected });
      },
      signal,
    );
  }
  const found = expected - missing.size;
  const ofNeighbours = unknown.length > 0 ? await hashesOfNeighbours(options) : new Set<string>();
  const unproven = unknown.filter(({ hash }) => !ofNeighbours.has(hash));
  const judged = judge([...missing.values()], unproven, options);
  return { expected, found, open: judged.open, findings: [...findings, ...judged.findings] };
}

/** The partitions that can contain lines of the day. */
function partitionsOf({ date, lines }: Day): string[] {
  const partitions = new Set([`${EXPIRED_DATE}${date}/`]);
  for (const { expiredAt, deletedAt } of lines) {
    if (expiredAt !== null) partitions.add(`${EXPIRED_DATE}${expiredAt.slice(0, date.length)}/`);
    // The partition depends on the time of the stream record; the line can have the sweep's time, which differs a little.
    else
      for (const apartMs of [-MINUTE_MS, MINUTE_MS])
        partitions.add(expiredPartition(Date.parse(deletedAt) + apartMs));
  }
  return [...partitions].sort();
}

/** Hashes of lines around midnight that belong to a neighbouring day, although their stream record is from this day. */
async function hashesOfNeighbours({ source, chain, day }: ArchiveOptions): Promise<Set<string>> {
  const [before, after] = [dateOf(Date.parse(day.date) - 86_400_000), dayAfter(day.date)];
  const lines = [
    ...(await linesOfHour(source, chain.links.get(before), '23')),
    ...(await linesOfHour(source, day.link, 'late')),
    ...(await linesOfHour(source, chain.links.get(after), '00')),
    ...(await linesOfHour(source, chain.links.get(dayAfter(after)), 'late')),
  ];
  return new Set(lines.flatMap(({ line }) => line ?? []));
}

/** Judges missing and unknown lines: a missing line and an unknown line with the same key count as one changed line. */
function judge(
  missing: readonly ProofLine[],
  unknown: readonly Unknown[],
  { day, keyField, showKey }: ArchiveOptions,
): { readonly open: number; readonly findings: readonly Finding[] } {
  const findings: Finding[] = [];
  let open = 0;
  const idOf = ({ key, keyHash }: Pick<ProofLine, 'key' | 'keyHash'>) =>
    keyHash === undefined ? keyField?.(keyTextOf(key as ItemKey)) : `"keyHash":"${keyHash}"`;
  const byKey = (lines: readonly ProofLine[]) => Map.groupBy(lines, idOf);
  const takeOne = (from: ReturnType<typeof byKey>, { key }: Unknown['fields']) =>
    isObject(key) &&
    keyField !== undefined &&
    keysOf(key).some(each => from.get(keyField(keyTextOf(each)))?.shift() !== undefined);
  const removed = byKey(missing);
  const notArchived = byKey(
    day.link.manifest.archive ? day.lines.filter(({ line }) => line === undefined) : [],
  );
  for (const { where, fields } of unknown) {
    const isChanged = takeOne(removed, fields);
    const isUnproven = !isChanged && takeOne(notArchived, fields);
    if (isChanged || day.isClosed)
      findings.push({ ...strange(where, isChanged, isUnproven), key: showKey(fields) });
    else open += 1;
  }
  for (const line of [...removed.values()].flat())
    findings.push({
      name: 'line-removed',
      text: `archive: expected the line of the deletion at ${line.deletedAt} with the SHA-256 ${line.line}, got none`,
      key: showKey(line),
    });
  for (const line of [...notArchived.values()].flat()) {
    if (!day.isClosed) open += 1;
    else
      findings.push({
        name: 'never-archived',
        text: `manifest: expected a line of the archive for the deletion at ${line.deletedAt}, got none: its reader has not seen it`,
        key: showKey(line),
      });
  }
  return { open, findings };
}

/** The possible keys of a line: with `format: 'json'` the attributes have no types, and a text can stand for bytes. */
function keysOf(key: object): ItemKey[] {
  return Object.entries(key).reduce<ItemKey[]>(
    (keys, [name, value]) =>
      keys.flatMap(each => typesOf(value).map(typed => ({ ...each, [name]: typed as KeyAttribute }))),
    [{}],
  );
}

function typesOf(value: unknown): object[] {
  if (isObject(value)) return [value];
  return typeof value === 'string' ? [{ S: value }, { B: value }] : [{ N: String(value) }];
}

/** The finding for a line whose hash is not in the manifest. */
function strange(where: string, isChanged: boolean, isUnproven: boolean): Finding {
  if (isChanged)
    return {
      name: 'line-changed',
      text: `${where}: expected the line that the manifest has the hash of, got another of the same key`,
    };
  if (isUnproven)
    return {
      name: 'line-unproven',
      text: `${where}: expected its hash in the manifest, got the deletion alone: the ledger did not have the line`,
    };
  return {
    name: 'line-added',
    text: `${where}: expected lines that a manifest knows, got one that none does`,
  };
}

function readable<Read>(read: () => Read, findings: Finding[]): Read | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ArchivedLineError)) throw error;
    findings.push({ name: 'line-unreadable', text: error.message });
    return undefined;
  }
}
