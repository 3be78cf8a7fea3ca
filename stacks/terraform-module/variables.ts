// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are Terraform's references

import { ALARM_NAMES, ALARM_TOPIC, subjectOf, tuningKinds } from '../../config/alarms.ts';
import { fieldPathOf, type GroupName, groupOf } from '../../config/prop-groups.ts';
import { propTexts } from '../../config/prop-texts.ts';
import { DEFAULT_SWEEP, DEPLOYMENT_PROPS, PROPS, VPC_IDS, VPC_KINDS } from '../../config/props.ts';
import { ARCHIVE_PROP_KINDS, ONE_DESTINATION } from '../../config/stream-props.ts';
import { hasOldImages, STREAM_VIEWS } from '../../config/table-settings.ts';
import { escaped, literal } from '../../config/terraform-text.ts';
import { expression, hcl, indented, or } from '../../config/values.ts';
import type { Kind } from '../../expiry/fields.ts';
import { DEFAULT_WINDOW_ATTRIBUTE } from '../../expiry/model.ts';
import { GRANULARITIES } from '../../expiry/window.ts';
import { DESTINATION_NAMES, DESTINATIONS } from '../../functions/publish-expiries/destinations.ts';
import { ARCHIVE_TYPE } from './archive-part.ts';
import { DESTINATION_FIELDS, EVENTS_TYPE } from './events-part.ts';
import { CALCULATED, givenTerm, OF_TABLE, SETTINGS } from './module-stack.ts';
import { PARTS } from './parts.ts';
import { inHcl, snake } from './snake.ts';

interface Validation {
  readonly condition: string;
  /** Message of the rule, a Terraform template. */
  readonly message: string;
}

export interface Variable {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  /** The default in HCL. @default the variable is required */
  readonly byDefault?: string;
  readonly validations: readonly Validation[];
}

type PropName = keyof typeof PROPS;

/** The props of a table apart from its resource, which has its name and its keys. */
export const TABLE_PROPS: readonly PropName[] = [
  ...(SETTINGS as readonly PropName[]).filter(name => !(name in OF_TABLE)),
  'enabled',
  'tableKmsKeyArn',
  'releasesHoldsOf',
  'archive',
  'events',
  'name',
];

/** Props of a deployment whose variables have another form, and one that the module does not have. */
const OTHERWISE: readonly PropName[] = ['alarms', 'alarmTopicArn', 'vpc', 'roleArns'];

const DEPLOYMENT = DEPLOYMENT_PROPS.filter(prop => !OTHERWISE.includes(prop));

/** The fields of a table's resource that the module reads. */
const TABLE_TYPE = `object({
  name      = string
  arn       = string
  hash_key  = string
  range_key = optional(string)
  global_secondary_index = set(object({
    name            = string
    hash_key        = optional(string)
    range_key       = optional(string)
    projection_type = string
  }))
  ttl = list(object({
    attribute_name = optional(string)
    enabled        = optional(bool)
  }))
  stream_arn       = optional(string)
  stream_enabled   = optional(bool)
  stream_view_type = optional(string)
})`;

export const VPC_TYPE =
  'object({\n  subnet_ids         = list(string)\n  security_group_ids = list(string)\n})';
export const TAGS_TYPE = 'map(string)';

const NULLS = ['permissionsBoundary', 'rolePath', 'kmsKeyArn', 'tableKmsKeyArn', 'holdAttribute'];

/** The default for a prop in the type's `optional`; null where the default depends on other props. */
function defaultOf(prop: PropName): unknown {
  const each = PROPS[prop];
  if (prop === 'releasesHoldsOf') return [];
  if (NULLS.includes(prop) || (CALCULATED as readonly string[]).includes(prop) || !('byDefault' in each))
    return null;
  return each.byDefault({ tableName: 'table' });
}

/** The type of the variable for a prop, which follows from what the prop accepts. */
export function typeOf(prop: PropName): string {
  if (prop === 'archive') return ARCHIVE_TYPE;
  if (prop === 'events') return EVENTS_TYPE;
  // A list, unlike the prop: a static module cannot forget an attribute that it guards.
  if (prop === 'releasesHoldsOf') return 'list(string)';
  const each = PROPS[prop];
  const value = 'byDefault' in each ? each.byDefault({ tableName: 'table' }) : acceptedValue(each.kind);
  return { string: 'string', number: 'number', boolean: 'bool' }[typeof value as string] ?? 'string';
}

/** A value that a prop without a default accepts. */
function acceptedValue({ is, rule }: Kind<unknown>): unknown {
  if (rule !== undefined && 'least' in rule) return rule.least;
  return is(true) ? true : '';
}

const ARCHIVE_TEXT =
  'Expired items are kept in S3, in a bucket of yours: its resource, or an object with the name as id. removals: "expiries", or "all". format: "dynamodb-json", which can be restored, or "json", which is for reading only. Objects begin with prefix, and are written every batch_seconds. The table has to have a stream with old images.';

const EVENTS_TEXT = `An expiry becomes an event, which goes to one of ${listed(Object.values(DESTINATION_FIELDS))}: a resource of yours. With old_image = true the event has the item as it was. With include_past = true what expired in the 24 hours before comes, too. The table has to have a stream with old images.`;

function listed(names: readonly string[]): string {
  return names.join(', ').replace(/, ([^,]*)$/, ' and $1');
}

const RELEASES_TEXT =
  'Attributes whose holds are given up. A plan that takes away attribute, or changes it, is refused until the old one is named here, since the sweep would delete what is held. It has to stay named.';

const LINK = /\[[^\]]*\]\([^)]*\)/.source;

/** Matches a link at the end of a clause that only refers to a page. */
const POINTER = new RegExp(`[:.;] ${LINK}(?=[.;]|$)`, 'g');

/** A prop's comment for Terraform: without links, and with names and values in HCL. */
function textOf(prop: PropName | GroupName): string {
  if (prop === 'archive') return ARCHIVE_TEXT;
  if (prop === 'events') return EVENTS_TEXT;
  if (prop === 'releasesHoldsOf') return RELEASES_TEXT;
  const text = (propTexts()[prop]?.text ?? '')
    .replaceAll(POINTER, '')
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
  const plain = codeInHcl(text.trim()).replaceAll(/`|\*\*/g, '');
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}`.replace(/[.;:,]?$/, '.');
}

/** Converts code in Markdown to HCL. */
function codeInHcl(text: string): string {
  return text.replaceAll(/`[^`]*`/g, inHcl);
}

const REMEDY = 'Correct the value, or leave it out for its default.';

function conditionOf(prop: PropName, { rule }: Kind<unknown>, term: string): string | undefined {
  if (prop.endsWith('Attribute'))
    return `${term} != "" && ${term} != "__proto__" && length(base64encode(${term})) <= 340`;
  if (prop === 'granularityMinutes') return `contains(${hcl(GRANULARITIES)}, ${term})`;
  if (prop === 'metricsNamespace') {
    return `can(regex("^[A-Za-z0-9_./#: -]{1,255}$", ${term})) && !startswith(${term}, "AWS/") && !startswith(${term}, ":") && trimspace(${term}) != ""`;
  }
  if (prop === 'rolePath')
    return `length(${term}) <= 512 && can(regex("^/([\\\\x21-\\\\x7e]+/)?$", ${term}))`;
  return rule === undefined ? undefined : ruleOf(rule, term);
}

function ruleOf(rule: NonNullable<Kind<unknown>['rule']>, term: string): string {
  if ('pattern' in rule) return `can(regex(${literal(rule.pattern.source.replaceAll('\\/', '/'))}, ${term}))`;
  if ('values' in rule) return `contains(${hcl(rule.values)}, ${term})`;
  return `${term} >= ${rule.least} && ${term} <= ${rule.most}${rule.whole ? ` && floor(${term}) == ${term}` : ''}`;
}

const message = escaped;

/** Splits a long condition into lines. */
function inLines(rule: string): string {
  return rule.length > 80 ? rule.replaceAll(' && ', ' &&\n') : rule;
}

/** A rule for every table, whose message names the tables that break it. */
function ofTables(field: string, expected: string, got: string, isRight: string, remedy: string): Validation {
  return {
    condition: `alltrue([\nfor t in var.tables : ${isRight}\n])`,
    message: `tables, ${field}: expected ${message(expected)}, got \${join(", ", [\n  for key, t in var.tables : "${got} for \${key}"\n  if !(${isRight})\n])}. ${message(remedy)}`,
  };
}

function tableRule(prop: PropName): Validation[] {
  if (prop === 'releasesHoldsOf') return [];
  const name = givenTerm(prop);
  const { kind } = PROPS[prop];
  const rule = conditionOf(prop, kind, name);
  if (rule === undefined) return [];
  const isRight =
    defaultOf(prop) === null ? `(\n${name} == null ? true : ${inLines(rule)}\n)` : `(${inLines(rule)})`;
  return [ofTables(name.slice('t.'.length), kind.expected, `\${jsonencode(${name})}`, isRight, REMEDY)];
}

const INDEX = hcl(
  or(
    expression<string | undefined>('t.index.name'),
    PROPS.indexName.byDefault({
      tableName: expression('t.table.name'),
      indexedBy: expression('t.index.by'),
    }),
  ),
);

const WINDOW = `coalesce(t.index.attribute, ${hcl(DEFAULT_WINDOW_ATTRIBUTE)})`;

/** A rule that an attribute differs from others. @param others attributes that it must not be */
function apart(field: string, name: string, others: string, isApart: string): Validation {
  return ofTables(
    field,
    `another attribute than ${others}`,
    `\${jsonencode(${name})}`,
    isApart,
    'Each of the four roles needs an attribute of its own.',
  );
}

/** The conditions of a table's resource, which are checked before its sweep is deployed. */
const TABLE_RELATIONS: readonly Validation[] = [
  apart(
    'ttl_attribute',
    't.ttl_attribute',
    'the keys of the table',
    '!contains([t.table.hash_key, t.table.range_key], t.ttl_attribute)',
  ),
  apart(
    'index.attribute',
    WINDOW,
    'the keys of the table and ttl_attribute',
    `t.index.by == "second" || !contains([t.table.hash_key, t.table.range_key, t.ttl_attribute], ${WINDOW})`,
  ),
  ...(['attribute', 'granularity_minutes', 'shards'] as const).map(field =>
    ofTables(
      `index.${field}`,
      'none with index = { by = "second" }',
      `\${jsonencode(t.index.${field})}`,
      `t.index.by == "window" || t.index.${field} == null`,
      'Leave it out, or index the table by window: index = { by = "window" }.',
    ),
  ),
  ofTables(
    'index.name',
    'a global secondary index of the table',
    '${jsonencode(t.table.global_secondary_index[*].name)}',
    `contains(t.table.global_secondary_index[*].name, ${INDEX})`,
    'Add the index, or name the one that there is.',
  ),
  ofTables(
    'index.name',
    'an index with the keys index.attribute and ttl_attribute, or by second with ttl_attribute alone',
    '${jsonencode([for i in t.table.global_secondary_index : [i.hash_key, i.range_key]])}',
    'alltrue([\n  for i in t.table.global_secondary_index : t.index.by == "second" ? (\n    i.hash_key == t.ttl_attribute && try(length(i.range_key), 0) == 0\n  ) : i.hash_key == '.concat(
      `${WINDOW} && i.range_key == t.ttl_attribute\n  if i.name == ${INDEX} && i.hash_key != null\n])`,
    ),
    "An index's keys cannot be changed: add another index and name it in index.name, or correct the attributes' names.",
  ),
  ofTables(
    'ttl',
    'native TTL on ttl_attribute, and off with hold or grace_seconds',
    '${jsonencode(t.table.ttl)}',
    '(t.hold.attribute == null && t.grace_seconds == 0) ? anytrue([\n  for ttl in t.table.ttl : ttl.enabled == true && ttl.attribute_name == t.ttl_attribute\n]) : !anytrue([for ttl in t.table.ttl : ttl.enabled == true])',
    'It is the backstop of the sweep; what is held, or in its grace, it would delete. Set it where the table is made.',
  ),
];

const OLD_IMAGES = STREAM_VIEWS.filter(hasOldImages);

/** A rule for a field of `archive`, which has its own kind. */
function archiveRule(
  field: Exclude<keyof typeof ARCHIVE_PROP_KINDS, 'bucket' | 'coldAfterDays'>,
): Validation {
  const name = `archive.${snake(field)}`;
  const { expected, rule } = ARCHIVE_PROP_KINDS[field] as Kind<unknown>;
  // Terraform's regular expressions have no look-ahead.
  const isRight =
    field === 'prefix'
      ? `can(regex("^(|[A-Za-z0-9!_.*'()/=-]{1,511}/)$", t.${name})) && !startswith(t.${name}, "/") && !can(regex("(^|/)[.][.]?/", t.${name}))`
      : ruleOf(rule as NonNullable<Kind<unknown>['rule']>, `t.${name}`);
  return ofTables(
    name,
    expected,
    `\${jsonencode(t.${name})}`,
    `t.archive == null ? true : (\n${inLines(isRight)}\n)`,
    REMEDY,
  );
}

const BUCKET_RULE = ofTables(
  'archive.bucket.id',
  'the name of a bucket: 3 to 63 small letters, digits, "-" and "."',
  '${jsonencode(t.archive.bucket.id)}',
  't.archive == null ? true : can(regex("^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$", t.archive.bucket.id))',
  'Give the resource of the bucket, or an object with its name as id.',
);

const READS_STREAM = '(t.archive != null || t.events != null)';

/** The rules for `archive` and `events` of a table. A destination that does not exist yet is checked once Terraform knows its ARN. */
const STREAM_RULES: readonly Validation[] = [
  BUCKET_RULE,
  ...(['prefix', 'removals', 'format', 'batchSeconds'] as const).map(archiveRule),
  ofTables(
    'events',
    ONE_DESTINATION.expected(Object.values(DESTINATION_FIELDS)),
    `\${jsonencode([for name, each in t.events : name if !contains(["old_image", "include_past"], name) && each != null])}`,
    `t.events == null ? true : length([\nfor name, each in t.events : name if !contains(["old_image", "include_past"], name) && each != null\n]) == 1`,
    ONE_DESTINATION.remedy,
  ),
  ofTables(
    'table.stream_view_type',
    `${OLD_IMAGES.map(each => `"${each}"`).join(' or ')} with archive or events`,
    '${jsonencode(t.table.stream_view_type)}',
    `!${READS_STREAM} ? true : t.table.stream_enabled == true && try(contains(${hcl(OLD_IMAGES)}, t.table.stream_view_type), false)`,
    'Turn on the stream where the table is made: without the old image nobody can tell whether an item had expired.',
  ),
  ...DESTINATION_NAMES.map(name => {
    const field = DESTINATION_FIELDS[name];
    const arn = `t.events.${field}.arn`;
    const { prop } = DESTINATIONS[name];
    return ofTables(
      `events.${field}.arn`,
      prop.expected.replace('the name or the ARN', 'the ARN'),
      `\${jsonencode(${arn})}`,
      `try(t.events.${field}, null) == null ? true : (\n${ruleOf(prop.rule as NonNullable<Kind<unknown>['rule']>, arn)} && startswith(${arn}, "arn:")\n)`,
      'Give the resource, or an object with its arn.',
    );
  }),
];

export interface Field {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  /** The default in Markdown: in HCL, or in words if it depends on other settings. */
  readonly byDefault: string;
}

/** A type in one line; the fields of objects are in variables.tf. */
export function shortType(type: string): string {
  return type.includes('\n') ? `${type.slice(0, type.indexOf('({'))}({ … })` : type;
}

/** The fields of a table apart from its resource. */
export function tableFields(): readonly Field[] {
  return TABLE_PROPS.map(prop => {
    const { byDefault } = propTexts()[prop] ?? {};
    const each = PROPS[prop];
    const value =
      'byDefault' in each ? each.byDefault({ tableName: 'table' }) : prop === 'releasesHoldsOf' ? [] : null;
    const isInWords = byDefault !== undefined && (CALCULATED as readonly string[]).includes(prop);
    return {
      name: snake(fieldPathOf(prop)),
      type: shortType(typeOf(prop)),
      description: textOf(prop),
      byDefault: isInWords ? codeInHcl(byDefault) : `\`${hcl(value)}\``,
    };
  });
}

/** Columns of a comment above the field that it describes. */
const COMMENT_WIDTH = 120;

function comment(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length > COMMENT_WIDTH) lines.push(` ${word}`);
    else lines[lines.length - 1] = longer;
  }
  return lines.map(line => `#${line}`).join('\n');
}

function tablesVariable(): Variable {
  const fieldOf = (prop: PropName) => {
    const byDefault = defaultOf(prop);
    const type = byDefault === null ? typeOf(prop) : `${typeOf(prop)}, ${hcl(byDefault)}`;
    const name = snake(fieldPathOf(prop)).replace(/^.*\./, '');
    return `${comment(textOf(prop))}\n${name} = optional(${type})`;
  };
  const fields = TABLE_PROPS.flatMap((prop, index) => {
    const group = groupOf(prop);
    if (group === undefined) return [fieldOf(prop)];
    const own = TABLE_PROPS.filter(other => groupOf(other) === group);
    if (TABLE_PROPS.indexOf(own[0] as PropName) !== index) return [];
    return [
      `${comment(textOf(group))}\n${group} = optional(object({\n${indented(own.map(fieldOf).join('\n'))}\n}), {})`,
    ];
  });
  return {
    name: 'tables',
    type: `map(object({\n${indented(`# The resource of the table.\ntable = ${TABLE_TYPE}\n${fields.join('\n')}`)}\n}))`,
    description:
      'The tables that are swept, by keys of your own: each with its resource, and the settings that are not the defaults.',
    validations: [
      {
        condition: 'length(var.tables) > 0',
        message: 'tables: expected at least one table, got none. Add one, or remove the module block.',
      },
      {
        condition: 'length(distinct([for t in var.tables : t.table.name])) == length(var.tables)',
        message:
          'tables: expected each table once, got ${jsonencode([for t in var.tables : t.table.name])}. Remove one of the two.',
      },
      ...TABLE_PROPS.flatMap(tableRule),
      ...TABLE_RELATIONS,
      ...STREAM_RULES,
    ],
  };
}

function deploymentVariable(prop: PropName): Variable {
  const name = `var.${snake(prop)}`;
  const { kind } = PROPS[prop];
  const byDefault = defaultOf(prop);
  const rule = conditionOf(prop, kind, name) ?? patternOf(prop, name);
  const isRight = `(\n${byDefault === null ? `${name} == null ? true : ` : ''}${inLines(rule ?? '')}\n)`;
  return {
    name: snake(prop),
    type: typeOf(prop),
    description: textOf(prop),
    byDefault: hcl(byDefault),
    validations:
      rule === undefined
        ? []
        : [
            {
              condition: isRight as string,
              message: `${snake(prop)}: expected ${message(kind.expected)}, got \${jsonencode(${name})}. ${REMEDY}`,
            },
          ],
  };
}

/** The pattern of a prop, without the alternative for references, which a module does not have. */
function patternOf(prop: PropName, term: string): string | undefined {
  const patterns: Partial<Record<PropName, string>> = {
    kmsKeyArn: '^arn:[a-z0-9-]+:kms:[a-z0-9-]+:[0-9]{12}:key/[A-Za-z0-9-]+$',
    permissionsBoundary: '^arn:[a-z0-9-]+:iam::(aws|[0-9]{12}):policy/[!-~]+$',
  };
  const pattern = patterns[prop];
  return pattern === undefined ? undefined : `can(regex(${literal(pattern)}, ${term}))`;
}

/** The alarms for which the module has metrics. */
export const MODULE_ALARMS = ALARM_NAMES.filter(alarm => {
  const subject = subjectOf(alarm);
  return subject === undefined || subject in PARTS;
});

function alarmsVariable(): Variable {
  const fields = MODULE_ALARMS.map(alarm => {
    const tuned = Object.keys(tuningKinds(alarm)).map(field => `${field} = optional(number)`);
    return `${snake(alarm)} = optional(object({ enabled = optional(bool, true), ${tuned.join(', ')} }), {})`;
  });
  const rules = MODULE_ALARMS.flatMap(alarm =>
    Object.entries(tuningKinds(alarm)).map(([field, { rule, expected }]): Validation => {
      const name = `var.alarms.${snake(alarm)}.${field}`;
      return {
        condition: `${name} == null ? true : ${rule === undefined ? 'true' : ruleOf(rule, name)}`,
        message: `alarms.${snake(alarm)}.${field}: expected ${message(expected)}, got \${jsonencode(${name})}. ${REMEDY}`,
      };
    }),
  );
  return {
    name: 'alarms',
    type: `object({\n${indented(fields.join('\n'))}\n})`,
    description:
      'The settings of an alarm. threshold is in the unit of its metric (deletion_lag: milliseconds); periods is how many in a row must be beyond it.',
    byDefault: '{}',
    validations: rules,
  };
}

/** The variables of the module. */
export function variables(): Variable[] {
  const { sweep } = PROPS;
  return [
    tablesVariable(),
    {
      name: 'name',
      type: 'string',
      description:
        'Name of the deployment, and prefix of the names of what it has. No two of an account have the same.',
      byDefault: hcl(DEFAULT_SWEEP),
      validations: [
        {
          condition: ruleOf(sweep.kind.rule as NonNullable<Kind<unknown>['rule']>, 'var.name'),
          message: `name: expected ${message(sweep.kind.expected)}, got \${var.name}. ${REMEDY}`,
        },
      ],
    },
    ...DEPLOYMENT.map(deploymentVariable),
    {
      name: 'create_alarms',
      type: 'bool',
      description:
        'Whether there are alarms. Their topic is there in any case, so that its subscriptions stay.',
      byDefault: 'true',
      validations: [],
    },
    alarmsVariable(),
    {
      name: 'alarm_topic',
      type: 'object({ arn = string })',
      description:
        'The SNS topic that the alarms tell, which CloudWatch must be allowed to publish to: your resource. By default a topic of the module.',
      byDefault: 'null',
      validations: [
        {
          condition: `var.alarm_topic == null ? true : can(regex(${literal(ALARM_TOPIC.pattern.source)}, var.alarm_topic.arn))`,
          message: `alarm_topic.arn: expected ${message(ALARM_TOPIC.expected)}, got \${jsonencode(var.alarm_topic)}. ${REMEDY}`,
        },
      ],
    },
    {
      name: 'vpc',
      type: VPC_TYPE,
      description: textOf('vpc'),
      byDefault: 'null',
      validations: (Object.keys(VPC_IDS) as (keyof typeof VPC_IDS)[]).map(list => {
        const name = `var.vpc.${snake(list)}`;
        const { pattern, most } = VPC_IDS[list];
        const areIds = `alltrue([for id in ${name} : ${ruleOf({ pattern }, 'id')}])`;
        return {
          condition: `var.vpc == null ? true : length(${name}) >= 1 && length(${name}) <= ${most} && ${areIds}`,
          message: `vpc.${snake(list)}: expected ${message(VPC_KINDS[list].expected)}, got \${jsonencode(var.vpc)}. ${REMEDY}`,
        };
      }),
    },
    {
      name: 'tags',
      type: TAGS_TYPE,
      description: "Tags of everything that can have some, besides the provider's default_tags.",
      byDefault: '{}',
      validations: [],
    },
  ];
}

/** The local values of the alarms, whether or not any are turned on. */
export function alarmsLocal(): string {
  return '{ for name, alarm in var.alarms : name => merge(alarm, { enabled = var.create_alarms && alarm.enabled }) }';
}
