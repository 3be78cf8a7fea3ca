import { refusesNativeTtl } from '../../config/props.ts';
import type { Subject } from '../deployment/subject.ts';
import { FINDINGS, type FindingId, PLACEHOLDERS, type RemedyValues, type Severity } from './findings.ts';

/** One thing that is not as it should be. */
export interface Finding {
  readonly id: FindingId;
  readonly severity: Severity;
  /** What was found, with what was expected instead. */
  readonly what: string;
  /** Of items, executions or messages; null for what there is one of. */
  readonly count: number | null;
  /** Some of them, three at the most: keys as DynamoDB's JSON has them, or their hashes. */
  readonly samples: readonly string[];
  readonly meaning: string;
  /** What to do: a command where one does it. */
  readonly remedy: string;
}

/** What there is to say of a finding besides what its id says. */
export interface Seen {
  /** Added to what its id says. */
  readonly detail?: string;
  readonly count?: number;
  readonly samples?: readonly string[];
  /** The command of its remedy takes these of it. */
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
    meaning: meaning + withoutBackstop(id, meaning, subject),
    remedy: remedy(subject, { ...PLACEHOLDERS, ...seen.values }),
  };
}

/** What is said of native TTL, where there is none. */
function withoutBackstop(id: FindingId, meaning: string, { props }: Subject): string {
  const isSaid = /native TTL/i.test(meaning) && !id.startsWith('native-ttl');
  return isSaid && refusesNativeTtl(props)
    ? ' With holdAttribute or graceSeconds native TTL is off, and deletes nothing.'
    : '';
}

export type Verdict = 'healthy' | 'warnings' | 'broken';

/** The worst of the findings; notes do not count. */
export function verdictOf(findings: readonly Pick<Finding, 'severity'>[]): Verdict {
  if (findings.some(({ severity }) => severity === 'broken')) return 'broken';
  return findings.some(({ severity }) => severity === 'warning') ? 'warnings' : 'healthy';
}
