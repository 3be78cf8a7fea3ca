import { type ExpiryModel, expiryModel } from '../../expiry/model.ts';
import { windowKey, windowStart } from '../../expiry/window.ts';
import { lagOf, summarizeLag } from '../../functions/lib/lag.ts';
import { type LookPace, look } from '../../functions/lib/look.ts';
import { toChunks } from '../../functions/lib/page.ts';
import { plan } from '../../functions/lib/plan.ts';
import { readSweepInput } from '../../functions/lib/sweep-input.ts';
import { earliestTtl, type ReadWindow } from '../../functions/lib/window-query.ts';
import { Engine, type Execution, seededRandom } from '../../local/asl/index.ts';
import { VirtualClock } from '../../local/clock.ts';
import type { ExpiredKey } from '../../statemachine/contract.ts';
import { definitionWith, NOTHING, planOf, type SweepFunctions } from './run-sweep.ts';

/** What became of one item; times in epoch milliseconds. */
export interface Fate {
  readonly id: string;
  readonly ttl: number;
  readonly deletedAt: number;
}

export interface Simulation {
  readonly clock: VirtualClock;
  readonly deleted: Fate[];
  readonly executions: Execution[];
  /** Calls of each function. */
  readonly calls: Record<keyof SweepFunctions, number>;
  write(id: string, ttl: number): void;
  left(): string[];
  /** Starts a tick for this minute (epoch seconds), so many seconds late. */
  tick(scheduled: number, lateSeconds?: number): void;
  /** Lets time pass until the last execution has ended. */
  finish(): Promise<void>;
}

/**
 * A table in memory and the real planning, looking and definition around it, on a virtual clock: an hour of ticks in
 * milliseconds. Only DynamoDB and Lambda are left out; every call takes `callMs`.
 */
export function simulate({
  start,
  pace = { precisionSeconds: 1, pollSeconds: 0 },
  model = expiryModel({ partitionKey: 'id' }),
  callMs = 30,
  mapRunDelays = { beforeChildrenMs: 0, afterChildrenMs: 0 },
}: {
  start: number;
  pace?: LookPace;
  model?: ExpiryModel;
  callMs?: number;
  mapRunDelays?: { beforeChildrenMs: number; afterChildrenMs: number };
}): Simulation {
  const clock = new VirtualClock(start * 1000);
  const items = new Map<string, number>();
  const windows = new Map<string, string>();
  const deleted: Fate[] = [];
  const executions: Execution[] = [];
  const pending: Promise<unknown>[] = [];
  const calls = { 'plan-sweep': 0, 'query-expired': 0, 'delete-chunk': 0, 'record-metrics': 0 };
  const granularity = model.granularitySeconds;

  const readWindow: ReadWindow = async (key, { from, upTo }, startKey, limit) => {
    const all = [...items]
      .filter(([id, ttl]) => windows.get(id) === key && ttl >= from && ttl <= upTo)
      .sort(([, one], [, other]) => one - other)
      .map(([id, ttl]): ExpiredKey => ({ key: { id: { S: id } }, ttl }));
    const behind = startKey
      ? all.findIndex(each => JSON.stringify(each.key) === JSON.stringify(startKey))
      : -1;
    const entries = all.slice(behind + 1, behind + 1 + limit);
    return { entries, positions: entries.map(each => each.key), more: behind + 1 + limit < all.length };
  };

  const functions: SweepFunctions = {
    'plan-sweep': async ({ executionInput, startedAt, cursor }) => {
      const startedAtMs = Date.parse(startedAt);
      const request = readSweepInput(executionInput, startedAtMs, { lookbackMinutes: 10, ...pace });
      const {
        due,
        cursor: next,
        oldestOverdue,
      } = await plan(request, cursor ?? null, {
        model,
        probe: target => earliestTtl(readWindow, target),
        concurrency: 32,
        mostDue: 200,
        watchAlways: pace.pollSeconds > 0,
        outOfTime: () => false,
      });
      const oldestOverdueSeconds =
        oldestOverdue === undefined ? 0 : Math.floor(startedAtMs / 1000) - oldestOverdue;
      return planOf(due, { cursor: next, oldestOverdueSeconds });
    },
    'query-expired': async input => {
      const { due, ...rest } = await look(input, pace, readWindow);
      return { found: due.length, chunks: toChunks(due), ...rest };
    },
    'delete-chunk': async ({ keys, cutoff }) => {
      const gone: number[] = [];
      let alreadyGone = 0;
      for (const { key, ttl } of keys) {
        const id = 'S' in (key['id'] ?? {}) ? (key['id'] as { S: string }).S : '';
        const stored = items.get(id);
        if (stored === undefined) alreadyGone += 1;
        else if (stored <= cutoff) {
          items.delete(id);
          gone.push(ttl);
          deleted.push({ id, ttl: stored, deletedAt: clock.now() });
        }
      }
      const renewed = keys.length - gone.length - alreadyGone;
      return { ...NOTHING, deleted: gone.length, alreadyGone, renewed, ...lagOf(gone, clock.now()) };
    },
    'record-metrics': async ({ totals }) => ({ lagMs: summarizeLag(totals) }),
  };

  const engine = new Engine({
    clock,
    random: seededRandom(1),
    mapRunDelays,
    invoker: {
      async invoke(arn, payload) {
        const name = arn.split(':').at(-1) as keyof SweepFunctions;
        calls[name] += 1;
        await clock.sleep(callMs);
        return { ok: true, payload: await functions[name](payload as never) };
      },
    },
  });
  const machine = {
    arn: 'arn:aws:states:us-east-1:123456789012:stateMachine:simulated',
    name: 'simulated',
    roleArn: 'arn:aws:iam::123456789012:role/sweep',
    type: 'STANDARD',
    definition: definitionWith({}),
  } as const;

  return {
    clock,
    deleted,
    executions,
    calls,
    write: (id, ttl) => {
      items.set(id, ttl);
      windows.set(id, windowKey(windowStart(ttl, granularity), granularity));
    },
    left: () => [...items.keys()].sort(),
    tick(scheduled, lateSeconds = 0) {
      const run = async () => {
        await clock.sleep((scheduled + lateSeconds) * 1000 - clock.now());
        const scheduledTime = new Date(scheduled * 1000).toISOString().replace('.000', '');
        const execution = engine.start(machine, { input: { scheduledTime } });
        executions.push(execution);
        await execution.done;
      };
      pending.push(run());
    },
    finish: async () => {
      await Promise.all(pending);
    },
  };
}
