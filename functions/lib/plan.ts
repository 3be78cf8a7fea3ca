import type { ExpiryModel } from '../../expiry/model.ts';
import { windowKey, windowStarts } from '../../expiry/window.ts';
import type { PlanCursor, WindowShard } from '../../statemachine/contract.ts';
import type { SweepRequest } from './sweep-input.ts';

/** What planning needs from outside. */
export interface PlanOptions {
  readonly model: ExpiryModel;
  /** Whether the pair holds something expired. */
  readonly probe: (target: WindowShard) => Promise<boolean>;
  /** Probes in flight. */
  readonly concurrency: number;
  /** Most pairs to return. */
  readonly mostDue: number;
  /** Asked between rounds of probes; true ends this call with a cursor. */
  readonly outOfTime: () => boolean;
}

/** The pairs that are due, oldest window first, and where to go on when not all could be looked at. */
export interface Plan {
  readonly due: WindowShard[];
  readonly cursor: PlanCursor | null;
}

/**
 * Looks into every (window, shard) of the request, from the cursor on. The order is fixed, oldest window first, so
 * that a cursor is enough to go on, and what is overdue longest goes first.
 */
export async function plan(
  request: SweepRequest,
  cursor: PlanCursor | null,
  { model, probe, concurrency, mostDue, outOfTime }: PlanOptions,
): Promise<Plan> {
  const due: WindowShard[] = [];
  const pairs = pairsFrom(request, cursor, model);
  let next = pairs.next();
  while (!next.done) {
    // A round never finds more than there is room for, so no probe's answer is thrown away.
    const room = Math.min(concurrency, mostDue - due.length);
    if (room === 0 || outOfTime()) return { due, cursor: next.value.at };
    const round: WindowShard[] = [];
    for (; !next.done && round.length < room; next = pairs.next()) round.push(next.value.target);
    const answers = await Promise.all(round.map(probe));
    due.push(...round.filter((_target, index) => answers[index]));
  }
  return { due, cursor: null };
}

interface Pair {
  readonly at: PlanCursor;
  readonly target: WindowShard;
}

function* pairsFrom(request: SweepRequest, cursor: PlanCursor | null, model: ExpiryModel): Generator<Pair> {
  const { windowsFrom, from, before, cutoff } = request;
  for (const window of windowStarts(windowsFrom, before, model.granularitySeconds)) {
    if (cursor && window < cursor.window) continue;
    for (let shard = cursor?.window === window ? cursor.shard : 0; shard < model.shards; shard += 1) {
      const key = windowKey(window, model.granularitySeconds, shard);
      yield { at: { window, shard }, target: { windowKey: key, from, before, cutoff } };
    }
  }
}
