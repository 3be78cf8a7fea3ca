import { deployedAlarms } from '../config/alarms.ts';
import { InvalidConfigError } from '../config/config.ts';
import { deploymentsOf } from '../config/deployments.ts';
import { pipesOf } from '../config/pipe-props.ts';
import { propProblems } from '../config/prop-problems.ts';
import { type PreciseTtlProps, type ResolvedProps, resolveProps } from '../config/props.ts';
import { type Bill, type BilledDeployment, type BilledTable, monthlyBill } from '../cost/bill.ts';
import { adviseShards, type ShardAdvice } from '../expiry/partition-rule.ts';
import { SWEEP_METRICS } from '../functions/record-metrics/metrics.ts';

/** A month of 30 days, as in the bill. */
const SECONDS_PER_MONTH = 30 * 86_400;

/** Native TTL deletes for free. https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html */
const NATIVE_DOLLARS = 0;

/** The assumptions of a bill. */
export interface BillFacts {
  readonly tables: number;
  /** Number of deployments that sweep the tables. */
  readonly deployments: number;
  readonly itemsPerMonth: number;
  readonly itemBytes: number;
  readonly renewalsPerItem: number;
  readonly lifetimeHours: number;
  /** Different settings on which the bill depends, with the tables of each. */
  readonly settings: readonly TableSettings[];
  /** The table to which the following facts apply: the one whose shards fit its writes least. */
  readonly shardTable: string;
  readonly shards: number;
  /** Write units per second that the index accepts without growing first. */
  /** Puts and deletes of index entries per second in one table, if they are spread evenly. */
  readonly indexWritesPerSecond: number;
  /** Whether the shards are sufficient for these writes. */
  readonly shardAdvice: ShardAdvice;
  /** Dollars a month for native TTL on the same items. */
  readonly nativeDollars: number;
}

export interface TableSettings {
  /** Names of the tables. */
  readonly tables: readonly string[];
  readonly words: string;
}

export interface CostQuestion extends Omit<ItemLoad, 'itemsPerMonth'> {
  /** Items of all tables together; each table gets the same number. */
  readonly itemsPerMonth: number;
  /** Number of copies of each table. */
  readonly copies: number;
  readonly tables: readonly PreciseTtlProps[];
}

/** The monthly cost of the deployments of these tables. @throws InvalidConfigError with all problems of the props */
export function monthlyCost({ copies, tables, ...load }: CostQuestion): { bill: Bill; facts: BillFacts } {
  const problems = tables.flatMap(propProblems);
  if (problems.length > 0) throw new InvalidConfigError(problems);
  const resolved = tables.flatMap(table => copiesOf(table, copies)).map(resolveProps);
  const deployments = billedDeployments(
    // The bill assumes that the schedules are on, because it is for a table that is swept.
    resolved.map(props => ({ ...props, enabled: true })),
    { ...load, itemsPerMonth: load.itemsPerMonth / resolved.length },
  );
  const facts = {
    tables: resolved.length,
    deployments: deployments.length,
    ...load,
    settings: settingsOf(resolved),
    ...worstOf(resolved.map(props => shardFacts(props, load, resolved.length))),
    nativeDollars: NATIVE_DOLLARS,
  };
  return { bill: monthlyBill(deployments), facts };
}

type ShardFacts = Pick<BillFacts, 'shardTable' | 'shards' | 'indexWritesPerSecond' | 'shardAdvice'>;

/** Whether the shards of a table are sufficient for its writes, if the load is spread over all tables. */
function shardFacts(
  props: ResolvedProps,
  { itemsPerMonth, renewalsPerItem }: ItemLoad,
  tables: number,
): ShardFacts {
  // A renewal deletes one index entry and puts another.
  const perSecond = (itemsPerMonth / tables / SECONDS_PER_MONTH) * (1 + renewalsPerItem);
  const shardAdvice = adviseShards({
    ...props,
    putsPerSecond: perSecond,
    deletesPerSecond: perSecond,
  });
  return {
    shardTable: props.tableName,
    shards: props.shards,
    indexWritesPerSecond: 2 * perSecond,
    shardAdvice,
  };
}

/** Verdicts, from good to bad. */
const VERDICTS = ['holds', 'late', 'impossible'] as const;

/** The facts about the table whose shards fit its writes least. */
function worstOf(facts: readonly ShardFacts[]): ShardFacts {
  const [first, ...others] = facts;
  if (first === undefined) throw new TypeError('cost: expected a table');
  return others.reduce(
    (worst, each) =>
      VERDICTS.indexOf(each.shardAdvice.verdict) > VERDICTS.indexOf(worst.shardAdvice.verdict) ? each : worst,
    first,
  );
}

function copiesOf(table: PreciseTtlProps, copies: number): PreciseTtlProps[] {
  if (copies === 1) return [table];
  return Array.from({ length: copies }, (_unused, copy) => ({
    ...table,
    tableName: `${table.tableName}-${copy + 1}`,
  }));
}

/** Groups tables with the same settings, in the order of their first table. */
function settingsOf(tables: readonly ResolvedProps[]): TableSettings[] {
  const groups = Map.groupBy(tables, settingsInWords);
  return [...groups].map(([words, group]) => ({ tables: group.map(({ tableName }) => tableName), words }));
}

/** The settings of a table that the bill depends on, in words. */
function settingsInWords(props: ResolvedProps): string {
  const { indexedBy, granularityMinutes, precision, pollSeconds, shards } = props;
  const [deployment] = billedDeployments([props], {
    ...{ itemsPerMonth: 0, itemBytes: 1, renewalsPerItem: 0, lifetimeHours: 1 },
  });
  const alarms = deployment?.alarmMetrics ?? 0;
  return [
    `indexed by ${indexedBy}`,
    ...(indexedBy === 'window' ? [`windows of ${windowLength(granularityMinutes)}`] : []),
    ...(shards > 1 ? [`${shards} shards`] : []),
    `precision ${precision}`,
    ...(pollSeconds > 0 ? [`pollSeconds ${pollSeconds}`] : []),
    alarms === 0 ? 'no alarms' : `alarms on ${alarms} metrics`,
    props.dashboard ? 'a dashboard' : 'no dashboard',
    ...(props.archive ? ['an archive'] : []),
    ...(props.events ? ['events, counted without what gets them'] : []),
  ].join(', ');
}

function windowLength(minutes: number): string {
  if (minutes === 1440) return 'a day';
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
}

/** The load of one table, as far as it is known. */
export type ItemLoad = Pick<BilledTable, 'itemsPerMonth' | 'itemBytes' | 'renewalsPerItem' | 'lifetimeHours'>;

/** The deployments of these tables, for the bill. */
export function billedDeployments(tables: readonly ResolvedProps[], load: ItemLoad): BilledDeployment[] {
  return deploymentsOf(tables).map(deployment => {
    const { dashboard } = deployment;
    const recorded = SWEEP_METRICS.filter(({ onlyAboveZero }) => !onlyAboveZero);
    return {
      tables: deployment.tables.map(props => billedTable(props, load)),
      customMetrics: {
        deleting: recorded.length,
        // Only tables with deletions have a lag, so an idle table writes no such metric.
        watching: recorded.filter(({ name }) => name !== 'DeletionLag').length,
      },
      alarmMetrics: deployedAlarms(deployment).reduce((sum, { others }) => sum + 1 + others.length, 0),
      hasDashboard: dashboard,
    };
  });
}

function billedTable(props: ResolvedProps, load: ItemLoad): BilledTable {
  return {
    ...props,
    ...load,
    isRecoverable: !props.existingTable,
    pipes: pipesOf(props).map(({ kind }) => (kind === 'archive' ? 'archive' : 'events')),
  };
}
