import { type Bill, monthlyBill } from '../../cost/bill.ts';
import { adviseShards, NEW_TABLE_UNITS } from '../../expiry/partition-rule.ts';
import { InvalidConfigError } from '../../stacks/config.ts';
import { type PreciseTtlProps, propProblems, resolveProps } from '../../stacks/props.ts';
import { billedTable, type ItemLoad } from './billed-table.ts';
import type { BillFacts } from './text.ts';

/** As the bill counts a month: 30 days. */
const SECONDS_PER_MONTH = 30 * 86_400;

/** What native TTL takes: its deletes are free. https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html */
const NATIVE_DOLLARS = 0;

export interface CostQuestion extends Omit<ItemLoad, 'itemsPerMonth'> {
  /** Of all tables together. */
  readonly itemsPerMonth: number;
  readonly tables: number;
  readonly props: PreciseTtlProps;
}

/**
 * What so many tables with these props cost a month.
 * @throws InvalidConfigError with everything that is wrong with the props
 */
export function answer({ tables, props, ...load }: CostQuestion): { bill: Bill; facts: BillFacts } {
  const problems = propProblems(props);
  if (problems.length > 0) throw new InvalidConfigError(problems);
  const resolved = resolveProps(props);
  const { indexedBy, precisionSeconds, pollSeconds, shards, metrics, dashboard, tracing } = resolved;
  // What a table costs that runs is what is asked, whether its schedules are on or not.
  const table = billedTable(
    { ...resolved, enabled: true },
    { ...load, itemsPerMonth: load.itemsPerMonth / tables },
  );
  const settings = [
    `indexed by ${indexedBy}`,
    ...(shards > 1 ? [`${shards} shards`] : []),
    `precisionSeconds ${precisionSeconds}`,
    `pollSeconds ${pollSeconds}`,
    `lookbackMinutes ${resolved.lookbackMinutes}`,
    `reconcileHours ${resolved.reconcileHours}`,
    `metrics ${metrics}`,
    table.alarms === 1 ? '1 alarm' : `${table.alarms} alarms`,
    dashboard ? 'a dashboard' : 'no dashboard',
    ...(tracing ? ['traced'] : []),
    ...(resolved.archive ? ['an archive'] : []),
    ...(resolved.archiveFirst ? ['counted without archiveFirst'] : []),
    ...(resolved.events ? ['counted without events'] : []),
    // What is reserved costs the same whether it is used or not.
    ...(resolved.provisionedCapacity ? ['counted as if it were on demand, and not provisioned'] : []),
    ...(resolved.tableClass === 'STANDARD' ? [] : ['counted as if its class were STANDARD']),
    ...(resolved.enabled ? [] : ['counted as if it were enabled']),
  ];
  // A renewal deletes one entry and puts another.
  const perSecond = (load.itemsPerMonth / tables / SECONDS_PER_MONTH) * (1 + load.renewalsPerItem);
  const { write: warmUnits } = resolved.warmThroughput ?? { write: NEW_TABLE_UNITS };
  const shardAdvice = adviseShards({
    ...resolved,
    putsPerSecond: perSecond,
    deletesPerSecond: perSecond,
    warmUnits,
  });
  const indexWritesPerSecond = 2 * perSecond;
  const facts = {
    ...{ tables, ...load, settings, shards, warmUnits, indexWritesPerSecond, shardAdvice },
    nativeDollars: NATIVE_DOLLARS,
  };
  return { bill: monthlyBill(table, tables), facts };
}
