import { InvalidConfigError } from '../../config/config.ts';
import { propProblems } from '../../config/prop-problems.ts';
import { type PreciseTtlProps, type ResolvedProps, resolveProps } from '../../config/props.ts';
import { type Bill, monthlyBill } from '../../cost/bill.ts';
import { adviseShards, NEW_TABLE_UNITS, type ShardAdvice } from '../../expiry/partition-rule.ts';
import { billedDeployments, type ItemLoad } from './billed-deployments.ts';

/** As the bill counts a month: 30 days. */
const SECONDS_PER_MONTH = 30 * 86_400;

/** The price of native TTL: its deletes are free. https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html */
const NATIVE_DOLLARS = 0;

/** The assumptions of a bill, in words. */
export interface BillFacts {
  readonly tables: number;
  /** That sweep them. */
  readonly deployments: number;
  readonly itemsPerMonth: number;
  readonly itemBytes: number;
  readonly renewalsPerItem: number;
  readonly lifetimeHours: number;
  /** The settings that the bill depends on: as many as there are different ones. */
  readonly settings: readonly TableSettings[];
  /** Which of the tables the following is about: the one that takes least of what it gets. */
  readonly shardTable: string;
  readonly shards: number;
  /** Write units a second that the index takes at once. */
  readonly warmUnits: number;
  /** Puts and deletes of entries in the index of one table, when they come evenly. */
  readonly indexWritesPerSecond: number;
  /** Whether the shards take that. */
  readonly shardAdvice: ShardAdvice;
  /** Dollars a month for what native TTL takes on the same items. */
  readonly nativeDollars: number;
}

export interface TableSettings {
  /** Names. */
  readonly tables: readonly string[];
  readonly words: string;
}

export interface CostQuestion extends Omit<ItemLoad, 'itemsPerMonth'> {
  /** Items of all tables together, spread evenly over them. */
  readonly itemsPerMonth: number;
  /** Each table so many times. */
  readonly copies: number;
  readonly tables: readonly PreciseTtlProps[];
}

/**
 * The monthly cost of the deployments of these tables. @throws InvalidConfigError with all problems of the props
 */
export function monthlyCost({ copies, tables, ...load }: CostQuestion): { bill: Bill; facts: BillFacts } {
  const problems = tables.flatMap(propProblems);
  if (problems.length > 0) throw new InvalidConfigError(problems);
  const resolved = tables.flatMap(table => copiesOf(table, copies)).map(resolveProps);
  const deployments = billedDeployments(
    // The question is what a running table costs, whether its schedules are on or not.
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

type ShardFacts = Pick<
  BillFacts,
  'shardTable' | 'shards' | 'warmUnits' | 'indexWritesPerSecond' | 'shardAdvice'
>;

/** Whether the shards of one of so many tables take what is written to its index. */
function shardFacts(
  props: ResolvedProps,
  { itemsPerMonth, renewalsPerItem }: ItemLoad,
  tables: number,
): ShardFacts {
  // A renewal deletes one entry and puts another.
  const perSecond = (itemsPerMonth / tables / SECONDS_PER_MONTH) * (1 + renewalsPerItem);
  const { write: warmUnits } = props.warmThroughput ?? { write: NEW_TABLE_UNITS };
  const shardAdvice = adviseShards({
    ...props,
    putsPerSecond: perSecond,
    deletesPerSecond: perSecond,
    warmUnits,
  });
  return {
    shardTable: props.tableName,
    shards: props.shards,
    warmUnits,
    indexWritesPerSecond: 2 * perSecond,
    shardAdvice,
  };
}

/** From what is fine to what cannot be. */
const VERDICTS = ['holds', 'late', 'impossible'] as const;

/** The table that can take least says what is wrong. */
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

/** Tables with the same settings together, in the order of the first of them. */
function settingsOf(tables: readonly ResolvedProps[]): TableSettings[] {
  const groups = Map.groupBy(tables, settingsInWords);
  return [...groups].map(([words, group]) => ({ tables: group.map(({ tableName }) => tableName), words }));
}

/** The settings of a table on which the bill depends. */
function settingsInWords(props: ResolvedProps): string {
  const { indexedBy, granularityMinutes, precisionSeconds, pollSeconds, shards, metrics } = props;
  const [deployment] = billedDeployments([{ ...props, enabled: true }], {
    ...{ itemsPerMonth: 0, itemBytes: 1, renewalsPerItem: 0, lifetimeHours: 1 },
  });
  const alarms = deployment?.alarmMetrics ?? 0;
  return [
    `indexed by ${indexedBy}`,
    ...(indexedBy === 'window' ? [`windows of ${windowLength(granularityMinutes)}`] : []),
    ...(shards > 1 ? [`${shards} shards`] : []),
    `precisionSeconds ${precisionSeconds}`,
    `pollSeconds ${pollSeconds}`,
    `a lookback of ${props.lookbackMinutes} minutes`,
    ...(props.indexScan === 'daily' ? [] : ['no daily scan']),
    `metrics ${metrics}${props.metricsPerTable ? ', also per table' : ''}`,
    alarms === 0 ? 'no alarms' : `alarms on ${alarms} metrics`,
    props.dashboard ? 'a dashboard' : 'no dashboard',
    ...(props.tracing ? ['traced'] : []),
    ...(props.archive ? ['an archive'] : []),
    ...(props.archiveFirst ? ['counted without archive.first'] : []),
    ...(props.events ? ['counted without events'] : []),
    // Reserved capacity costs the same whether it is used or not.
    ...(props.provisionedCapacity ? ['counted as if it were on demand, and not provisioned'] : []),
    ...(props.tableClass === 'STANDARD' ? [] : ['counted as if its class were STANDARD']),
    ...(props.enabled ? [] : ['counted as if it were enabled']),
  ].join(', ');
}

function windowLength(minutes: number): string {
  if (minutes === 1440) return 'a day';
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
}
