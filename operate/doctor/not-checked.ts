import type { NotChecked } from '../deployment/check.ts';
import type { Subject } from '../deployment/subject.ts';
import { type Finding, finding } from './finding.ts';

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

/** Key of the group of checks on this machine. It differs from every reason, because no reason is empty. */
const LOCAL = '';
