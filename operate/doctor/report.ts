import type { Checked, NotChecked } from '../deployment/check.ts';
import type { Subject } from '../deployment/subject.ts';
import type { OperateOptions, ScanProgress } from '../options.ts';
import { FINDINGS, type FindingId, PLACEHOLDERS, type RemedyValues, type Severity } from './findings.ts';

/** One thing that is wrong or could not be checked. */
export interface Finding {
  readonly id: FindingId;
  readonly severity: Severity;
  /** The finding, with the expected state. */
  readonly what: string;
  /** Number of items, executions or messages; null if there is only one. */
  readonly count: number | null;
  /** Up to three examples: keys in DynamoDB's JSON, or their hashes. */
  readonly samples: readonly string[];
  readonly meaning: string;
  /** The remedy: a command if there is one. */
  readonly remedy: string;
}

/** Details of a finding, besides its id. */
export interface Seen {
  /** Appended to the general text of the finding. */
  readonly detail?: string;
  readonly count?: number;
  readonly samples?: readonly string[];
  /** Values for the command of the remedy. */
  readonly values?: Partial<RemedyValues>;
}

export function finding(id: FindingId, subject: Subject, seen: Seen = {}): Finding {
  const { severity, what, meaning, remedy } = FINDINGS[id];
  return {
    id,
    severity,
    what: seen.detail === undefined ? what : `${what}: ${seen.detail}`,
    count: seen.count ?? null,
    samples: seen.samples ?? [],
    meaning,
    remedy: remedy(subject, { ...PLACEHOLDERS, ...seen.values }),
  };
}

export type Verdict = 'healthy' | 'warnings' | 'broken';

/** The worst severity of the findings; notes do not count. */
export function verdictOf(findings: readonly Pick<Finding, 'severity'>[]): Verdict {
  if (findings.some(({ severity }) => severity === 'broken')) return 'broken';
  return findings.some(({ severity }) => severity === 'warning') ? 'warnings' : 'healthy';
}

/** Something that was not checked, e.g. `the dead-letter queue`. */
export interface Unchecked {
  readonly what: string;
  readonly why: NotChecked;
}

/** Findings about skipped checks: one for each reason, and one for all services that this machine does not have. */
export function notCheckedFindings(unchecked: readonly Unchecked[], subject: Subject): Finding[] {
  const byReason = Map.groupBy(unchecked, ({ why }) => (why.isLocal ? LOCAL : why.reason));
  return [...byReason.values()].flatMap(group => {
    const [first] = group;
    if (first === undefined) return [];
    const { isLocal, reason, remedy } = first.why;
    const whats = group.map(({ what, why }) => (isLocal ? `${what} (${why.reason})` : what)).join(', ');
    return [
      finding(isLocal ? 'not-checked-local' : 'not-checked', subject, {
        detail: isLocal ? whats : `${whats} (${reason})`,
        values: { permission: remedy },
      }),
    ];
  });
}

/** Key of the group for this machine; no reason is empty. */
const LOCAL = '';

/** The findings about what was seen, or that it could not be checked. @param what as in {@link Unchecked} */
export function judged<Seen>(
  what: string,
  checked: Checked<Seen>,
  subject: Subject,
  findings: (seen: Seen) => Finding[],
): Finding[] {
  return 'seen' in checked
    ? findings(checked.seen)
    : notCheckedFindings([{ what, why: checked.notChecked }], subject);
}

export interface DoctorOptions extends OperateOptions {
  /** Reads every item instead of a sample. @default false */
  readonly full?: boolean;
  /** Reads every entry of the index, in segments, beside a sample of the items. @default false */
  readonly all?: boolean;
  /** Read units per second of a full scan, and of one of the index. @default 100 */
  readonly rate?: number;
  /** Segments that such a scan reads in parallel. @default 4 */
  readonly segments?: number;
  /** Shows hashes instead of keys. @default as in the table's `logKeys` */
  readonly mask?: boolean;
  /** Called before such a scan, and after each of its pages. */
  readonly onScan?: ((table: ScannedTable, progress: ScanProgress | undefined) => void) | undefined;
}

/** A table or an index as DynamoDB describes it; the item count is updated every six hours. */
export interface ScannedTable {
  readonly name: string;
  readonly itemCount: number;
  readonly sizeBytes: number;
}

/** Facts that were checked. Null: missing, or not checked. */
export interface Facts {
  readonly status: string | null;
  /** DynamoDB updates this count about every six hours. */
  readonly itemCount: number | null;
  readonly itemsRead: number;
  /** Whether every item of the table was read. */
  readonly allItemsRead: boolean;
  /** Number of index entries that were read with `all`, which are all of it; null: it was not read, or not to its end. */
  readonly entriesRead: number | null;
  /** Functions that one execution can run at the same time, and those that the account allows. */
  readonly functionsAtOnce: number;
  readonly concurrency: number | null;
}

export interface TableReport {
  readonly tableName: string;
  /** Name of the deployment: that of its state machine, and the prefix of its other names. */
  readonly name: string;
  readonly verdict: Verdict;
  readonly facts: Facts;
  /** Worst first. */
  readonly findings: readonly Finding[];
}

export interface DoctorReport {
  readonly verdict: Verdict;
  readonly region: string;
  /** Whether services of this machine were asked; then no others were. */
  readonly isLocal: boolean;
  /** ISO-8601. */
  readonly checkedAt: string;
  readonly tables: readonly TableReport[];
}
