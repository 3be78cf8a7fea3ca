// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references
import type { Kind } from '../../expiry/fields.ts';
import { GRANULARITIES } from '../../expiry/window.ts';
import { MAX_PAIRS } from '../../statemachine/contract.ts';
import { ALARM_TOPIC, type AlarmName, isRecorded, tuningKinds } from '../alarms.ts';
import { type FunctionVpc, MAX_NAME_LENGTH, PROPS, VPC_IDS } from '../props.ts';
import { TAG_LIMITS } from '../tags.ts';
import { literal } from '../terraform-text.ts';
import type { FIXED, ModuleName } from './main-json.ts';
import { alarmKey, MODULE_ALARMS } from './monitoring.ts';
import { TemplateError } from './template.ts';
import { DEFAULTED, IS_BY_WINDOW, type PropName, variableName } from './terms.ts';

/** A condition that Terraform checks before it plans, and what it says when it does not hold. */
export interface Validation {
  readonly condition: string;
  /** A Terraform template. */
  readonly message: string;
}

export interface Variable {
  readonly name: string;
  /** A type of Terraform's, e.g. `map(string)`. */
  readonly type: string;
  readonly description: string;
  /** Undefined: it has to be given. Null: nothing, or a value made of others. */
  readonly default?: string | number | boolean | null | Readonly<Record<string, string>> | readonly never[];
  readonly validations: readonly Validation[];
}

type VariableProp = Exclude<PropName, (typeof FIXED)[number] | 'vpc' | 'tags' | 'alarms' | 'alarmTopicArn'>;

/** What is said of each prop, in a module's words. docs/configuration.md says more. */
const DESCRIPTIONS: Readonly<Record<VariableProp, string>> = {
  tableName: 'Name of the DynamoDB table.',
  deletionProtection:
    'DynamoDB refuses to delete the table, whoever asks. It is all that keeps the table when the module block is removed.',
  pointInTimeRecovery: 'The table can be restored to any second of the last 35 days.',
  tableKmsKeyArn:
    'ARN of the customer managed key that encrypts the table, which the roles may then use. A new table gets it; of an existing table it is the key that it has. The key that DynamoDB owns when it is not given.',
  tableClass: 'STANDARD or STANDARD_INFREQUENT_ACCESS.',
  partitionKey: "Name of the table's partition key.",
  partitionKeyType: 'Type of the partition key: S, N or B.',
  sortKey: "Name of the table's sort key; null when it has none.",
  sortKeyType: 'Type of the sort key: S, N or B. S when it is not given.',
  ttlAttribute:
    'Attribute with the moment of expiry: Number, epoch seconds. Native TTL is on it, as a backstop, unless hold_attribute or grace_seconds turns it off.',
  indexedBy:
    'What the partition key of the index is. window: the window that a writer stamps on each item. second: the TTL attribute itself, so that writers stamp nothing. An index cannot be changed from one to the other: another index can be added.',
  windowAttribute: "By window: attribute with the window's key; partition key of the index.",
  indexName:
    'Name of the index. expirationWindowIndex, or expirySecondIndex by second, when it is not given.',
  granularityMinutes: 'By window: length of a window; a divisor of a day. Writers must have the same value.',
  shards:
    'By window: index keys that one window is spread over, 1 to 1000. How many: docs/configuration.md. Writers must have the same value; raise it here first.',
  deleteMode:
    'guarded checks the TTL of each item again in the delete itself. batch does not: only for tables whose keys are never written again once they have a TTL.',
  holdAttribute:
    'Attribute that holds an item: while an item has it, no sweep deletes the item. Native TTL is off then. Only with delete_mode = guarded. No item is held when it is not given.',
  graceSeconds:
    'Seconds between the expiry of an item and its deletion, at most 2592000. Native TTL is off when it is above 0.',
  precisionSeconds:
    'The most seconds from the expiry of an item to the poll that deletes it, 1 to 60. 60 is one sweep a minute.',
  pollSeconds:
    'The most seconds between two polls, for items that are written less than two minutes before they expire: 0, or precision_seconds to 60. By second 0 or precision_seconds. When it is not given, 0; by second precision_seconds, or 0 in the plain mode.',
  lookbackMinutes:
    'How far back every tick searches for items that earlier sweeps left. When it is not given, 10, or one window if that is longer; by second 2.',
  reconcileHours:
    'How far back the hourly reconcile searches, 1 to 744. 24, or 2 by second, when it is not given.',
  enabled:
    'Whether there are schedules. false removes them, and nothing else. To pause for a while, set their state: Terraform leaves it as it is.',
  shardConcurrency:
    'Children of the lookback that run at once, besides one per shard for the upcoming minute; 0 is as many as Step Functions runs.',
  chunkConcurrency: 'Chunks of 25 keys that a child deletes at once, 1 to 40.',
  maxDeletesPerSecond:
    'Deletes per second at most; 0 is no limit. What the sweep does not get done is late, and not lost.',
  deleteAttempts: 'Calls for one chunk, the first included, before its keys count as failed, 1 to 100.',
  backoffBaseSeconds:
    'Upper bound of the first wait before unprocessed keys are tried again. It doubles each time.',
  backoffCapSeconds: 'The most that this bound grows to, backoff_base_seconds to 30.',
  logKeys:
    "What logs, causes of failures and reports show of items' keys: full, hash or none. The execution data of Step Functions holds keys anyhow.",
  logRetentionDays: "How long logs are kept, one of CloudWatch's periods.",
  functionMemoryMb: 'Memory of each function, 128 to 10240.',
  metricsNamespace: 'CloudWatch namespace of the metrics.',
  metrics:
    'all records every metric. essential records only what cannot be had for free, the lag of the deletions; items_failed, shards_failed and overdue have no alarm then.',
  dashboard: 'Whether there is a dashboard in CloudWatch, called name.',
  tracing: 'Whether each sweep is traced in X-Ray.',
  permissionsBoundary:
    'ARN of a policy that bounds what the roles may do. It must allow what their own policies allow.',
  kmsKeyArn:
    "ARN of a customer managed key that encrypts the logs, the dead-letter queue, the topic of the alarms, the functions' environment and the executions of the state machine; AWS's own keys when it is not given. Its key policy must let CloudWatch and CloudWatch Logs use it, and leave the rest to IAM. The table has table_kms_key_arn.",
  rolePath: 'Path of the roles in IAM, e.g. /teams/identity/. The roles are replaced when it changes.',
  name: 'Prefix of the names of all resources, at most 45 letters, digits, _ and -. precise-ttl- and the name of the table when it is not given.',
};

/** Props whose default, or whose absence, is null. */
const NULLABLE: readonly VariableProp[] = [
  'sortKey',
  'sortKeyType',
  'holdAttribute',
  'indexName',
  'pollSeconds',
  'lookbackMinutes',
  'reconcileHours',
  'permissionsBoundary',
  'rolePath',
  'kmsKeyArn',
  'tableKmsKeyArn',
  'name',
];

/** Props of a table that the module creates. */
const OF_CREATED: readonly VariableProp[] = ['deletionProtection', 'pointInTimeRecovery', 'tableClass'];

/** The variables of a module, in the order of the props. */
export function variablesOf(module: ModuleName): Variable[] {
  const props = (Object.keys(DESCRIPTIONS) as VariableProp[]).filter(
    prop => module === 'new-table' || !OF_CREATED.includes(prop),
  );
  return [
    ...props.map(variable),
    RELEASES_VARIABLE,
    CREATE_ALARMS_VARIABLE,
    ALARMS_VARIABLE,
    ALARM_TOPIC_VARIABLE,
    VPC_VARIABLE,
    TAGS_VARIABLE,
  ];
}

function variable(prop: VariableProp): Variable {
  const definition = PROPS[prop];
  const given = 'byDefault' in definition ? definition.byDefault({ tableName: '' }) : undefined;
  const types = { string: 'string', number: 'number', boolean: 'bool', undefined: 'string' } as const;
  const fallback = NULLABLE.includes(prop) ? null : given;
  return {
    name: variableName(prop),
    type: types[typeof given as keyof typeof types],
    description: DESCRIPTIONS[prop],
    ...(fallback !== undefined && { default: fallback }),
    validations: [...ofKind(prop, definition.kind), ...(RELATIONS[prop] ?? [])],
  };
}

/** The rule of a prop's kind. */
function ofKind(prop: VariableProp, kind: Kind<unknown>): Validation[] {
  const term = `var.${variableName(prop)}`;
  const rule = conditionOf(prop, kind, term);
  if (rule === undefined) return [];
  const nullable = NULLABLE.includes(prop);
  const remedy = PROPS[prop].isRequired
    ? 'Correct the value: there is no default for it.'
    : 'Correct the value, or leave it out for its default.';
  return [
    {
      condition: nullable ? `${term} == null ? true : ${rule}` : rule,
      message: `${variableName(prop)}: expected ${literal(kind.expected).slice(1, -1)}, got ${shown(term, nullable)}. ${remedy}`,
    },
  ];
}

/** A message is made even when its condition holds, and null has no text. */
function shown(term: string, nullable: boolean): string {
  return nullable ? `\${${term} == null ? "null" : ${term}}` : `\${${term}}`;
}

function conditionOf(prop: VariableProp, { rule }: Kind<unknown>, term: string): string | undefined {
  const own = CONDITIONS[prop]?.(term);
  if (own !== undefined) return own;
  // Terraform's types are the rule of the others.
  if (rule === undefined) return undefined;
  if ('pattern' in rule) {
    if (/\(\?[=!<]/.test(rule.pattern.source)) throw new TemplateError(`${prop}: its pattern looks around.`);
    return matches(rule.pattern.source.replaceAll('\\/', '/'), term);
  }
  if ('values' in rule) return isOneOf(rule.values, term);
  const isWhole = rule.whole ? ` && floor(${term}) == ${term}` : '';
  return `${term} >= ${rule.least} && ${term} <= ${rule.most}${isWhole}`;
}

function matches(pattern: string, term: string): string {
  return `can(regex(${literal(pattern)}, ${term}))`;
}

function isOneOf(values: readonly unknown[], term: string): string {
  return `contains(${JSON.stringify(values).replaceAll(',', ', ')}, ${term})`;
}

/** DynamoDB counts bytes, Terraform characters: 255 bytes are 340 characters of base64. */
function isAttributeName(term: string): string {
  return `${term} != "" && ${term} != "__proto__" && length(base64encode(${term})) <= 340`;
}

/** Of kinds whose rule Terraform's regular expressions do not have. */
const CONDITIONS: Readonly<Partial<Record<VariableProp, (term: string) => string>>> = {
  partitionKey: isAttributeName,
  sortKey: isAttributeName,
  ttlAttribute: isAttributeName,
  windowAttribute: isAttributeName,
  holdAttribute: isAttributeName,
  granularityMinutes: term => isOneOf(GRANULARITIES, term),
  rolePath: term => `length(${term}) <= 512 && ${matches('^/([\\x21-\\x7e]+/)?$', term)}`,
  metricsNamespace: term =>
    `${matches('^[A-Za-z0-9_./#: -]{1,255}$', term)} && !startswith(${term}, "AWS/") && !startswith(${term}, ":") && trimspace(${term}) != ""`,
};

/** The window attribute is one too, by window. */
const ROLES = ['partition_key', 'sort_key', 'ttl_attribute'];
const WINDOW_ROLE = `${IS_BY_WINDOW} ? var.window_attribute : null`;
const ROLE_NAMES = `[for name in [${[...ROLES.map(each => `var.${each}`), WINDOW_ROLE].join(', ')}] : name if name != null]`;
const PAIRS = `(ceil(${DEFAULTED.lookbackMinutes} / var.granularity_minutes) + 1) * var.shards`;

/** What must hold between variables; `stacks/props.ts` and `expiry/model.ts` have it for props. test/deploy compares them. */
const RELATIONS: Readonly<Partial<Record<VariableProp, readonly Validation[]>>> = {
  partitionKey: [
    {
      condition: `length(distinct(${ROLE_NAMES})) == (var.sort_key == null ? 2 : 3) + (${IS_BY_WINDOW} ? 1 : 0)`,
      message: `${ROLES.join(', ')}, window_attribute: expected another attribute for each. Each of the four roles needs an attribute of its own.`,
    },
  ],
  sortKeyType: [
    {
      condition: 'var.sort_key_type == null || var.sort_key != null',
      message:
        'sort_key_type: expected it together with sort_key. Name the sort key too, or leave out its type.',
    },
  ],
  windowAttribute: [byWindowOnly('windowAttribute')],
  granularityMinutes: [byWindowOnly('granularityMinutes')],
  shards: [byWindowOnly('shards')],
  holdAttribute: [
    {
      condition: 'var.hold_attribute == null || var.delete_mode == "guarded"',
      message:
        'hold_attribute: expected none with delete_mode = ${var.delete_mode}, which deletes without looking at the item, got ${var.hold_attribute == null ? "null" : var.hold_attribute}. Set delete_mode = guarded, or leave hold_attribute out.',
    },
    {
      condition: `var.hold_attribute == null ? true : !contains(${ROLE_NAMES}, var.hold_attribute)`,
      message: `hold_attribute: expected an attribute of its own, none of ${ROLES.join(', ')}, window_attribute, got \${var.hold_attribute == null ? "null" : var.hold_attribute}. Name an attribute that only held items have: every item that has it is held.`,
    },
  ],
  lookbackMinutes: [
    {
      condition: `${DEFAULTED.lookbackMinutes} >= var.granularity_minutes`,
      message:
        'lookback_minutes: expected at least one window (granularity_minutes: ${var.granularity_minutes}). Raise it or leave it out: a tick must reach the window that has just ended.',
    },
    {
      condition: `${PAIRS} <= ${MAX_PAIRS}`,
      message: `lookback_minutes: expected at most ${MAX_PAIRS} windows and shards to look back into in a tick, got \${${PAIRS}}. Lower it: the hourly reconcile goes back further. Or lower shards, or raise granularity_minutes.`,
    },
  ],
  reconcileHours: [
    {
      condition: `${DEFAULTED.reconcileHours} * 60 >= ${DEFAULTED.lookbackMinutes}`,
      message: `reconcile_hours: expected at least the lookback of a tick (\${${DEFAULTED.lookbackMinutes}} minutes). Raise it: the reconcile is there for what lies further back than a tick looks.`,
    },
  ],
  backoffCapSeconds: [
    {
      condition: 'var.backoff_cap_seconds >= var.backoff_base_seconds',
      message:
        'backoff_cap_seconds: expected at least backoff_base_seconds (${var.backoff_base_seconds}), got ${var.backoff_cap_seconds}. Raise the cap or lower the base.',
    },
  ],
  pollSeconds: [
    {
      condition: `${DEFAULTED.pollSeconds} == 0 || ${DEFAULTED.pollSeconds} >= var.precision_seconds`,
      message: `poll_seconds: expected 0, or at least precision_seconds (\${var.precision_seconds}), got \${${DEFAULTED.pollSeconds}}. Raise it, or lower precision_seconds: polls are never closer than that.`,
    },
    {
      condition: `${IS_BY_WINDOW} || ${DEFAULTED.pollSeconds} <= var.precision_seconds`,
      message: `poll_seconds: expected 0 or precision_seconds (\${var.precision_seconds}) with indexed_by = second, got \${${DEFAULTED.pollSeconds}}. Leave it out: a child asks for each second when it comes. To poll less often, raise precision_seconds.`,
    },
    {
      condition: `${DEFAULTED.pollSeconds} == 0 || var.precision_seconds != 60`,
      message: `poll_seconds: expected 0 in the plain mode (precision_seconds: 60), got \${${DEFAULTED.pollSeconds}}. The plain mode does not poll between its ticks: lower precision_seconds or leave poll_seconds out.`,
    },
  ],
  name: [
    {
      condition: `length(${DEFAULTED.name}) <= ${MAX_NAME_LENGTH}`,
      message: `name: expected at most ${MAX_NAME_LENGTH} characters, got \${${DEFAULTED.name}}. The name made from table_name is too long: choose a shorter one with name.`,
    },
  ],
};

/** Whoever names it by second expects something of it; its default is what a null is, and says nothing. */
function byWindowOnly(prop: 'windowAttribute' | 'granularityMinutes' | 'shards'): Validation {
  const byDefault = PROPS[prop].byDefault({ tableName: '' });
  const name = variableName(prop);
  return {
    condition: `${IS_BY_WINDOW} || var.${name} == ${JSON.stringify(byDefault)}`,
    message: `${name}: expected none with indexed_by = second, got \${var.${name}}. Leave it out, or index the table by window.`,
  };
}

const CREATE_ALARMS_VARIABLE: Variable = {
  name: 'create_alarms',
  type: 'bool',
  description: 'Whether there are alarms at all.',
  default: true,
  validations: [],
};

/** Not a text, and not to be left out again: what the guard has in it cannot be moved to where it may go by a variable. */
const RELEASES_VARIABLE: Variable = {
  name: 'releases_holds_of',
  type: 'set(string)',
  description:
    'Attributes that held items, and whose holds are given up: without them no plan takes hold_attribute away or changes it, since the sweeps would delete what is held. They stay in the list.',
  default: [],
  validations: [
    {
      condition: 'var.hold_attribute == null ? true : !contains(var.releases_holds_of, var.hold_attribute)',
      message:
        'releases_holds_of: expected attributes other than hold_attribute, got ${join(", ", var.releases_holds_of)}. Remove hold_attribute from the list: it holds items.',
    },
  ],
};

const KEYS = MODULE_ALARMS.map(alarmKey);
const quotedList = (texts: readonly string[]) => `[${texts.map(text => JSON.stringify(text)).join(', ')}]`;
const withoutAll = MODULE_ALARMS.filter(alarm => !isRecorded(alarm, 'essential')).map(alarmKey);

/** For each alarm, what its kinds in `stacks/alarms.ts` say. */
function tuningValidation(alarm: AlarmName): Validation[] {
  const key = alarmKey(alarm);
  const kinds = tuningKinds(alarm);
  return (['threshold', 'periods'] as const).map(field => {
    const given = `try(var.alarms["${key}"].${field}, null)`;
    const kind = kinds[field];
    const rule = kind?.rule;
    if (rule === undefined || !('least' in rule)) {
      return {
        condition: `${given} == null`,
        message: `alarms.${key}.${field}: expected nothing: this alarm has no other. Leave it out.`,
      };
    }
    return {
      condition: `${given} == null ? true : ${given} >= ${rule.least} && ${given} <= ${rule.most} && floor(${given}) == ${given}`,
      message: `alarms.${key}.${field}: expected ${kind?.expected}. Correct the value, or leave it out for its default.`,
    };
  });
}

/** The rules of `ALARMS_KIND` in `stacks/alarms.ts`, and of `alarmProblems` in `stacks/props.ts`. */
const ALARMS_VARIABLE: Variable = {
  name: 'alarms',
  type: 'map(object({ enabled = optional(bool, true), threshold = optional(number), periods = optional(number) }))',
  description: `What is set of an alarm, by its key: ${KEYS.join(', ')}. enabled = false turns it off; threshold is in the unit of its metric (deletion_lag: milliseconds), periods is how many periods in a row must be beyond it.`,
  default: {},
  validations: [
    {
      condition: `alltrue([for name in keys(var.alarms) : contains(${quotedList(KEYS)}, name)])`,
      message: `alarms: expected keys of ${KEYS.join(', ')}, got \${join(", ", keys(var.alarms))}. Correct them.`,
    },
    ...MODULE_ALARMS.flatMap(tuningValidation),
    {
      condition: `var.metrics == "all" || alltrue([for name, alarm in var.alarms : !alarm.enabled || !contains(${quotedList(withoutAll)}, name)])`,
      message: `alarms: expected nothing of ${withoutAll.join(', ')} with metrics = essential, which does not record what they look at. Leave it out: executions_failed says when something could not be deleted. Or set metrics = all.`,
    },
  ],
};

/** An object, although it has one field: whether there is one is known when the plan is made, also when its ARN is not. */
const ALARM_TOPIC_VARIABLE: Variable = {
  name: 'alarm_topic',
  type: 'object({ arn = string })',
  description:
    'The SNS topic that the alarms tell, which CloudWatch must be allowed to publish to. The topic <name>-alarms, which the module makes, when it is not given: whoever wants to be told subscribes to the output alarm_topic_arn.',
  default: null,
  validations: [
    {
      condition: `var.alarm_topic == null ? true : ${matches(ALARM_TOPIC.pattern.source, 'var.alarm_topic.arn')}`,
      message: `alarm_topic.arn: expected ${literal(ALARM_TOPIC.expected).slice(1, -1)}, got \${var.alarm_topic == null ? "null" : jsonencode(var.alarm_topic.arn)}. Correct the value, or leave alarm_topic out for its default.`,
    },
  ],
};

const VPC_LISTS = Object.keys(VPC_IDS) as (keyof FunctionVpc)[];

/** The rules of `VPC_KINDS` in `stacks/props.ts`. */
const VPC_VARIABLE: Variable = {
  name: 'vpc',
  type: `object({ ${VPC_LISTS.map(list => `${variableName(list)} = list(string)`).join(', ')} })`,
  description:
    'Private subnets and security groups that the functions run with; outside of your VPCs when it is not given. They need a way to DynamoDB, such as its gateway endpoint, and to nothing else.',
  default: null,
  validations: VPC_LISTS.map(list => {
    const { pattern, expected, most } = VPC_IDS[list];
    const name = `vpc.${variableName(list)}`;
    const term = `var.${name}`;
    const rule = `length(${term}) >= 1 && length(${term}) <= ${most} && alltrue([for id in ${term} : ${matches(pattern.source, 'id')}])`;
    return {
      // A list that is null has no length.
      condition: `var.vpc == null ? true : try(${rule}, false)`,
      message: `${name}: expected a list of 1 to ${most}, each ${expected}, got \${var.vpc == null ? "null" : jsonencode(${term})}. Correct the value, or leave vpc out for its default.`,
    };
  }),
};

const { most, key, value, characters } = TAG_LIMITS;
const isTagText = (longest: number, term: string) =>
  `${matches(`^${characters}{1,${longest}}$`, term)} && !startswith(lower(${term}), "aws:")`;

/** The rules of `stacks/tags.ts`. */
const TAGS_VARIABLE: Variable = {
  name: 'tags',
  type: 'map(string)',
  description: "Tags of everything that can have some, besides the provider's default_tags.",
  default: {},
  validations: [
    {
      condition: `length(var.tags) <= ${most}`,
      message: `tags: expected at most ${most} tags, got \${length(var.tags)}. Remove some: no resource can have more.`,
    },
    {
      condition: `alltrue([for key, value in var.tags : ${isTagText(key, 'key')} && ${isTagText(value, 'value')}])`,
      message: `tags: expected keys of 1 to ${key} and values of 1 to ${value} letters, digits, blanks and _ . : / = + - @, which do not begin with aws:. Correct them: AWS refuses a tag with anything else.`,
    },
    {
      condition: 'length(distinct([for key in keys(var.tags) : lower(key)])) == length(var.tags)',
      message:
        'tags: expected keys that differ by more than their case, which IAM does not see. Remove one of the two.',
    },
  ],
};
