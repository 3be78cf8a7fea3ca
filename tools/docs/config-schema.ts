import { ALARM_NAMES, type AlarmName, tuningKinds } from '../../config/alarms.ts';
import { ASSUME_ROLE_KINDS, CONFIG_KINDS, PROVIDER_KINDS, S3_KINDS } from '../../config/config.ts';
import { GROUPS, type GroupName } from '../../config/prop-groups.ts';
import { deploymentTexts, type FieldText, propTexts } from '../../config/prop-texts.ts';
import {
  DEPLOYMENT_PROPS,
  DEPLOYMENT_ROLES,
  fieldKinds,
  PROP_NAMES,
  PROPS,
  type PropName,
  TABLE_ROLES,
  VPC_KINDS,
  WRITTEN_NAMES,
} from '../../config/props.ts';
import { ARCHIVE_PROP_KINDS, EVENTS_PROP_KINDS } from '../../config/stream-props.ts';
import { CAPACITY_KINDS, WARM_KINDS } from '../../config/table-settings.ts';
import type { Kind, Kinds } from '../../expiry/fields.ts';
import { DESTINATION_NAMES } from '../../functions/publish-expiries/destinations.ts';

/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema of a configuration: what editors complete from and mark. It is made of the kinds by which the configuration is
 * checked. What holds between fields is not in it: a configuration can be fine to an editor and be refused by the command.
 */
export function configSchema(): Schema {
  const texts = deploymentTexts(Object.keys(CONFIG_KINDS));
  const described = (name: string, schema: Schema) => ({ ...schema, ...descriptionOf(texts[name]) });
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'What precise-ttl provisions',
    ...objectSchema(
      {
        $schema: { type: 'string' },
        region: described('region', schemaOf(CONFIG_KINDS.region)),
        allowUnknownRegion: described('allowUnknownRegion', schemaOf(CONFIG_KINDS.allowUnknownRegion)),
        state: described('state', stateSchema()),
        provider: described('provider', providerSchema()),
        overrides: described('overrides', {
          type: 'object',
          additionalProperties: { type: 'object' },
        }),
        tags: described('tags', { type: 'object', additionalProperties: { type: 'string' } }),
        ...sharedSchemas(),
        tables: described('tables', { type: 'array', minItems: 1, items: tableSchema() }),
      },
      ['region', 'tables'],
    ),
  };
}

function stateSchema(): Schema {
  return {
    oneOf: [
      objectSchema({ backend: { const: 'local' } }, ['backend']),
      {
        ...objectSchema({ backend: { const: 's3' }, ...schemasOf(S3_KINDS) }, ['backend', 'bucket']),
        additionalProperties: true,
      },
      {
        type: 'object',
        properties: { backend: { type: 'string', not: { enum: ['local', 's3'] } } },
        required: ['backend'],
      },
    ],
  };
}

function providerSchema(): Schema {
  const assumeRole = objectSchema(schemasOf(ASSUME_ROLE_KINDS), ['roleArn']);
  const profile = schemaOf(PROVIDER_KINDS.profile);
  return objectSchema({ assumeRole, allowedAccountIds: LIST_OF_TEXTS, profile }, []);
}

function tableSchema(): Schema {
  const texts = propTexts();
  const schemas = WRITTEN_NAMES.map(name => {
    if (name === 'roleArns')
      return [name, { ...rolesSchema([...DEPLOYMENT_ROLES, ...TABLE_ROLES]), ...descriptionOf(texts[name]) }];
    if (!isGroup(name)) return [name, propSchemas([name as PropName])[name]];
    return [name, { ...groupSchema(name), ...descriptionOf(texts[name]) }];
  });
  return objectSchema(
    Object.fromEntries(schemas),
    PROP_NAMES.filter(name => PROPS[name].isRequired),
  );
}

const isGroup = (name: string): name is GroupName => name in GROUPS;

/** Schema of a group: the object, or the value of its only required field. */
function groupSchema(group: GroupName): Schema {
  const { short, fields } = GROUPS[group] as { short?: string; fields: Readonly<Record<string, PropName>> };
  const schemas = propSchemas(Object.values(fields));
  const own = Object.entries(fields).map(([field, prop]) => [field, schemas[prop] as Schema] as const);
  const object = objectSchema(Object.fromEntries(own), short === 'name' ? [short] : []);
  if (short === undefined) return object;
  return { anyOf: [schemaOf(fieldKinds(group)[short] as Kind<unknown>), object] };
}

/** Schemas of the props that can be set for all tables of a deployment. */
function sharedSchemas(): Schema {
  return propSchemas(DEPLOYMENT_PROPS);
}

function propSchemas(names: readonly (typeof PROP_NAMES)[number][]): Schema {
  const texts = propTexts();
  return Object.fromEntries(
    names.map(name => {
      const prop = PROPS[name];
      const fixed = 'byDefault' in prop && texts[name]?.byDefault === undefined;
      return [
        name,
        {
          ...(SCHEMAS[name] ?? schemaOf(prop.kind)),
          ...(fixed && { default: prop.byDefault({ tableName: 'T' }) }),
          ...descriptionOf(texts[name]),
        },
      ];
    }),
  );
}

/** Whole numbers that are tried when a kind has no rule: numbers of minutes, up to a day. */
const TRIED_NUMBERS = Array.from({ length: 1440 }, (_unused, index) => index + 1);

const objectSchema = (properties: Schema, required: readonly string[]): Schema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const LIST_OF_TEXTS = { type: 'array', minItems: 1, items: { type: 'string' } };

/** Schemas of props that have fields themselves. The command checks the entries of the lists. */
const SCHEMAS: Partial<Record<(typeof PROP_NAMES)[number], Schema>> = {
  vpc: objectSchema(
    Object.fromEntries(Object.keys(VPC_KINDS).map(name => [name, LIST_OF_TEXTS])),
    Object.keys(VPC_KINDS),
  ),
  roleArns: rolesSchema(DEPLOYMENT_ROLES),
  provisionedCapacity: objectSchema(schemasOf(CAPACITY_KINDS), ['read', 'write']),
  warmThroughput: objectSchema(schemasOf(WARM_KINDS), ['read', 'write']),
  archive: objectSchema(schemasOf(ARCHIVE_PROP_KINDS), []),
  events: {
    ...objectSchema(schemasOf(EVENTS_PROP_KINDS), []),
    oneOf: DESTINATION_NAMES.map(destination => ({ required: [destination] })),
  },
  alarms: orFalse(
    objectSchema(Object.fromEntries(ALARM_NAMES.map(alarm => [alarm, orFalse(tuningSchema(alarm))])), []),
  ),
};

function rolesSchema(keys: readonly string[]): Schema {
  return objectSchema(Object.fromEntries(keys.map(key => [key, { type: 'string', minLength: 1 }])), []);
}

function schemasOf(kinds: Kinds): Schema {
  return Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, schemaOf(kind)]));
}

function orFalse(schema: Schema): Schema {
  return { anyOf: [{ const: false }, schema] };
}

function tuningSchema(alarm: AlarmName): Schema {
  const kinds = Object.entries(tuningKinds(alarm)).map(([field, kind]) => [field, schemaOf(kind)] as const);
  return objectSchema(Object.fromEntries(kinds), []);
}

/** Links to other documents are replaced by their text for editors. */
function descriptionOf(field: FieldText | undefined): Schema {
  if (field === undefined) return {};
  const { text, byDefault } = field;
  const whole = byDefault === undefined ? text : `${text.replace(/\.$/, '')}. Default: ${byDefault}`;
  return { description: whole.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1') };
}

/** @throws TypeError for a kind that has no schema */
function schemaOf(kind: Kind<unknown>): Schema {
  const { rule, is } = kind;
  if (rule !== undefined && 'pattern' in rule) return { type: 'string', pattern: patternOf(rule.pattern) };
  if (rule !== undefined && 'values' in rule) return { enum: rule.values };
  if (rule !== undefined) {
    return { type: rule.whole ? 'integer' : 'number', minimum: rule.least, maximum: rule.most };
  }
  if (is(true)) return { type: 'boolean' };
  if (is('a')) return { type: 'string', minLength: 1 };
  const numbers = TRIED_NUMBERS.filter(number => is(number));
  if (numbers.length > 0) return { enum: numbers };
  if (is([])) return { type: 'array' };
  if (is({})) return { type: 'object' };
  throw new TypeError(`expected a kind that a schema can be made of, got "${kind.expected}"`);
}

/** JSON Schema has no regular expression flags, so the dot of `s` is expanded to any character. */
function patternOf({ source, flags }: RegExp): string {
  return flags.includes('s') ? source.replaceAll(/(?<!\\)\./g, '[\\s\\S]') : source;
}
