import { DEPLOYMENT_PROPS } from '../../config/props.ts';
import { ARCHIVE_TYPE } from './archive-part.ts';
import { EVENTS_TYPE } from './events-part.ts';
import { snake } from './snake.ts';
import { MODULE_ALARMS, TAGS_TYPE, typeOf, type Variable, VPC_TYPE } from './variables.ts';

/** A variable of the module of a part. */
interface PartVariable {
  readonly description: string;
  /** The type; for an object the types of its fields, of which a part gets those that it uses. */
  readonly type: string | Readonly<Record<string, string>>;
  /** The whole module's argument for the variable, for the table with the key `each.key`. */
  readonly given: string;
}

const string = 'string';

const VARIABLES: Readonly<Record<string, PartVariable>> = {
  table: {
    description: 'The resource of the table.',
    type: { name: string, arn: string, stream_arn: string },
    given: 'each.value.table',
  },
  settings: {
    description: 'The settings of the table, none of them left to a default.',
    type: {
      name: string,
      log_keys: string,
      table_kms_key_arn: string,
      archive: ARCHIVE_TYPE,
      events: EVENTS_TYPE,
    },
    given: 'each.value',
  },
  environment: {
    description: 'The settings of the table as environment variables of its functions.',
    type: 'map(string)',
    given: 'local.environments[each.key]',
  },
  deployment: {
    description: 'What the tables of the deployment share.',
    type: {
      ...Object.fromEntries(DEPLOYMENT_PROPS.map(prop => [snake(prop), typeOf(prop)])),
      name: string,
      vpc: VPC_TYPE,
      tags: TAGS_TYPE,
    },
    given: 'local.deployment',
  },
  place: {
    description: 'Where it is deployed, for ARNs.',
    type: { account: string, partition: string, region: string, dns_suffix: string },
    given: 'local.place',
  },
  alarms: {
    description: 'What is set of its alarms.',
    type: Object.fromEntries(
      MODULE_ALARMS.map(alarm => [
        snake(alarm),
        'object({ enabled = bool, threshold = number, periods = number })',
      ]),
    ),
    given: 'local.alarms',
  },
  alarm_topic_arn: {
    description: 'ARN of the topic that its alarms tell.',
    type: string,
    given: 'local.alarm_topic_arn',
  },
};

/** Names of the fields of a variable that a text refers to. */
function fieldsIn(text: string, variable: string): string[] {
  const found = [...text.matchAll(new RegExp(`\\bvar\\.${variable}\\.(\\w+)`, 'g'))];
  return [...new Set(found.map(([, field = '']) => field))].sort();
}

/** The variables of a part's module. @param text everything else in the module */
export function partVariables(text: string): Variable[] {
  return Object.entries(VARIABLES).flatMap(([name, { description, type }]) => {
    if (!new RegExp(`\\bvar\\.${name}\\b`).test(text)) return [];
    return [
      {
        name,
        description,
        type: typeof type === 'string' ? type : objectOf(name, type, text),
        validations: [],
      },
    ];
  });
}

function objectOf(name: string, types: Readonly<Record<string, string>>, text: string): string {
  const fields = fieldsIn(text, name).map(field => {
    const type = types[field];
    if (type === undefined)
      throw new TypeError(`var.${name}.${field}: expected a field of ${Object.keys(types)}`);
    return `  ${field} = ${type.replaceAll('\n', '\n  ')}`;
  });
  return `object({\n${fields.join('\n')}\n})`;
}

/** The whole module's arguments for a part. */
export function partArguments(variables: readonly Variable[]): string[] {
  return variables.map(({ name }) => `${name} = ${VARIABLES[name]?.given}`);
}

/** The deployment's settings that the parts use, as a local value. @param texts texts of the parts */
export function deploymentLocal(texts: readonly string[]): string {
  const fields = fieldsIn(texts.join('\n'), 'deployment').map(field => `  ${field} = var.${field}`);
  return `{\n${fields.join('\n')}\n}`;
}
