// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import { Token } from 'cdktf';
import { MAX_DESCRIPTION } from '../parts/sweep-function.ts';
import { OF_CREATED_TABLES, PROP_NAMES, type PreciseTtlProps, resolveProps } from '../props.ts';
import { type ReconcilePart, reconcileParts } from '../reconcile-parts.ts';
import { merged } from './merged.ts';
import { dashboardOf, tunedAlarms, withMonitoring, withMonitoringOf } from './monitoring.ts';
import { withNativeTtl } from './native-ttl.ts';
import { withOptional } from './optional.ts';
import { isJsonObject, type Json, type JsonObject, synthesizeSweep } from './synthesize.ts';
import { asExpression, TemplateError } from './template.ts';
import { HAS_HOLD, HAS_SORT_KEY, IS_BY_WINDOW, type PropName, TERMS, variableName } from './terms.ts';
import { withVariables } from './variations.ts';
import { withBoth } from './with-both.ts';

/** Which of the two modules: one sweeps a table that is there, the other creates it. */
export type ModuleName = 'existing-table' | 'new-table';

/** What the alarms' numbers begin with, in {@link BASE} and in {@link NUMBERS}. */
const TUNED = 151;
const OTHERWISE_TUNED = 173;

/**
 * Texts that stand nowhere else, where variables will be, and numbers that differ. The many shards make the reconcile come
 * in parts.
 */
const BASE = {
  tableName: 'ZtableNameZ',
  partitionKey: 'ZpartitionKeyZ',
  sortKey: 'ZsortKeyZ',
  ttlAttribute: 'ZttlAttributeZ',
  windowAttribute: 'ZwindowAttributeZ',
  indexName: 'ZindexNameZ',
  metricsNamespace: 'ZmetricsNamespaceZ',
  holdAttribute: 'ZholdAttributeZ',
  name: 'ZnameZ',
  granularityMinutes: 2,
  shards: 97,
  lookbackMinutes: 31,
  reconcileHours: 131,
  graceSeconds: 7919,
  precisionSeconds: 3,
  pollSeconds: 7,
  shardConcurrency: 211,
  chunkConcurrency: 13,
  maxDeletesPerSecond: 1019,
  deleteAttempts: 19,
  backoffBaseSeconds: 5,
  backoffCapSeconds: 23,
  functionMemoryMb: 1009,
  logRetentionDays: 731,
  alarms: tunedAlarms(TUNED),
} as const satisfies Partial<PreciseTtlProps>;

/** Other numbers, such that no two props have the same before or after. */
const NUMBERS = {
  granularityMinutes: 3,
  shards: 89,
  lookbackMinutes: 37,
  reconcileHours: 127,
  graceSeconds: 7927,
  precisionSeconds: 4,
  pollSeconds: 9,
  shardConcurrency: 223,
  chunkConcurrency: 17,
  maxDeletesPerSecond: 1021,
  deleteAttempts: 29,
  backoffBaseSeconds: 6,
  backoffCapSeconds: 27,
  functionMemoryMb: 1013,
  logRetentionDays: 1096,
  alarms: tunedAlarms(OTHERWISE_TUNED),
} as const satisfies Partial<PreciseTtlProps>;

const { granularityMinutes: _length, shards: _shards, pollSeconds: _poll, ...NUMBERS_BY_SECOND } = NUMBERS;

/** Another value of each prop that is neither a number nor a text that stands for itself. */
const SWITCHES = {
  deletionProtection: false,
  pointInTimeRecovery: false,
  tableClass: 'STANDARD_INFREQUENT_ACCESS',
  partitionKeyType: 'N',
  sortKeyType: 'N',
  deleteMode: 'batch',
  metrics: 'essential',
} as const satisfies Partial<PreciseTtlProps>;

/** The other values of a prop that has more than two. */
const CHOICES = [{ logKeys: 'hash' }, { logKeys: 'none' }] as const satisfies Partial<PreciseTtlProps>[];

/**
 * What is not a variable like the others. `existingTable` decides which module is written; the modules have no backfill yet. The others decide
 * what Terraform leaves alone of the table (`ignore_changes`), which takes no variables.
 */
export const FIXED = [
  'existingTable',
  'backfill',
  'stream',
  'provisionedCapacity',
  'warmThroughput',
  'archive',
  'archiveFirst',
  'events',
  // A variable of another type: no block of a module can be moved by one.
  'releasesHoldsOf',
] as const satisfies readonly PropName[];

/** What only a table by window has; by second each of them is its default. */
const OF_WINDOWS = ['windowAttribute', 'granularityMinutes', 'shards'] as const satisfies readonly PropName[];

/** Of a table by second, where a child asks for each second, or for none. */
const BY_SECOND = { indexedBy: 'second', pollSeconds: 0 } as const satisfies Partial<PreciseTtlProps>;

/** What there is without schedules. */
const PAUSED = { enabled: false } as const satisfies Partial<PreciseTtlProps>;

/** Props that take references of Terraform's, and are left out by a null. */
const REFERENCES = {
  permissionsBoundary: `\${${TERMS.permissionsBoundary}}`,
  rolePath: `\${${TERMS.rolePath}}`,
} as const satisfies Partial<PreciseTtlProps>;

/** What decides whether there is an alarm, a topic or a dashboard: `withMonitoring` puts their variables in. */
export const OF_MONITORING = ['alarmTopicArn', 'dashboard'] as const satisfies readonly PropName[];

/** Props that decide what there is; the others of them take references of Terraform's too. */
const OPTIONAL = {
  vpc: {
    subnetIds: Token.asList(`\${${TERMS.vpc}.${variableName('subnetIds')}}`),
    securityGroupIds: Token.asList(`\${${TERMS.vpc}.${variableName('securityGroupIds')}}`),
  },
  kmsKeyArn: `\${${TERMS.kmsKeyArn}}`,
  tracing: true,
  tableKmsKeyArn: `\${${TERMS.tableKmsKeyArn}}`,
  holdAttribute: BASE.holdAttribute,
} as const satisfies Partial<PreciseTtlProps>;

/** Whether an optional prop is given, where it is not by being no null. */
const GIVEN: { readonly [Prop in keyof typeof OPTIONAL]?: string } = {
  tracing: TERMS.tracing,
  holdAttribute: HAS_HOLD,
};

/** Key of the one table, and of its sweep, in the guard: the addresses in `moved` blocks take no variable. */
const GUARDED = 'table';

/** The attributes in the guard: that which holds items, and those that did. */
const HELD = '${setunion(var.hold_attribute == null ? [] : [var.hold_attribute], var.releases_holds_of)}';

/** Address of the schedule that the first part of the reconcile has; the others are numbered. */
const RECONCILE = 'schedules_reconcile';
const TICK = 'schedules_tick';

/** Types that take tags. A stack has them from its provider, which a module does not have. */
const TAGGED = [
  'aws_cloudwatch_log_group',
  'aws_cloudwatch_metric_alarm',
  'aws_dynamodb_table',
  'aws_iam_role',
  'aws_lambda_function',
  'aws_scheduler_schedule_group',
  'aws_sfn_state_machine',
  'aws_sns_topic',
  'aws_sqs_queue',
];

/** Where a module's files lie in it. */
export const FUNCTIONS_FOLDER = 'functions';
export const GUARD_FOLDER = 'created-tables';

/** What `main.tf.json` of a module holds, and its outputs. */
export function mainJson(name: ModuleName): { readonly main: JsonObject; readonly output: JsonObject } {
  const ofWay = (way: Way) => {
    const { sortKey, ...withoutSortKey } = baseOf(way);
    return merged(
      HAS_SORT_KEY,
      parametrized(name, way, baseOf(way)),
      parametrized(name, way, withoutSortKey),
    );
  };
  const json = merged(IS_BY_WINDOW, ofWay('window'), ofWay('second'), ofBothWays);
  const monitored = withMonitoring(json as JsonObject, essentialDashboard(name));
  const { output, ...main } = finished(withNativeTtlOf(monitored, name), name);
  return { main, output: output as JsonObject };
}

/** The sweep with native TTL, and without: an item has a grace then. */
function withNativeTtlOf(json: JsonObject, name: ModuleName): JsonObject {
  const { holdAttribute: _hold, graceSeconds, ...others } = BASE;
  const props = { ...others, existingTable: name === 'existing-table' };
  const synthesized = (each: PreciseTtlProps) => replaceTexts(synthesizeSweep(each).json);
  return withNativeTtl(json, synthesized({ ...props, graceSeconds }), synthesized(props)) as JsonObject;
}

/** Only alarms whose metric is recorded can be tuned. */
function essential(tuned: number) {
  return { metrics: 'essential', alarms: tunedAlarms(tuned, 'essential') } as const;
}

/** Both ways have the same. */
function essentialDashboard(name: ModuleName): string {
  const bodyOf = (props: PreciseTtlProps) => dashboardOf(synthesizeSweep(props).json);
  const existingTable = name === 'existing-table';
  const base = { ...baseOf('window'), existingTable, ...essential(TUNED) };
  const numbers = { ...base, ...essential(OTHERWISE_TUNED) };
  const variation = { prop: 'numbers', props: numbers, json: bodyOf(numbers) } as const;
  return String(replaceTexts(withVariables(bodyOf(base), resolveProps(base), [variation])));
}

type Way = NonNullable<PreciseTtlProps['indexedBy']>;

function baseOf(way: Way): PreciseTtlProps {
  if (way === 'window') return BASE;
  const { windowAttribute: _window, granularityMinutes: _length, shards: _shards, ...others } = BASE;
  return { ...others, ...BY_SECOND };
}

/**
 * What both ways have in one place by a variable. The way itself is one. What cannot be given another value by second is the
 * variable there, too: its default is all that it can be.
 */
function ofBothWays(byWindow: Json, bySecond: Json): Json | undefined {
  if (byWindow === 'window' && bySecond === 'second') return `\${${TERMS.indexedBy}}`;
  const base = resolveProps(baseOf('second'));
  const isSame = ([...OF_WINDOWS, 'pollSeconds'] as const).some(
    prop => byWindow === `\${${TERMS[prop]}}` && String(bySecond) === String(base[prop]),
  );
  return isSame ? byWindow : undefined;
}

/** A sweep with variables in the place of its values; whether it has a sort key, and its way to be indexed, are none yet. */
function parametrized(name: ModuleName, way: Way, base: PreciseTtlProps): Json {
  const baseProps = { ...base, ...REFERENCES, ...OPTIONAL, existingTable: name === 'existing-table' };
  const shaped = (props: PreciseTtlProps) =>
    withParts(withGuarded(synthesizeSweep(props).json, props), props);
  const full = shaped(baseProps);
  refuseMoreThanSchedules(baseProps);
  const absences = (Object.keys(OPTIONAL) as (keyof typeof OPTIONAL)[]).map(prop => {
    const { [prop]: _left, ...others } = baseProps;
    const given = GIVEN[prop] ?? `${TERMS[prop]} != null`;
    return { prop, given, json: shaped(others) };
  });
  const withoutHold = absences.find(({ prop }) => prop === 'holdAttribute')?.json ?? full;
  const varied = (props: PreciseTtlProps, prop?: PropName | 'numbers') => {
    // Essential metrics leave alarms out.
    if (prop === 'metrics') return withMonitoringOf(full, shaped(props));
    if (prop !== 'deleteMode') return shaped(props);
    // Items are held in guarded mode only.
    const { holdAttribute: _hold, ...others } = props;
    return withBoth(full, withoutHold, shaped(others));
  };
  const synthesized = (props: PreciseTtlProps, prop?: PropName | 'numbers') =>
    withOptional(varied(props, prop), full, absences);
  const switches = (Object.keys(SWITCHES) as (keyof typeof SWITCHES)[]).filter(
    prop =>
      (prop !== 'sortKeyType' || base.sortKey !== undefined) &&
      (name === 'new-table' || !OF_CREATED_TABLES.some(each => each === prop)),
  );
  const changes = [
    {
      prop: 'numbers' as const,
      props: { ...baseProps, ...(way === 'window' ? NUMBERS : NUMBERS_BY_SECOND) },
    },
    ...switches.map(prop => ({
      prop,
      props: { ...baseProps, [prop]: SWITCHES[prop], ...(prop === 'metrics' && essential(TUNED)) },
    })),
    ...CHOICES.map(choice => ({ prop: 'logKeys' as const, props: { ...baseProps, ...choice } })),
  ];
  const known = [BASE, SWITCHES, ...CHOICES, PAUSED, REFERENCES, OPTIONAL]
    .flatMap(Object.keys)
    .concat(FIXED, OF_MONITORING, 'indexedBy', 'tags');
  for (const prop of PROP_NAMES) {
    if (!known.includes(prop)) {
      throw new TemplateError(`${prop} is no variable of the Terraform module yet.`);
    }
  }
  const variations = changes.map(change => ({ ...change, json: synthesized(change.props, change.prop) }));
  return replaceTexts(withVariables(synthesized(baseProps), resolveProps(baseProps), variations));
}

/** The texts of {@link BASE}, wherever they stand. */
function replaceTexts(value: Json): Json {
  return mapTexts(value, text =>
    (Object.entries(BASE) as [PropName, string | number][]).reduce(
      (replaced, [prop, each]) =>
        typeof each === 'string' ? replaced.replaceAll(each, `\${${TERMS[prop]}}`) : replaced,
      text,
    ),
  );
}

/**
 * The blocks that are about the table: of the rest, a module has everything that it ever has, and whoever takes a sweep out takes the
 * module out, and its guard with it.
 */
function ofTable(blocks: Json | undefined, tableName: string): Json {
  const isOfTable = (block: Json) => {
    const from = String((block as JsonObject)['from']);
    return from.startsWith('aws_dynamodb_table.') || from.endsWith(`["${tableName}"]`);
  };
  return ((blocks ?? []) as readonly Json[]).filter(isOfTable);
}

/** The guard's one table by a name that is no variable; a table that changes its name is another one, and refused. */
function withGuarded(json: JsonObject, { tableName }: PreciseTtlProps): JsonObject {
  const rename = (tables: Json) =>
    Object.fromEntries(
      Object.values(tables as JsonObject).map(lasting => [
        GUARDED,
        { ...(lasting as JsonObject), tableName },
      ]),
    );
  const { created_tables } = json['module'] as { readonly created_tables: JsonObject };
  const { created = {}, released = {}, running = {}, stopped = {}, ...guard } = created_tables;
  const [name = ''] = Object.values({ ...(running as JsonObject), ...(stopped as JsonObject) });
  return {
    ...json,
    module: {
      created_tables: {
        ...guard,
        source: `./${GUARD_FOLDER}`,
        created: rename(created),
        released: rename(released),
        running: {},
        stopped: { [GUARDED]: name },
        held: HELD,
      },
    },
    moved: mapTexts(ofTable(json['moved'], tableName), text =>
      text.replace(`["${tableName}"]`, `["${GUARDED}"]`),
    ),
    removed: ofTable(json['removed'], tableName),
  };
}

/**
 * Whether the sweep is enabled decides whether there are schedules and what of them is monitored, and nothing else but what
 * {@link withGuarded} leaves out:
 * {@link withParts} and {@link withMonitoring} have to say no more.
 * @throws TemplateError when it changes something else
 */
function refuseMoreThanSchedules(props: PreciseTtlProps): void {
  const unguarded = ({ module: _guard, moved: _moved, ...json }: JsonObject) => json;
  const enabled = unguarded(synthesizeSweep(props).json);
  const paused = unguarded(synthesizeSweep({ ...props, ...PAUSED }).json);
  const { aws_scheduler_schedule: schedules, ...resource } = enabled['resource'] as JsonObject;
  const { output } = enabled as Readonly<Record<string, JsonObject>>;
  const schedule_arns = { ...(output?.['schedule_arns'] as JsonObject), value: {} };
  const expected = { ...enabled, resource, output: { ...output, schedule_arns } };
  if (
    schedules === undefined ||
    JSON.stringify(withMonitoringOf(enabled, paused)) !== JSON.stringify(expected)
  ) {
    throw new TemplateError('enabled changes more than the schedules and what is monitored of them.');
  }
}

/** The parts of the reconcile are as many as its span takes: one resource for each of `local.reconcile_parts`. */
function withParts(json: JsonObject, props: PreciseTtlProps): JsonObject {
  const resource = json['resource'] as Readonly<Record<string, JsonObject>>;
  const schedules = Object.entries(resource['aws_scheduler_schedule'] ?? {});
  const isPart = ([id]: readonly [string, Json]) => id.startsWith(RECONCILE);
  const parts = reconcileParts(resolveProps(props));
  // The first part skips nothing, which its input need not say; the others say everything. By second there is one.
  const told = parts.length === 1 ? parts : parts.slice(1);
  const [one, ...others] = told.map(part => {
    const index = parts.indexOf(part);
    const id = index === 0 ? RECONCILE : `${RECONCILE}_${index + 1}`;
    const schedule = resource['aws_scheduler_schedule']?.[id];
    if (schedule === undefined) throw new TemplateError(`aws_scheduler_schedule.${id} is not there.`);
    return ofPart(schedule as JsonObject, part, index === 0 ? 'reconcile' : `reconcile-${index + 1}`);
  });
  if (
    one === undefined ||
    schedules.filter(isPart).length !== parts.length ||
    schedules.length !== parts.length + 1
  ) {
    throw new TemplateError('There must be a tick, and a schedule for each part of the reconcile.');
  }
  if (others.some(other => JSON.stringify(other) !== JSON.stringify(one))) {
    throw new TemplateError('The parts of the reconcile differ by more than their times.');
  }
  const { output } = json as Readonly<Record<string, JsonObject>>;
  const tick = `{ for schedule in aws_scheduler_schedule.${TICK} : "tick" => schedule.arn }`;
  const arns = `{ for part, schedule in aws_scheduler_schedule.${RECONCILE} : part => schedule.arn }`;
  return {
    ...json,
    output: {
      ...output,
      schedule_arns: {
        ...(output?.['schedule_arns'] as JsonObject),
        value: `\${merge(${tick}, ${arns})}`,
      },
    },
    resource: {
      ...resource,
      aws_scheduler_schedule: {
        [TICK]: {
          count: `\${${TERMS.enabled} ? 1 : 0}`,
          ...(resource['aws_scheduler_schedule']?.[TICK] as JsonObject),
        },
        [RECONCILE]: {
          for_each: `\${{ for name, part in local.reconcile_parts : name => part if ${TERMS.enabled} }}`,
          ...one,
        },
      },
    },
  };
}

function ofPart(schedule: JsonObject, part: ReconcilePart, key: string): JsonObject {
  const target = schedule['target'] as JsonObject;
  const put = (text: Json | undefined, value: string | number, term: string, before: string) => {
    const found = `${before}${value}`;
    if (!String(text).includes(found)) throw new TemplateError(`${text}: expected ${found} in it.`);
    return String(text).replace(found, `${before}\${${term}}`);
  };
  const lookback = put(
    target['input'],
    part.lookbackMinutes,
    'each.value.lookback_minutes',
    '"lookbackMinutes":',
  );
  return {
    ...schedule,
    name: put(schedule['name'], key, 'each.key', `${BASE.name}-`),
    schedule_expression: put(schedule['schedule_expression'], part.minute, 'each.value.minute', 'cron('),
    target: {
      ...target,
      input: put(
        part.skipMinutes > 0 ? lookback : lookback.replace(/\}$/, ',"skipMinutes":0}'),
        part.skipMinutes,
        'each.value.skip_minutes',
        '"skipMinutes":',
      ),
    },
  };
}

/** What a module has and a stack has not: its own files and tags. */
function finished(json: JsonObject, name: ModuleName): JsonObject {
  const resource = json['resource'] as Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
  const types = Object.entries(resource).map(([type, resources]) => {
    const each = Object.entries(resources).map(([id, attributes]) => [
      id,
      {
        ...attributes,
        ...(type === 'aws_lambda_function' && ofFunction(attributes)),
        ...(type === 'aws_iam_role_policy' && ofPolicy(attributes)),
        ...(TAGGED.includes(type) && { tags: '${var.tags}' }),
      },
    ]);
    return [type, Object.fromEntries(each)];
  });
  const module = { ...json, resource: Object.fromEntries(types) };
  return (name === 'existing-table' ? mapTexts(module, inWordsOfTheModule) : module) as JsonObject;
}

/** The names of attributes that a policy has, which can have quotes in them: a list of as many expressions. */
const ATTRIBUTES = /(?<="dynamodb:Attributes":)\["\$\{(.*?)\}"\]/g;

function ofPolicy({ policy }: JsonObject): JsonObject {
  const encoded = (_list: string, terms: string) => `\${jsonencode([${terms.split('}","${').join(', ')}])}`;
  return { policy: String(policy).replaceAll(ATTRIBUTES, encoded) };
}

function ofFunction({ filename, description }: JsonObject): JsonObject {
  const archive = String(filename).split('/').at(-1);
  return {
    filename: `\${path.module}/${FUNCTIONS_FOLDER}/${archive}`,
    description: `\${substr(${asExpression(String(description))}, 0, ${MAX_DESCRIPTION})}`,
  };
}

/** Messages name props and documents of this project. */
function inWordsOfTheModule(text: string): string {
  return PROP_NAMES.reduce(
    (words, prop) =>
      words.replaceAll(new RegExp(`\\b(in|Correct|With|or) ${prop}\\b`, 'g'), `$1 ${variableName(prop)}`),
    text,
  )
    .replaceAll('docs/deploy.md', 'README.md')
    .replaceAll('in the configuration', 'in the module block')
    .replaceAll('the configuration names none', 'the module block names none');
}

function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map(each => mapTexts(each, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapTexts(each, change)]));
}
