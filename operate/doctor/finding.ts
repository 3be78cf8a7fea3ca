import type { Checked, NotChecked } from '../deployment/check.ts';
import type { Subject } from '../deployment/subject.ts';
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
