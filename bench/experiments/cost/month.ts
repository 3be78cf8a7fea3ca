import type { Execution } from 'stepfunctions-emulator';
import { CALL_MS, JOURNAL_MS, READ_MS, TICK_LATE_SECONDS } from '../../../cost/assumptions.ts';
import { PRICES } from '../../../cost/prices.ts';
import { TICKS_A_MONTH } from '../../../cost/sweep-usage.ts';
import { DEFAULT_SHARDS } from '../../../expiry/model.ts';
import { type Deployment, deploymentOf, modelOf } from '../../../stacks/config/deployments.ts';
import { type FlatProps, resolveProps } from '../../../stacks/config/props.ts';
import { Simulation } from '../../../test/support/simulation/simulation.ts';

/** The first ticks find no items yet and the last ones find none any more: only the ticks between them are counted. */
const FIRST_TICK = 3;
const TICKS = 10;
const START = Date.parse('2026-11-20T09:00:00Z') / 1000;

/** The props that decide the cost, besides the rate; the rest are defaults. */
export type CostProps = Pick<
  FlatProps,
  'indexedBy' | 'granularityMinutes' | 'precision' | 'pollSeconds' | 'shards'
>;

/** A table of the deployment. */
export interface MonthTable {
  readonly props: CostProps;
  /** Items that expire in each minute, evenly. */
  readonly itemsPerMinute: number;
}

/** What an execution is billed for, by the emulator's counters. */
export const COUNTERS = [
  ...['stateTransitions', 'expressRequests', 'expressGbSeconds', 'functionInvocations'],
  ...['functionGbSeconds', 'dynamoDbReadUnits', 'dynamoDbWriteUnits'],
] as const satisfies readonly (keyof typeof PRICES)[];

/** Dollars for a month. */
export interface MonthlyCost {
  /** Cost of the ticks' executions, and of all executions that they start, by counter. */
  readonly parts: Readonly<Record<(typeof COUNTERS)[number], number>>;
  /** Starts by EventBridge Scheduler. */
  readonly starts: number;
  readonly total: number;
  /** Average number of executions of a tick. */
  readonly executionsPerTick: number;
  /** Transitions of Standard machines in the month. */
  readonly standardTransitions: number;
  /** Share of the items that were deleted, of those that expired in the counted minutes. */
  readonly deletedShare: number;
}

/**
 * The cost of a month of a deployment's sweep, from the counters of the emulator: a steady stream of expiring items in each of its tables.
 * Tick by tick the work is the same, so ten minutes stand for the
 * month.
 */
export async function costOfMonth(monthTables: readonly MonthTable[]): Promise<MonthlyCost> {
  const nameOf = (index: number) => `SessionData-${index + 1}`;
  const deployment = deploymentOf(
    monthTables.map(({ props }, index) =>
      resolveProps({ tableName: nameOf(index), partitionKey: 'id', ...props }),
    ),
  );

  const ticking = simulate(deployment);
  await beginAtStart(ticking, deployment);
  const minutes = FIRST_TICK + TICKS + 3;
  for (const [index, { itemsPerMinute, props }] of monthTables.entries()) {
    const { items } = ticking.named(nameOf(index));
    for (let item = 0; item < itemsPerMinute * minutes; item += 1) {
      items.write(
        `item-${item}`,
        // Tables of the same rate take turns.
        START + 60 + Math.floor(((item + index / monthTables.length) * 60) / itemsPerMinute),
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

  const parts = Object.fromEntries(
    COUNTERS.map(counter => [
      counter,
      amountOf(counter, counted) * (TICKS_A_MONTH / TICKS) * PRICES[counter],
    ]),
  ) as MonthlyCost['parts'];
  const starts = TICKS_A_MONTH * PRICES.schedulerInvocations;
  return {
    ...{ parts, starts },
    total: Object.values(parts).reduce((sum, dollars) => sum + dollars, starts),
    executionsPerTick: counted.length / TICKS,
    standardTransitions: Math.round(parts.stateTransitions / PRICES.stateTransitions),
    deletedShare: expired === 0 ? 1 : deleted / expired,
  };
}

const amountOf = (counter: (typeof COUNTERS)[number], executions: readonly Execution[]): number =>
  executions.reduce((sum, { billing: { usage, ...counted } }) => {
    const amounts: Readonly<Record<string, number>> = { ...usage, ...counted };
    return sum + (amounts[counter] ?? 0);
  }, 0);

function simulate({ tables }: Deployment): Simulation {
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
  });
}

/** Without a watermark the first ticks would look two days back. */
async function beginAtStart({ journal }: Simulation, { tables }: Deployment): Promise<void> {
  const at = new Date((START - 60) * 1000).toISOString();
  const mark = { since: START - 61, gone: START - 61, at };
  const marks = tables.map(({ tableName, shards }) => [tableName, { ...mark, shards }] as const);
  await journal.writeWatermarks(at, Object.fromEntries(marks));
}
