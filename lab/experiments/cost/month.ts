import type { Execution } from 'stepfunctions-emulator';
import { type Deployment, deploymentOf } from '../../../config/deployments.ts';
import { modelOf } from '../../../config/model-of.ts';
import { type FlatProps, resolveProps } from '../../../config/props.ts';
import { CALL_MS, JOURNAL_MS, READ_MS, TICK_LATE_SECONDS } from '../../../cost/assumptions.ts';
import { BILL_PRICES, type Cost, costOf, PRICES } from '../../../cost/prices.ts';
import { DAYS_A_MONTH, TICKS_A_MONTH } from '../../../cost/sweep-usage.ts';
import { DEFAULT_SHARDS } from '../../../expiry/model.ts';
import { Simulation } from '../../../test/support/simulation/simulation.ts';

/** The first ticks find no items yet and the last ones find none any more: only the ticks between them are counted. */
const FIRST_TICK = 3;
const TICKS = 10;
const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
const MINUTES_A_DAY = 1_440;

/** Largest index on which a scan is run: larger indexes cost the same per page. */
const MAX_SCANNED = 1_000_000;

/** The props that decide the cost, besides the rate; the rest are defaults. */
export type CostProps = Pick<
  FlatProps,
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
  /** Cost of the ticks' executions, and of all executions that they start. */
  readonly ticks: Cost;
  /** Cost of the daily index scans, for items that live for a day. */
  readonly scans: Cost;
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
 * The cost of a month of a deployment's sweep, from the counters of the emulator: a steady stream of expiring items in each of its tables,
 * and the scans of indexes from which the ticks have deleted everything. Tick by tick the work is the same, so ten minutes stand for the
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

  const ticks = times(sumOf(counted), TICKS_A_MONTH / TICKS);
  let scans = times(ticks, 0);
  for (const { itemsPerMinute } of monthTables) {
    const cost = await costOfScans(itemsPerMinute * MINUTES_A_DAY);
    scans = combined(scans, part => cost.parts[part], 1);
  }
  const starts = TICKS_A_MONTH * BILL_PRICES.schedulerInvocations;
  const { stateTransitions } = combined(ticks, part => scans.parts[part], 1).parts;
  return {
    ...{ ticks, scans, starts },
    total: ticks.total + scans.total + starts,
    executionsPerTick: counted.length / TICKS,
    standardTransitions: Math.round(stateTransitions / PRICES.stateTransitions),
    deletedShare: expired === 0 ? 1 : deleted / expired,
  };
}

const scanned = new Map<number, Promise<Cost>>();

/**
 * Calculates the cost of a month of daily scans of an index with this number of entries, none of them overdue. Above a certain size the
 * cost per page is constant.
 */
export async function costOfScans(entries: number): Promise<Cost> {
  if (entries > MAX_SCANNED) {
    const [empty, large] = [await costOfScans(0), await costOfScans(MAX_SCANNED)];
    const more = combined(large, part => -empty.parts[part], entries / MAX_SCANNED);
    return combined(empty, part => more.parts[part], 1);
  }
  const known = scanned.get(entries) ?? measureScans(entries);
  scanned.set(entries, known);
  return known;
}

/** Measures one scan: the cost of a tick that starts one, less that of a tick that starts none. */
async function measureScans(entries: number): Promise<Cost> {
  const tableName = 'SessionData';
  const deployment = deploymentOf([resolveProps({ tableName, partitionKey: 'id' })]);
  const day = async (isDue: boolean) => {
    const simulation = simulate(deployment);
    if (isDue) simulation.journal.scansAt[tableName] = START;
    const { items } = simulation.named(tableName);
    // Few different TTLs, because the table in memory is not what is measured.
    for (let item = 0; item < entries; item += 1)
      items.write(`item-${item}`, START + 7 * 86_400 + (item % 60));
    simulation.tick(START, TICK_LATE_SECONDS);
    await simulation.finish();
    return times(sumOf(simulation.executions), DAYS_A_MONTH);
  };
  const [scan, idle] = [await day(true), await day(false)];
  return combined(scan, part => -idle.parts[part], 1);
}

function simulate({ tables }: Deployment): Simulation {
  const simulation = new Simulation({
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
  // A scan that starts in a counted minute would be counted as one in each minute.
  for (const { tableName } of tables) simulation.journal.scansAt[tableName] = START + DAYS_A_MONTH * 86_400;
  return simulation;
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
