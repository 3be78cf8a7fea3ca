import type { Facts, Look, Looked, Sweep } from '../../cli/dashboard/looks.ts';

const AT = Date.parse('2026-11-20T12:00:00.000Z') / 1_000;

/** A table that is as it should be. */
export function factsOf(table: string, differing: Partial<Facts> = {}): Facts {
  return {
    ...{ table, deployment: 'precise-ttl', isLate: false, promisedSeconds: 11, lateAfterSeconds: 180 },
    gone: { since: AT - 86_400, by: AT },
    overdue: {
      ...{ readAt: AT + 10, from: AT - 60, items: 0, oldest: null, newest: null, keys: [] },
      ...{ queries: 2, short: null },
    },
    left: { readAt: AT + 10, read: 100, isAll: true, before: 0, unseen: 0, recent: 0 },
    watermark: { since: AT - 86_400, gone: AT - 2 },
    tick: '2026-11-20T12:00:00.000Z',
    ...{ pause: null, isScheduled: true, sweeps: [], failing: null, alarms: [], notKnown: [] },
    ...differing,
  };
}

/** A table of which nothing could be asked. */
export function unknownFacts(table: string): Facts {
  return factsOf(table, {
    ...{ gone: null, overdue: null, left: null, watermark: null, tick: null, pause: null },
    ...{ isScheduled: null, sweeps: null, alarms: null },
    notKnown: ['the journal: DynamoDB throttles', 'the index: DynamoDB throttles'],
  });
}

export const lookedAt = (facts: Facts, differing: Partial<Looked> = {}): Looked => ({
  ...{ facts, verdict: 'fine', remarks: [] },
  ...{ gone: 'everything that was due by 12:00:00Z is gone', promise: `promised ${facts.promisedSeconds} s` },
  ...differing,
});

export function lookOf(at: string, ...tables: readonly Looked[]): Look {
  return { at, isLocal: false, tables };
}

/** A tick that ended then. */
export function sweepEnded(endedAt: string, differing: Partial<Sweep> = {}): Sweep {
  return {
    ...{ execution: `tick-${endedAt}`, kind: 'tick', endedAt, failure: null, failedKeys: [] },
    startedAt: new Date(Date.parse(endedAt) - 119_000).toISOString(),
    ...{ counts: {}, lagMs: null },
    ...differing,
  };
}
