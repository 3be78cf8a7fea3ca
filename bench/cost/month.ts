import { CALL_MS, READ_MS, TICK_LATE_SECONDS } from '../../cost/assumptions.ts';
import { type Cost, costOf } from '../../cost/prices.ts';
import type { IndexedBy } from '../../expiry/model.ts';
import { modelOf } from '../../stacks/model-of.ts';
import { type PreciseTtlProps, resolveProps } from '../../stacks/props.ts';
import { Simulation } from '../../test/support/simulation/simulation.ts';

const TICKS_A_MONTH = 43_200;
const RECONCILES_A_MONTH = 720;
/** The first ticks find nothing yet and the last ones nothing any more: those between are counted. */
const FIRST_TICK = 3;
const TICKS = 10;
const START = Date.parse('2026-11-20T09:00:00Z') / 1000;

/** What decides the cost, besides the rate; the rest is as it is by default. */
export type CostProps = Pick<PreciseTtlProps, 'indexedBy' | 'precisionSeconds' | 'pollSeconds' | 'shards'>;

/** Dollars for a month. */
export interface MonthlyCost {
  readonly ticks: Cost;
  readonly reconcile: Cost;
  /** State transitions of a tick, on average. */
  readonly transitionsPerTick: number;
}

/**
 * What a month of sweeping costs, from the counters of the local runner: a steady stream of expiring items, and the reconcile of a table
 * from which the ticks have deleted everything. Tick by tick the work is the same, so ten minutes stand for the month.
 *
 * @param itemsPerMinute items that expire in each minute, evenly
 */
export async function costOfMonth(itemsPerMinute: number, costProps: CostProps): Promise<MonthlyCost> {
  const props = resolveProps({ tableName: 'SessionData', partitionKey: 'id', ...costProps });
  const { precisionSeconds, pollSeconds, functionMemoryMb: memoryMb } = props;
  const simulate = () =>
    new Simulation({
      start: START,
      props: costProps,
      model: modelOf(props),
      pace: { precisionSeconds, pollSeconds },
      callMs: CALL_MS,
      read: READ_MS,
      memoryMb,
    });

  const ticking = simulate();
  const minutes = FIRST_TICK + TICKS + 3;
  for (let item = 0; item < itemsPerMinute * minutes; item += 1) {
    ticking.table.write(
      `item-${item}`,
      START + 60 + Math.floor((item * 60) / itemsPerMinute),
      item % props.shards,
    );
  }
  for (let minute = 0; minute < minutes; minute += 1) ticking.tick(START + minute * 60, TICK_LATE_SECONDS);
  await ticking.finish();
  const counted = ticking.executions.slice(FIRST_TICK, FIRST_TICK + TICKS).map(({ billing }) => billing);

  const reconciling = simulate();
  reconciling.reconcile(START, props.reconcileHours * 60);
  await reconciling.finish();

  return {
    ticks: times(sumOf(counted.map(costOf)), TICKS_A_MONTH / TICKS),
    reconcile: times(sumOf(reconciling.executions.map(({ billing }) => costOf(billing))), RECONCILES_A_MONTH),
    transitionsPerTick: counted.reduce((sum, { stateTransitions }) => sum + stateTransitions, 0) / TICKS,
  };
}

/**
 * What it costs to look back, without what else a sweep does: dollars a month for an idle table. In the plain mode a tick of an idle table
 * does nothing else.
 */
export async function costOfLookingBack(indexedBy: IndexedBy): Promise<number> {
  const { ticks, reconcile } = await costOfMonth(0, { indexedBy, precisionSeconds: 60 });
  return ticks.total - ticks.parts.stateTransitions + reconcile.total;
}

function sumOf(costs: readonly Cost[]): Cost {
  const [first] = costs;
  if (first === undefined) throw new Error('Nothing was executed.');
  return costs.slice(1).reduce((one, other) => combined(one, each => other.parts[each], 1), first);
}

function times(cost: Cost, factor: number): Cost {
  return combined(cost, () => 0, factor);
}

function combined(cost: Cost, more: (part: keyof Cost['parts']) => number, factor: number): Cost {
  const names = Object.keys(cost.parts) as (keyof Cost['parts'])[];
  const parts = names.map(name => [name, (cost.parts[name] + more(name)) * factor] as const);
  return {
    total: parts.reduce((sum, [, dollars]) => sum + dollars, 0),
    parts: Object.fromEntries(parts) as Cost['parts'],
  };
}
