import { OUTCOME_COUNTS, type SweepReport } from '../../operate/deployment/sweep.ts';
import type { HistoryReport } from '../../operate/history/report.ts';
import type { StatusReport, TableReport } from '../../operate/status/report.ts';
import { noCounts } from '../../statemachine/counts.ts';

/** A table that is fine, as a status reports it. */
export function tableReport(tableName: string, differing: Partial<TableReport> = {}): TableReport {
  return {
    ...{ tableName, name: 'precise-ttl', verdict: 'fine', cause: null, remarks: [] },
    gone: {
      ...{ since: '2026-11-19T12:00:00.000Z', by: '2026-11-20T12:00:00.000Z' },
      ...{ gapUntil: null, left: [] },
    },
    ...{ tick: '2026-11-20T12:00:00.000Z', watermark: '2026-11-20T11:59:58.000Z' },
    pause: null,
    overdue: {
      ...{ items: 0, atLeast: false, why: null, oldest: null },
      ...{ from: null, to: null, queries: 1, trend: null },
    },
    ...{ schedules: [{ name: 'precise-ttl-tick', state: 'on' }], sweeps: [], open: [] },
    ...{ lastFailure: null, deadLetters: 0, alarms: [] },
    ...differing,
  };
}

/** A table of which nothing could be asked. */
export function unknownReport(tableName: string): TableReport {
  return tableReport(tableName, {
    ...{ verdict: 'broken', gone: null, tick: null, watermark: null, overdue: null },
    ...{ schedules: [{ name: 'precise-ttl-tick', state: null }], sweeps: null, open: null },
    ...{ deadLetters: null, alarms: null },
  });
}

export function statusOf(checkedAt: string, ...tables: TableReport[]): StatusReport {
  return { verdict: tables[0]?.verdict ?? 'fine', region: 'us-east-1', isLocal: false, checkedAt, tables };
}

interface SweepFacts extends Partial<Omit<SweepReport, 'outcome'>> {
  readonly outcome?: Partial<SweepReport['outcome']>;
}

/** A tick that ended then. */
export function sweepEnded(stoppedAt: string, { outcome, ...differing }: SweepFacts = {}): SweepReport {
  return {
    ...{ name: `tick-${stoppedAt}`, kind: 'tick', status: 'SUCCEEDED', stoppedAt, failure: null },
    startedAt: new Date(Date.parse(stoppedAt) - 119_000).toISOString(),
    ...differing,
    outcome: { ...noCounts(OUTCOME_COUNTS), lagMs: null, ...outcome },
  };
}

export function historyOf(tableName: string, ...sweeps: SweepReport[]): HistoryReport {
  const listed = sweeps.map(sweep => ({ ...sweep, failedKeys: [] }));
  const tables = [{ tableName, name: 'precise-ttl', sweeps: listed }];
  return { region: 'us-east-1', since: '2026-11-19T12:00:00.000Z', tables };
}
