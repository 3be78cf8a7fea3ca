import type { Execution } from 'stepfunctions-emulator';
import { CALL_MS, JOURNAL_MS, READ_MS, TICK_LATE_SECONDS } from '../../cost/assumptions.ts';
import { BILL_PRICES, type Cost, costOf } from '../../cost/prices.ts';
import { DAYS_A_MONTH, TICKS_A_MONTH } from '../../cost/sweep-usage.ts';
import { DEFAULT_SHARDS } from '../../expiry/model.ts';
import { type Deployment, deploymentOf } from '../../stacks/deployments.ts';
import { modelOf } from '../../stacks/model-of.ts';
import { type PreciseTtlProps, resolveProps } from '../../stacks/props.ts';
import { type DeployedSchedule, schedulesOf } from '../../stacks/schedules-of.ts';
import type { TickInput } from '../../statemachine/contract.ts';
import { Simulation } from '../../test/support/simulation/simulation.ts';

/** The first ticks find nothing yet and the last ones nothing any more: those between are counted. */
const FIRST_TICK = 3;
const TICKS = 10;
const START = Date.parse('2026-11-20T09:00:00Z') / 1000;

/** What decides the cost, besides the rate; the rest is as it is by default. */
export type CostProps = Pick<
  PreciseTtlProps,
  'indexedBy' | 'granularityMinutes' | 'precisionSeconds' | 'pollSeconds' | 'shards'
>;

/** A table of the deployment. */
export interface MonthTable {
  readonly props: CostProps;
  /** Items that expire in each minute, evenly. */
  readonly itemsPerMinute: number;
}

/** Dollars for a month. */
export interface MonthlyCost {
  /** Executions of the ticks, and all that they start. */
  readonly ticks: Cost;
  /** Executions of the reconcile. */
  readonly reconcile: Cost;
  /** Starts by EventBridge Scheduler. */
  readonly starts: number;
  readonly total: number;
  /** Executions that a tick consists of, on average. */
  readonly executionsPerTick: number;
  /** Transitions of Standard machines in the month. */
  readonly standardTransitions: number;
  /** Items that were deleted in the minutes that are counted, of those that expired in them. */
  readonly deletedShare: number;
}

/**
 * What a month of a deployment's sweep costs, from the counters of the emulator: a steady stream of expiring items in each of its tables, and
 * the reconciles of tables from which the ticks have deleted everything. Tick by tick the work is the same, so ten minutes stand
 * for the month.
 */
export async function costOfMonth(monthTables: readonly MonthTable[]): Promise<MonthlyCost> {
  const nameOf = (index: number) => `SessionData-${index + 1}`;
  const deployment = deploymentOf(
    monthTables.map(({ props }, index) =>
      resolveProps({ tableName: nameOf(index), partitionKey: 'id', ...props }),
    ),
  );
  const [, ...reconciles] = schedulesOf(deployment);

  const ticking = simulate(deployment);
  const minutes = FIRST_TICK + TICKS + 3;
  for (const [index, { itemsPerMinute, props }] of monthTables.entries()) {
    const { items } = ticking.named(nameOf(index));
    for (let item = 0; item < itemsPerMinute * minutes; item += 1) {
      items.write(
        `item-${item}`,
        START + 60 + Math.floor((item * 60) / itemsPerMinute),
        item % (props.shards ?? DEFAULT_SHARDS),
      );
    }
  }
  for (let minute = 0; minute < minutes; minute += 1) ticking.tick(START + minute * 60, TICK_LATE_SECONDS);
  await ticking.finish();
  const from = START + FIRST_TICK * 60;
  const isCounted = ({ startDate }: Execution) =>
    startDate >= from * 1000 && startDate < (from + TICKS * 60) * 1000;
  const counted = ticking.executions.filter(isCounted);
  const expired = monthTables.reduce((sum, { itemsPerMinute }) => sum + itemsPerMinute * TICKS, 0);
  const deleted = ticking.tables
    .flatMap(table => table.deleted)
    .filter(({ ttl }) => ttl >= from + 60 && ttl < from + 60 + TICKS * 60).length;

  // All tables are indexed alike, and so the reconciles come equally often. What one does differs from one hour to the next.
  const startsADay = reconciles[0]?.startsADay ?? 0;
  const reconciling = simulate(deployment);
  for (let hour = 0; hour < startsADay; hour += 1) {
    for (const reconcile of reconciles) startReconcile(reconciling, reconcile, hour);
  }
  await reconciling.finish();

  const ticks = times(sumOf(counted), TICKS_A_MONTH / TICKS);
  const reconcile = times(sumOf(reconciling.executions), DAYS_A_MONTH);
  const starts =
    (TICKS_A_MONTH + startsADay * DAYS_A_MONTH * reconciles.length) * BILL_PRICES.schedulerInvocations;
  const transitionsOf = (executions: readonly Execution[]) =>
    executions.reduce((sum, { billing }) => sum + billing.stateTransitions, 0);
  return {
    ...{ ticks, reconcile, starts },
    total: ticks.total + reconcile.total + starts,
    executionsPerTick: counted.length / TICKS,
    standardTransitions:
      transitionsOf(counted) * (TICKS_A_MONTH / TICKS) + transitionsOf(reconciling.executions) * DAYS_A_MONTH,
    deletedShare: expired === 0 ? 1 : deleted / expired,
  };
}

function simulate({ tables, functionMemoryMb: memoryMb }: Deployment): Simulation {
  return new Simulation({
    start: START,
    tables: tables.map(props => ({
      name: props.tableName,
      props,
      model: modelOf(props),
      read: READ_MS,
    })),
    callMs: CALL_MS,
    journalMs: JOURNAL_MS,
    memoryMb,
  });
}

/** A reconcile begins within the hour. */
function startReconcile(simulation: Simulation, { input, expression }: DeployedSchedule, hour: number): void {
  const minute = Number(/^cron\((\d+) /.exec(expression)?.[1]);
  const { scheduledTime: _scheduler, ...others }: TickInput = input;
  simulation.tick(START + hour * 3600 + minute * 60, TICK_LATE_SECONDS, others);
}

function sumOf(executions: readonly Execution[]): Cost {
  const none = costOf({
    ...{ stateTransitions: 0, expressRequests: 0, expressGbSeconds: 0 },
    ...{ functionInvocations: 0, functionGbSeconds: 0, usage: {} },
  });
  return executions
    .map(({ billing }) => costOf(billing))
    .reduce((one, other) => combined(one, each => other.parts[each], 1), none);
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
