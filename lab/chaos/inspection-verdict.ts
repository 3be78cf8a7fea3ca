import { CHUNK_KEYS } from '../../statemachine/contract/limits.ts';
import { type Ended, reportsOf } from '../ledger/accounts.ts';
import { named } from '../ledger/verdict.ts';
import type { Range } from './inspection-faults.ts';

/** The result of an inspected sweep. */
export interface InspectedSweep {
  /** `tick` */
  readonly name: string;
  /** The tick, and the executions to which it handed over. */
  readonly ended: readonly Ended[];
  /** Number of items that it should delete. */
  readonly laidOut: number;
  /** Items that the application renewed before the sweep, and whose old index entries remain. */
  readonly laidOutRenewed: number;
  /** Ids of items that should have been deleted. */
  readonly left: readonly string[];
  /** Number of items deleted meanwhile, by the table's stream. */
  readonly removed: number;
  /** Range of the count in the report, by the application's actions. */
  readonly renewed: Range;
  readonly notFound: Range;
  /** Children that ended for lack of time and left items to another one. */
  readonly handedOn: number;
  /** Number of calls with an unknown effect: they timed out before the answer, as on a busy machine. */
  readonly unanswered: number;
}

/** Faults of a sweep, one sentence each. */
export function wrongWith(sweep: InspectedSweep): string[] {
  const { name, ended, laidOut, left, removed, handedOn } = sweep;
  const wrong: string[] = [];
  if (left.length > 0) {
    wrong.push(
      `the ${name} left ${left.length} expired items (${laidOut} were laid out for it): ${named(left)}`,
    );
  }
  for (const { status, error, text } of ended) {
    if (status !== 'SUCCEEDED') wrong.push(`the ${name} ended ${status}: ${error} ${text}`);
  }
  if (handedOn === 0) {
    wrong.push(
      `no child of the ${name} ended for want of time: whether another one goes on where it was is not known`,
    );
  }
  if (sweep.laidOutRenewed > 0 && sweep.renewed.most === 0) {
    wrong.push(`the ${name} came upon nothing that had been renewed: whether it would stay is not known`);
  }
  const reports = ended.flatMap(({ text }) => reportsOf(text) ?? []);
  if (reports.length === 0) return wrong;
  // The deletes of an unanswered call are not counted, and the next call may not find their items.
  const unknown = sweep.unanswered * CHUNK_KEYS;
  const held = [
    ['deleted', { least: removed, most: removed }, 'went by the stream'],
    ['renewed', sweep.renewed, 'had been renewed by the application'],
    [
      'notFound',
      { ...sweep.notFound, most: sweep.notFound.most + unknown },
      'had been deleted by the application',
    ],
  ] as const;
  for (const [field, { least: counted, most }, what] of held) {
    const least = Math.max(0, counted - unknown);
    const count = reports.reduce((sum, report) => sum + report[field], 0);
    if (count >= least && count <= most) continue;
    const expected = least === most ? `${least}` : `${least} to ${most}`;
    wrong.push(`the ${name} reports ${field} ${count}, but ${expected} ${what}`);
  }
  return wrong;
}
