import { createHash } from 'node:crypto';
import {
  boolean,
  isObject,
  type Kind,
  type Kinds,
  kind,
  objectProblems,
  oneOf,
  text,
  type ValueOf,
} from '../../expiry/fields.ts';
import {
  DEFAULT_GRANULARITY_MINUTES,
  DEFAULT_INDEXED_BY,
  DEFAULT_SHARDS,
  DEFAULT_TTL_ATTRIBUTE,
  DEFAULT_WINDOW_ATTRIBUTE,
  type IndexedBy,
} from '../../expiry/model.ts';
import { SETTING_KINDS, type Settings } from '../../functions/runtime/environment.ts';
import { ARCHIVE, EVENTS, pipesOf } from './pipe-props.ts';
import { orReference } from './terraform-text.ts';

const KEY_TYPES = ['S', 'N', 'B'] as const;
export type KeyType = (typeof KEY_TYPES)[number];

/**
 * Maximum characters in a deployment's name, and in the prefix of the names of a table's resources. The names of functions and roles, such
 * as `<name>-record-metrics`, are longer, and AWS limits them to 64 characters.
 */
const MAX_NAME_LENGTH = 45;

export const DEFAULT_DEPLOYMENT = 'precise-ttl';

const NAME = text(
  new RegExp(`^[A-Za-z0-9_-]{1,${MAX_NAME_LENGTH}}$`),
  `a name of 1 to ${MAX_NAME_LENGTH} letters, digits, \`_\` and \`-\``,
);

export const CORRECT = 'Correct the value, or leave the field out for its default.';

const KMS_KEY_ARN = orReference(
  text(
    /^arn:[a-z0-9-]+:kms:[a-z0-9-]+:\d{12}:key\/[A-Za-z0-9-]+$/,
    "the ARN of a key and not of an alias, e.g. 'arn:aws:kms:eu-central-1:123456789012:key/1234abcd-…'",
  ),
);

/** Source: SNS API reference, CreateTopic. */
const TOPIC_ARN = orReference(text(/^arn:[a-z0-9-]+:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}$/));

const ALARMS_KIND = kind<boolean | string>(
  value => typeof value === 'boolean' || TOPIC_ARN.is(value),
  "true, false, or the ARN of an SNS topic, e.g. 'arn:aws:sns:eu-central-1:123456789012:on-call'",
);

/**
 * An attribute's name. The state machines' definitions contain it: Step Functions would evaluate or refuse `{%` at its beginning or `%}` at
 * its end (source: Step Functions Developer Guide, "Transforming data with JSONata"), and CDKTF could not resolve a token in it.
 */
const ATTRIBUTE = kind<string>(
  value => SETTING_KINDS.ttlAttribute.is(value) && !/^\{%|%\}$|\[TOKEN\.\d+\]/.test(value),
  `${SETTING_KINDS.ttlAttribute.expected}, no {% at its beginning, no %} at its end, and no token`,
);

type Default<Value> = Value | ((props: { readonly indexedBy?: IndexedBy }) => Value);

function required<Value>(kind: Kind<Value>) {
  return { kind, isRequired: true } as const;
}

function optional<Value>(kind: Kind<Value>, byDefault: Default<NoInfer<Value>>) {
  const value: (props: { readonly indexedBy?: IndexedBy }) => Value =
    byDefault instanceof Function ? byDefault : () => byDefault;
  return { kind, isRequired: false, byDefault: value } as const;
}

function orNone<Value>(kind: Kind<Value>) {
  return { kind, isRequired: false } as const;
}

/**
 * The props of a DynamoDB table, with their checks and defaults. `npm run docs` copies the comments and defaults to
 * docs/reference/configuration.md. A prop that the Lambda functions know is in SETTING_KINDS too.
 */
export const PROPS = {
  /** name of the DynamoDB table */
  tableName: required(SETTING_KINDS.tableName),
  /**
   * the table exists already, and is only swept: [Adopt a table](../adopt.md)
   * @default `false`: the deployment [creates it](../operate.md#what-a-created-table-has)
   */
  existingTable: optional(boolean(), false),
  /**
   * ARN of a customer managed key that encrypts the table, its index, its stream and its backups: [Keys](../operate.md#keys). For an
   * existing table, give the key that encrypts it now
   * @default a created table has the key that DynamoDB owns
   */
  tableKmsKeyArn: orNone(KMS_KEY_ARN),
  /** name of the partition key */
  partitionKey: required(ATTRIBUTE),
  /** `'S'`, `'N'` or `'B'` */
  partitionKeyType: optional(oneOf(KEY_TYPES), 'S'),
  /**
   * name of the sort key
   * @default the table has none
   */
  sortKey: orNone(ATTRIBUTE),
  /** `'S'`, `'N'` or `'B'` */
  sortKeyType: optional(oneOf(KEY_TYPES), 'S'),
  /** attribute with the moment of expiry: Number, epoch **seconds** */
  ttlAttribute: optional(ATTRIBUTE, DEFAULT_TTL_ATTRIBUTE),
  /**
   * partition key of the index: `'window'`, which a writer stamps on each item, or `'second'`, the TTL attribute itself.
   * [Which to take](../use.md#which-index-do-i-take)
   */
  indexedBy: optional(SETTING_KINDS.indexedBy, DEFAULT_INDEXED_BY),
  /** by window: attribute with the window, the partition key of the index */
  windowAttribute: optional(ATTRIBUTE, DEFAULT_WINDOW_ATTRIBUTE),
  /**
   * name of the index
   * @default `'expirationWindowIndex'`; by second `'expirySecondIndex'`
   */
  indexName: optional(SETTING_KINDS.indexName, ({ indexedBy }) =>
    indexedBy === 'second' ? 'expirySecondIndex' : 'expirationWindowIndex',
  ),
  /**
   * by window: length of a window, a divisor of a day. The sweep does not find items with windows of another length
   * @default `1440`
   */
  granularityMinutes: optional(SETTING_KINDS.granularityMinutes, ({ indexedBy }) =>
    // An index by second has no windows, but the functions require this setting.
    indexedBy === 'second' ? 1 : DEFAULT_GRANULARITY_MINUTES,
  ),
  /**
   * by window: index keys that one window is spread over, 1 to 1,000: [How many shards, and how to change
   * them](#how-many-shards)
   */
  shards: optional(SETTING_KINDS.shards, ({ indexedBy }) => (indexedBy === 'second' ? 1 : DEFAULT_SHARDS)),
  /**
   * `'guarded'` checks each item's TTL again in the delete itself. `'batch'` does not, and is faster: use it only for tables whose keys
   * are never written again once they have a TTL
   */
  deleteMode: optional(SETTING_KINDS.deleteMode, 'guarded'),
  /**
   * `'second'`: an item is deleted in the second in which it expires, if it was written at least two minutes before; else within two
   * minutes. `'minute'`: one sweep a minute, and nothing runs in between
   */
  precision: optional(SETTING_KINDS.precision, 'second'),
  /**
   * seconds between two reads of the index, 1 to 60; `0`: about one read a minute. Set it for locks and one-time codes, which are written
   * less than two minutes before they expire. [What it costs](../use.md#what-does-it-cost)
   */
  pollSeconds: optional(SETTING_KINDS.pollSeconds, 0),
  /**
   * expired items are [kept in S3](../archive-and-events.md): `true`, or `{ bucket }` with one of yours, or `{ lockDays }`, the days for
   * which nobody can delete an object
   */
  archive: optional(ARCHIVE, false),
  /**
   * each expiry becomes [an event](../archive-and-events.md#how-am-i-told-of-each-expiry): `{ to: 'arn:…' }`, the ARN of an event bus,
   * queue, topic, Kinesis or Firehose stream, function or state machine, or a list of two ARNs; with `oldImage: true` an event has the item
   * @default there are none
   */
  events: orNone(EVENTS),
  /**
   * name of the deployment, and prefix of the names of its resources: at most 45 letters, digits, `_` and `-`. A second deployment
   * needs its own configuration and Terraform state
   */
  deployment: optional(NAME, DEFAULT_DEPLOYMENT),
  /**
   * most deletes per second; `0` = no limit: [Slow it down](../operate.md#how-do-i-stop-it-or-slow-it-down)
   */
  maxDeletesPerSecond: optional(SETTING_KINDS.maxDeletesPerSecond, 0),
  /**
   * what logs, causes of failures, reports and commands show of items' keys: `'full'`, `'hash'` or `'none'`: [What is stored
   * where](../operate.md#what-is-stored-where-and-who-can-read-it)
   */
  logKeys: optional(SETTING_KINDS.logKeys, 'hash'),
  /**
   * the [alarms](alarms.md), on a topic of the deployment's own, `<deployment>-alarms`: `false` for none, or the ARN of an SNS topic to which
   * `cloudwatch.amazonaws.com` may publish
   */
  alarms: optional(ALARMS_KIND, true),
  /** whether the deployment has a [dashboard](metrics.md) */
  dashboard: optional(boolean(), false),
  /**
   * ARN of a customer managed key that encrypts the logs, the queues, the created bucket, the topic of the alarms, the functions'
   * environment and the executions: [Keys](../operate.md#keys)
   * @default AWS's own keys
   */
  kmsKeyArn: orNone(KMS_KEY_ARN),
};

type PropList = typeof PROPS;
type PropValue<Name extends keyof PropList> = ValueOf<PropList[Name]['kind']>;
type PropNames<Shape> = {
  [Name in keyof PropList]: PropList[Name] extends Shape ? Name : never;
}[keyof PropList];

export type FlatProps = {
  readonly [Name in keyof Pick<PropList, PropNames<{ isRequired: true }>>]: PropValue<Name>;
} & { readonly [Name in keyof Pick<PropList, PropNames<{ isRequired: false }>>]?: PropValue<Name> };

/**
 * A group is a prop whose fields are settings. If a setting has the same name as its group, the setting's value can replace the group:
 * `partitionKey: 'id'` means `{ name: 'id' }`.
 */
export const GROUPS = {
  /** the partition key: its name, or `{ name, type }` */
  partitionKey: { name: 'partitionKey', type: 'partitionKeyType' },
  /**
   * the sort key: its name, or `{ name, type }`
   * @default the table has none
   */
  sortKey: { name: 'sortKey', type: 'sortKeyType' },
  /**
   * the index by which the sweep finds expired items
   * @default the defaults of its fields
   */
  index: {
    by: 'indexedBy',
    attribute: 'windowAttribute',
    name: 'indexName',
    granularityMinutes: 'granularityMinutes',
    shards: 'shards',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, keyof PropList>>>>;

const ALL_GROUPS: Readonly<Record<string, Readonly<Record<string, PropName>>>> = GROUPS;

type Groups = typeof GROUPS;
type SettingOfGroup = { [Group in keyof Groups]: Groups[Group][keyof Groups[Group]] }[keyof Groups];
type Key = string | { readonly name: string; readonly type?: KeyType };

/** One table and how its expired items are swept. */
export type PreciseTtlProps = Omit<FlatProps, SettingOfGroup> & {
  readonly partitionKey: Key;
  readonly sortKey?: Key;
  readonly index?: { readonly [Field in keyof Groups['index']]?: FlatProps[Groups['index'][Field]] };
};

type PresentName = PropNames<{ isRequired: true }> | PropNames<{ byDefault: unknown }>;

/** The props with every default filled in. Optional ones without a default, such as a sort key, can be missing here too. */
export type ResolvedProps = {
  readonly [Name in keyof Pick<PropList, PresentName>]: PropValue<Name>;
} & { readonly [Name in keyof Omit<PropList, PresentName>]?: PropValue<Name> } & {
  /** Prefix of the names of the resources that serve only this table, such as its pipes. */
  readonly name: string;
};

export type PropName = keyof PropList;

export const PROP_NAMES = Object.keys(PROPS) as PropName[];

export function pathOf(setting: string): string {
  if (setting in GROUPS) return setting;
  for (const [group, fields] of Object.entries(ALL_GROUPS))
    for (const [field, each] of Object.entries(fields)) if (each === setting) return `${group}.${field}`;
  return setting;
}

export const WRITTEN_NAMES: readonly string[] = [
  ...new Set(PROP_NAMES.map(name => pathOf(name).split('.')[0] ?? name)),
];

export const WRITTEN_KINDS: Kinds = Object.fromEntries(
  WRITTEN_NAMES.map(name => [name, name in GROUPS ? groupKind(name) : PROPS[name as PropName].kind]),
);

function groupKind(group: string): Kind<unknown> {
  const settings = Object.entries(ALL_GROUPS[group] ?? {});
  const kinds: Kinds = Object.fromEntries(settings.map(([field, setting]) => [field, PROPS[setting].kind]));
  const short = settings.find(([, setting]) => setting === group)?.[0];
  const alone = short === undefined ? undefined : kinds[short];
  const fields = `{ ${Object.keys(kinds).join(', ')} }`;
  return kind(
    value => isObject(value) || alone?.is(value) === true,
    alone === undefined ? `an object with any of ${fields}` : `${alone.expected}, or ${fields}`,
    {
      inside: value =>
        isObject(value)
          ? objectProblems(kinds, value, { required: [short ?? []].flat(), remedy: CORRECT })
          : [],
    },
  );
}

export function settingsOfProps(props: PreciseTtlProps | FlatProps): FlatProps {
  const settings = Object.entries<unknown>({ ...props }).flatMap(([name, value]): [string, unknown][] => {
    if (!(name in GROUPS) || !isObject(value)) return name === 'index' ? [] : [[name, value]];
    return Object.entries(ALL_GROUPS[name] ?? {}).flatMap(([field, setting]) =>
      value[field] === undefined ? [] : [[setting, value[field]] as [string, unknown]],
    );
  });
  return Object.fromEntries(settings) as FlatProps;
}

export function propsOfSettings(settings: FlatProps): PreciseTtlProps {
  const values = WRITTEN_NAMES.map(name => {
    const fields = Object.entries(ALL_GROUPS[name] ?? {}).filter(([, each]) => settings[each] !== undefined);
    const [only, another] = fields;
    if (only === undefined || (only[1] === name && another === undefined))
      return [name, settings[name as PropName]];
    return [name, Object.fromEntries(fields.map(([field, setting]) => [field, settings[setting]]))];
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** Props that must be the same in all tables of a deployment. Users can write them once, beside `tables`, not in each table. */
export const DEPLOYMENT_PROPS = [
  'deployment',
  'alarms',
  'dashboard',
  'kmsKeyArn',
] as const satisfies readonly (keyof PropList)[];

export type DeploymentProps = Pick<FlatProps, (typeof DEPLOYMENT_PROPS)[number]>;

export function withShared<Table extends DeploymentProps>(table: Table, shared: DeploymentProps): Table {
  const missing = DEPLOYMENT_PROPS.filter(prop => table[prop] === undefined && shared[prop] !== undefined);
  return { ...table, ...Object.fromEntries(missing.map(prop => [prop, shared[prop]])) };
}

export function readsStream(props: Pick<ResolvedProps, 'archive' | 'events'>): boolean {
  return pipesOf(props).length > 0;
}

export function functionSettings(props: ResolvedProps): Settings {
  // A pipe's function drops deletions dated before their expiry. Another server may date a record, so deletes are a second later.
  return { ...props, ...(readsStream(props) && { marginSeconds: 1 }) };
}

export function resolveProps(props: PreciseTtlProps | FlatProps): ResolvedProps {
  const settings = settingsOfProps(props);
  const values = PROP_NAMES.flatMap(name => {
    const prop = PROPS[name];
    const value = settings[name] ?? ('byDefault' in prop ? prop.byDefault(settings) : undefined);
    return value === undefined ? [] : [[name, value]];
  });
  const { tableName, deployment = DEFAULT_DEPLOYMENT } = settings;
  return {
    ...Object.fromEntries(values),
    name: tablePrefix(deployment, tableName),
  } as unknown as ResolvedProps;
}

/** Prefix of the names of a table's resources. If it is cut or has `-` for other characters, it ends in a hash, so that prefixes differ. */
export function tablePrefix(deployment: string, tableName: string): string {
  const whole = `${deployment}-${tableName}`;
  if (/^[\w-]+$/.test(whole) && whole.length <= MAX_NAME_LENGTH) return whole;
  const ending = `-${createHash('sha256').update(whole).digest('hex').slice(0, 8)}`;
  return `${whole.replaceAll(/[^A-Za-z0-9_-]/g, '-').slice(0, MAX_NAME_LENGTH - ending.length)}${ending}`;
}
