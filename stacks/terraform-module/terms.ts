// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import type { IndexedBy } from '../../expiry/model.ts';
import { concurrentChildren } from '../../statemachine/concurrent-children.ts';
import { MAX_LOOKBACK_MINUTES, MAX_PAIRS } from '../../statemachine/contract.ts';
import { PLAIN_MODE_SECONDS, PROP_NAMES, PROPS, RECONCILE_WINDOWS, type ResolvedProps } from '../props.ts';
import { EDGE_WINDOWS, FIRST_MINUTE } from '../reconcile-parts.ts';
import { ALARM_LOCALS, ALARM_TERMS } from './monitoring.ts';

export type PropName = keyof typeof PROPS;

/** `granularityMinutes` is the variable `granularity_minutes`. */
export function variableName(prop: string): string {
  return prop.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
}

const NAMES = Object.fromEntries(PROP_NAMES.map(prop => [prop, `var.${variableName(prop)}`])) as Readonly<
  Record<PropName, string>
>;

/** Whether the table's index is by window. */
export const IS_BY_WINDOW = `${NAMES.indexedBy} == "window"`;

/** Of a prop without other defaults than those of the two ways to be indexed. */
function byWay(prop: 'indexName' | 'lookbackMinutes' | 'reconcileHours', byWindow?: string): string {
  const byDefault = (indexedBy: IndexedBy) =>
    JSON.stringify(PROPS[prop].byDefault({ tableName: '', indexedBy }));
  return `coalesce(${NAMES[prop]}, ${IS_BY_WINDOW} ? ${byWindow ?? byDefault('window')} : ${byDefault('second')})`;
}

/** By second a sweep is planned in minutes. */
const WINDOW_MINUTES = 'local.window_minutes';

/** The defaults that are made of other variables, as expressions; `stacks/props.ts` has them for props. */
export const DEFAULTED = {
  name: `coalesce(${NAMES.name}, "precise-ttl-\${replace(${NAMES.tableName}, ".", "-")}")`,
  indexName: byWay('indexName'),
  pollSeconds: `coalesce(${NAMES.pollSeconds}, ${IS_BY_WINDOW} || ${NAMES.precisionSeconds} == ${PLAIN_MODE_SECONDS} ? 0 : ${NAMES.precisionSeconds})`,
  lookbackMinutes: byWay('lookbackMinutes'),
  reconcileHours: byWay(
    'reconcileHours',
    `min(${MAX_LOOKBACK_MINUTES}, ${RECONCILE_WINDOWS} * ${NAMES.granularityMinutes}) / 60`,
  ),
  windowMinutes: `${IS_BY_WINDOW} ? ${NAMES.granularityMinutes} : 1`,
  sortKeyType: `coalesce(${NAMES.sortKeyType}, "${PROPS.sortKeyType.byDefault({ tableName: '' })}")`,
} as const;

/** How the module calls the value of a prop, its default filled in. */
export const TERMS: Readonly<Record<PropName, string>> = {
  ...NAMES,
  name: 'local.name',
  indexName: 'local.index_name',
  pollSeconds: 'local.poll_seconds',
  lookbackMinutes: 'local.lookback_minutes',
  reconcileHours: 'local.reconcile_hours',
  sortKey: 'local.sort_key',
  sortKeyType: 'local.sort_key_type',
  holdAttribute: 'local.hold_attribute',
};

/** Whether the table has a sort key. */
export const HAS_SORT_KEY = `${NAMES.sortKey} != null`;

/** Whether items can be held. */
export const HAS_HOLD = `${NAMES.holdAttribute} != null`;

/** What `refusesNativeTtl` says. */
export const REFUSES_NATIVE_TTL = 'local.refuses_native_ttl';

/** Numbers that are made of several props, and how the module calls them. */
export const DERIVED: Readonly<Record<string, (props: ResolvedProps) => number>> = {
  'local.concurrent_children': concurrentChildren,
  ...ALARM_TERMS,
};

/** What `reconcileParts` and `concurrentChildren` work out, in Terraform. test/deploy holds one against the other. */
export const LOCALS: Readonly<Record<string, string>> = {
  name: DEFAULTED.name,
  index_name: DEFAULTED.indexName,
  poll_seconds: DEFAULTED.pollSeconds,
  lookback_minutes: DEFAULTED.lookbackMinutes,
  reconcile_hours: DEFAULTED.reconcileHours,
  window_minutes: DEFAULTED.windowMinutes,
  sort_key: `${HAS_SORT_KEY} ? ${NAMES.sortKey} : ""`,
  sort_key_type: DEFAULTED.sortKeyType,
  hold_attribute: `${HAS_HOLD} ? ${NAMES.holdAttribute} : ""`,
  refuses_native_ttl: `${HAS_HOLD} || ${NAMES.graceSeconds} > 0`,
  concurrent_children: `${NAMES.shardConcurrency} == 0 || ${NAMES.precisionSeconds} == ${PLAIN_MODE_SECONDS} ? ${NAMES.shardConcurrency} : ${NAMES.shardConcurrency} + ${NAMES.shards}`,
  reconcile_minutes: `local.reconcile_hours * 60`,
  reconcile_windows: `ceil(local.reconcile_minutes / ${WINDOW_MINUTES})`,
  reconcile_windows_of_part: `floor(${MAX_PAIRS} / ${NAMES.shards}) - ${EDGE_WINDOWS}`,
  reconcile_part_minutes: `ceil(local.reconcile_windows / ceil(local.reconcile_windows / local.reconcile_windows_of_part)) * ${WINDOW_MINUTES}`,
  reconcile_part_count: 'ceil(local.reconcile_minutes / local.reconcile_part_minutes)',
  reconcile_parts: `{
    for part in range(local.reconcile_part_count) : part == 0 ? "reconcile" : "reconcile-\${part + 1}" => {
      minute           = (${FIRST_MINUTE} + floor(part * 60 / local.reconcile_part_count)) % 60
      lookback_minutes = min((part + 1) * local.reconcile_part_minutes, local.reconcile_minutes) + floor(part * 60 / local.reconcile_part_count)
      skip_minutes     = part == 0 ? 0 : part * local.reconcile_part_minutes + floor(part * 60 / local.reconcile_part_count)
    }
  }`,
  ...ALARM_LOCALS,
};
