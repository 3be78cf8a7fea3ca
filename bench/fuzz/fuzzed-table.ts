import { readSettings } from '../../functions/runtime/environment.ts';
import type { FollowedPipe } from '../ledger/deliveries.ts';
import type { Violation } from '../ledger/ledger.ts';
import { Oracle } from './oracle.ts';
import { isWithin } from './scenario.ts';
import { MemoryTable, type MemoryTableOptions } from './table.ts';
import { type UsersOptions, usersOf } from './users.ts';
import type { Resolved } from './variants.ts';

interface FuzzedTableOptions extends UsersOptions, Pick<MemoryTableOptions, 'asServerHasIt' | 'indexLagMs'> {
  readonly resolved: Resolved;
  readonly pipes: readonly FollowedPipe[];
}

/** For this time after a pause begins, the sweep may still send deletes, milliseconds. */
const PAUSE_MS = 5_000;

/** Permitted multiple of `maxDeletesPerSecond`, since deletes may be a second late. After a fault, chunks try again for `retriesMs`. */
const LIMIT = { tolerance: 2, retriesMs: 6_000 } as const;

export type FuzzedTable = ReturnType<typeof fuzzedTable>;

export function fuzzedTable({ resolved, pipes, ...options }: FuzzedTableOptions) {
  const { scenario, clock } = options;
  const settings = readSettings(resolved.carried);
  const { tableName: name, maxDeletesPerSecond: limit } = settings;
  const table = new MemoryTable({ settings, ...options });
  const oracle = new Oracle(table, pipes);
  const users = usersOf(table, settings, options);
  const perSecond = new Map<number, number>();
  let inPause = 0;
  return {
    ...{ name, settings, scenario, table, oracle, users },
    troubleAt: (nowMs: number) => (isWithin(scenario.trouble, nowMs) ? scenario.trouble?.kind : undefined),
    /** Counts the items that a request of the sweep has just deleted. @param sentAt when it was sent, epoch milliseconds */
    deleted(count: number, sentAt: number): void {
      const isPaused = scenario.pauses.some(({ from, to }) =>
        isWithin({ from: from + PAUSE_MS, to }, sentAt),
      );
      if (isPaused) inPause += count;
      const second = Math.floor(clock.now() / 1000);
      perSecond.set(second, (perSecond.get(second) ?? 0) + count);
    },
    /** @param replayedAt end of the replays beside ticks, which have limits of their own. Both times are epoch milliseconds */
    verdict(endMs: number, replayedAt: number): Violation[] {
      const from = Math.max(scenario.calmAt + LIMIT.retriesMs, replayedAt);
      const calm = [...perSecond].filter(([second]) => second * 1000 >= from);
      const most = Math.max(0, ...calm.map(([, count]) => count));
      return [
        ...oracle.verdict(endMs),
        ...(inPause > 0 ? [said('deletedInPause', `${inPause} of ${name}`)] : []),
        ...(limit > 0 && most > limit * LIMIT.tolerance
          ? [said('overLimit', `${most} deletes in a second of ${name}, whose limit is ${limit}`)]
          : []),
      ];
    },
  };
}

export function said(finding: Violation['finding'], sentence: string): Violation {
  return { finding, id: sentence, history: [] };
}
