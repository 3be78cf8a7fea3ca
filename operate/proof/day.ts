import { isDeepStrictEqual } from 'node:util';
import { hashOfLines } from '../../functions/archive/archive-object.ts';
import {
  DayTally,
  dayFolder,
  type Manifest,
  type Part,
  type ProofLine,
  partFile,
  proofFolder,
} from '../../functions/proof/manifest.ts';
import { dayAfter } from '../../functions/proof/write-manifests.ts';
import type { ArchiveSource } from '../archive/archive-source.ts';
import { linesOf } from '../archive/archived-lines.ts';
import { ArchivedLineError } from '../errors.ts';
import type { Chain, Link } from './chain.ts';
import type { Finding } from './report.ts';

/** A day, read from its manifest and from that of the next day. */
export interface Day {
  readonly date: string;
  readonly link: Link;
  /** Lines of the parts by part name. A part that was changed has its current lines. */
  readonly parts: ReadonlyMap<string, readonly string[]>;
  /** All lines of the day, with late lines in place of the first versions. */
  readonly lines: readonly ProofLine[];
  /** Whether the next day's manifest, which lists late lines, exists. */
  readonly isClosed: boolean;
  readonly findings: readonly Finding[];
}

/** Reads the parts of a day and compares them with its manifest. @throws {ArchiveUnreadableError} */
export async function readDay(
  source: ArchiveSource,
  { links }: Chain,
  { date, link }: { readonly date: string; readonly link: Link },
): Promise<Day> {
  const { manifest } = link;
  const findings: Finding[] = [];
  const parts = new Map<string, readonly string[]>();
  for (const part of manifest.parts)
    parts.set(part.name, await readPart(source, manifest.table, date, part, findings));
  const own = [...parts.values()].flat().map(parsedProofLine);
  if (findings.length === 0) findings.push(...differingCounts(link, own));
  const next = links.get(dayAfter(date));
  const late = await lateOf(source, next, findings);
  return { date, link, parts, lines: withLate(own, late), isClosed: next !== undefined, findings };
}

/** The lines of one hour in a manifest, including late ones; a neighbouring day needs them. Empty if there are none. */
export async function linesOfHour(
  source: ArchiveSource,
  link: Link | undefined,
  hour: string,
): Promise<ProofLine[]> {
  if (link === undefined) return [];
  const { table, date, parts, late = [] } = link.manifest;
  const those = [...parts, ...late].filter(({ name }) => name.split('-')[0] === hour);
  return linesOfParts(source, { table, date }, those, []);
}

async function linesOfParts(
  source: ArchiveSource,
  { table, date }: Pick<Manifest, 'table' | 'date'>,
  parts: readonly Part[],
  findings: Finding[],
): Promise<ProofLine[]> {
  const lines: ProofLine[] = [];
  for (const part of parts)
    for (const text of await readPart(source, table, date, part, findings)) lines.push(parsedProofLine(text));
  return lines;
}

async function lateOf(
  source: ArchiveSource,
  next: Link | undefined,
  findings: Finding[],
): Promise<ProofLine[]> {
  if (next?.manifest.late === undefined) return [];
  return linesOfParts(source, next.manifest, next.manifest.late, findings);
}

async function readPart(
  source: ArchiveSource,
  table: string,
  date: string,
  part: Part,
  findings: Finding[],
): Promise<string[]> {
  const folder = `${proofFolder(table)}${dayFolder(date)}`;
  const path = `${folder}${partFile(part)}`;
  const where = source.name(path);
  if (!(await source.objects(folder)).includes(path)) {
    findings.push({
      name: 'part-missing',
      text: `${where}: expected this part of the manifest of ${date}, got none`,
    });
    return [];
  }
  try {
    const lines = linesOf(await source.read(path), where).map(({ text }) => text);
    const sha256 = hashOfLines(lines);
    if (sha256 !== part.sha256)
      findings.push({
        name: 'part-changed',
        text: `${where}: expected the SHA-256 ${part.sha256}, as the manifest of ${date} says, got ${sha256}`,
      });
    else if (lines.length !== part.lines)
      findings.push({
        name: 'count-differs',
        text: `manifest of ${date}: expected ${lines.length} lines of part ${part.name}, got ${part.lines}`,
      });
    return lines;
  } catch (error) {
    if (!(error instanceof ArchivedLineError)) throw error;
    findings.push({ name: 'part-changed', text: error.message });
    return [];
  }
}

/** Findings about counts in the manifest that differ from its lines. */
function differingCounts({ manifest }: Link, lines: readonly ProofLine[]): Finding[] {
  const tally = new DayTally();
  for (const line of lines) tally.add(line);
  return Object.entries(tally.counts()).flatMap(([name, counted]): Finding[] => {
    const said = manifest[name as keyof typeof manifest];
    if (isDeepStrictEqual(said, counted)) return [];
    const text = `manifest of ${manifest.date}: expected \`${name}\` ${JSON.stringify(counted)}, as its lines come to, got ${JSON.stringify(said)}`;
    return [{ name: 'count-differs', text }];
  });
}

/** Adds late lines: each one replaces a line that had no archived line yet, or is a deletion that no manifest had recorded. */
function withLate(own: readonly ProofLine[], late: readonly ProofLine[]): ProofLine[] {
  const completed = new Set(late.filter(({ by }) => by === 'sweep').map(identity));
  return [...own.filter(line => line.line !== undefined || !completed.has(identity(line))), ...late];
}

function identity({ key, keyHash, deletedAt }: ProofLine): string {
  return `${keyHash ?? JSON.stringify(key)} ${deletedAt}`;
}

function parsedProofLine(text: string): ProofLine {
  try {
    return JSON.parse(text);
  } catch {
    // The hash of the part shows that it was changed.
    return { expiredAt: null, deletedAt: '', by: 'other' };
  }
}
