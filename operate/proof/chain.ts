import { fieldProblems, isObject, type Kinds, kind, text } from '../../expiry/fields.ts';
import {
  dayFolder,
  MANIFEST,
  type Manifest,
  PROOF_DATE,
  proofFolder,
  sha256,
} from '../../functions/proof/manifest.ts';
import { dayAfter } from '../../functions/proof/write-manifests.ts';
import { inParallel } from '../abortable.ts';
import type { ArchiveSource } from '../archive/archive-source.ts';
import type { Finding } from './report.ts';

/** A manifest, and the hash of it that the next manifest should contain. */
export interface Link {
  readonly manifest: Manifest;
  readonly sha256: string;
}

export interface Chain {
  /** Manifests by date, in order, without those that cannot be read. */
  readonly links: ReadonlyMap<string, Link>;
  /** Days without a manifest between two manifests, which the chain itself records: none was written for them. */
  readonly gaps: readonly string[];
  readonly findings: readonly Finding[];
}

const READS_AT_ONCE = 8;

/** Reads all manifests of a table and checks the chain of their hashes. @throws {ArchiveUnreadableError} */
export async function readChain(source: ArchiveSource, table: string, signal: AbortSignal): Promise<Chain> {
  const folder = proofFolder(table);
  const findings: Finding[] = [];
  const days = (await source.folders(folder)).filter(name => name.startsWith(PROOF_DATE));
  const read = await inParallel(
    days,
    READS_AT_ONCE,
    async (day): Promise<[string, Link][]> => {
      const date = day.slice(PROOF_DATE.length);
      const path = `${folder}${dayFolder(date)}${MANIFEST}`;
      // A folder without a manifest is from an interrupted call.
      if (!(await source.objects(`${folder}${dayFolder(date)}`)).includes(path)) return [];
      const bytes = await source.read(path);
      const manifest = parsed(bytes);
      const isRight = manifest?.date === date && manifest.table === table;
      if (manifest !== undefined && isRight) return [[date, { manifest, sha256: sha256(bytes) }]];
      const got = manifest === undefined ? 'something else' : `that of ${manifest.table} on ${manifest.date}`;
      findings.push({
        name: 'manifest-unreadable',
        date,
        text: `${source.name(path)}: expected the manifest of ${table} on ${date}, got ${got}`,
      });
      return [];
    },
    signal,
  );
  const links = read.flat().sort(([one], [other]) => (one < other ? -1 : 1));
  const gaps: string[] = [];
  for (const [index, [date, { manifest }]] of links.entries()) {
    const [before, link] = links[index - 1] ?? [];
    const finding = brokenAt(date, manifest.previous, before, link);
    if (finding !== undefined) findings.push(finding);
    else if (before !== undefined)
      for (let day = dayAfter(before); day < date; day = dayAfter(day)) gaps.push(day);
  }
  return { links: new Map(links), gaps, findings };
}

/** The fault between a manifest and the previous one. */
function brokenAt(
  date: string,
  previous: Manifest['previous'],
  before: string | undefined,
  link: Link | undefined,
): Finding | undefined {
  if (previous === null) {
    if (before === undefined) return undefined;
    return {
      name: 'manifest-replaced',
      text: `manifest of ${date}: expected the hash of the one of ${before}, got none, as if it were the first`,
    };
  }
  if (before === undefined || before < previous.date)
    return {
      name: 'manifest-missing',
      date: previous.date,
      text: `manifest of ${previous.date}: expected it, because that of ${date} follows it, got none`,
    };
  if (before > previous.date)
    return {
      name: 'manifest-replaced',
      text: `manifest of ${before}: expected its hash in the one of ${date}, got that of ${previous.date}: one of the two is not the one that was written`,
    };
  if (link?.sha256 === previous.sha256) return undefined;
  return {
    name: 'manifest-replaced',
    text: `manifest of ${before}: expected the SHA-256 ${previous.sha256}, as that of ${date} says, got ${link?.sha256}`,
  };
}

const count = kind<number>(value => Number.isSafeInteger(value), 'a whole number');
const object = (kinds: Kinds) =>
  kind<object>(value => isObject(value) && isLike(kinds, value), `an object with ${Object.keys(kinds)}`);
const part = { name: text(), lines: count, sha256: text() };

const MANIFEST_KINDS: Kinds = {
  format: kind<1>(value => value === 1, '1'),
  table: text(),
  date: text(/^\d{4}-\d\d-\d\d$/, 'a date'),
  asOf: text(),
  archive: kind<boolean>(value => typeof value === 'boolean', 'a boolean'),
  keys: kind<object>(isObject, 'an object'),
  deleted: object({ sweep: count, other: count }),
  expired: kind<object>(isObject, 'an object'),
  kept: object({ renewed: count }),
  parts: kind<object[]>(
    value => Array.isArray(value) && value.every(each => isObject(each) && isLike(part, each)),
    'a list of parts',
  ),
  previous: kind<object | null>(
    value => value === null || (isObject(value) && isLike({ date: text(), sha256: text() }, value)),
    'null or an object',
  ),
};

function isLike(kinds: Kinds, value: object): boolean {
  const options = { required: Object.keys(kinds), remedy: '' };
  return fieldProblems(kinds, value as Record<string, unknown>, options).length === 0;
}

function parsed(bytes: Uint8Array): Manifest | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    return isObject(value) && isLike(MANIFEST_KINDS, value) ? (value as unknown as Manifest) : undefined;
  } catch {
    return undefined;
  }
}
