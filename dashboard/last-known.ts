import type { TableReport } from '../operate/status/report.ts';
import type { Aged, KnownParts, LastKnown } from './report.ts';

/** The state before the first answer. */
export const NOTHING_KNOWN: LastKnown = {
  journal: null,
  gone: null,
  overdue: null,
  schedules: null,
  open: null,
  deadLetters: null,
  alarms: null,
};

/** Takes the known parts from a report, and keeps the earlier values of the others. @param at ISO-8601 */
export function lastKnown(before: LastKnown, report: TableReport, at: string): LastKnown {
  const known = partsOf(report);
  const keep = <Part extends keyof KnownParts>(part: Part): Aged<KnownParts[Part]> | null => {
    const value = known[part];
    return value === null ? (before[part] as Aged<KnownParts[Part]> | null) : { value, at };
  };
  return {
    journal: keep('journal'),
    gone: keep('gone'),
    overdue: keep('overdue'),
    schedules: keep('schedules'),
    open: keep('open'),
    deadLetters: keep('deadLetters'),
    alarms: keep('alarms'),
  };
}

/** The parts of a report; null for those that are not known. */
function partsOf(report: TableReport): { readonly [Part in keyof KnownParts]: KnownParts[Part] | null } {
  const { tick, watermark, pause, handOver, lastFailure } = report;
  const { gone, overdue, schedules, open, deadLetters, alarms } = report;
  return {
    // The sweeps come from the journal, and are a list only if it could be read.
    journal: report.sweeps === null ? null : { tick, watermark, pause, handOver, lastFailure },
    schedules: schedules.some(({ state }) => state === null) ? null : schedules,
    ...{ gone, overdue, open, deadLetters, alarms },
  };
}
