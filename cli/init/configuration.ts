import type { DeploymentConfig } from '../../config/config.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { isObject } from '../../expiry/fields.ts';
import type { IndexedBy } from '../../expiry/model.ts';

/** The user's answers about a table. */
export interface Answers {
  readonly tableName: string;
  readonly existingTable: boolean;
  /** @default 'id' */
  readonly partitionKey: string | undefined;
  /** @default no sort key */
  readonly sortKey: string | undefined;
  /** @default that of `config/props.ts` */
  readonly ttlAttribute: string | undefined;
  /** @default by second for an existing table, because its writers need no change then; otherwise that of `config/props.ts` */
  readonly indexedBy?: IndexedBy | undefined;
}

/** The name of the partition key if the user gives none. */
const PARTITION_KEY = 'id';
const TABLE = 'Sessions';
const TTL_ATTRIBUTE = 'ttl';

/** The three questions, with the fields that each of them sets. */
const QUESTIONS = {
  name: { text: `Name of the table? [${TABLE}] `, fields: ['tableName'] },
  keys: {
    text: 'New, or existing? For a new table press Enter; for an existing one type its partition key, and its sort key after a blank if it has one: [new] ',
    fields: ['partitionKey', 'sortKey'],
  },
  ttl: { text: `Attribute with the moment of expiry? [${TTL_ATTRIBUTE}] `, fields: ['ttlAttribute'] },
} as const;

type Question = keyof typeof QUESTIONS;

/** The reason why answers are refused. */
export interface Refusal {
  readonly message: string;
  /** Names of fields, such as `tables[0].tableName`. */
  readonly fields: readonly string[];
}

/**
 * Asks the three questions, and repeats those whose answers are refused.
 *
 * @param ask returns an answer, or an empty text for the default in brackets
 * @param refusalOf checks the answers; undefined: they are valid
 * @param tell prints why a question is repeated
 * @returns the answers, even refused ones if the user gives no others
 */
export async function askForTable(
  ask: (question: string) => Promise<string>,
  refusalOf: (answers: Answers) => Promise<Refusal | undefined>,
  tell: (message: string) => void,
): Promise<Answers> {
  const given: Record<Question, string> = { name: '', keys: '', ttl: '' };
  const all = Object.keys(QUESTIONS) as Question[];
  for (let questions = all; ; ) {
    for (const question of questions) given[question] = await ask(QUESTIONS[question].text);
    const answers = answersOf(given);
    const refusal = await refusalOf(answers);
    if (refusal === undefined) return answers;
    const refused = all.filter(question => isAbout(question, refusal) && given[question] !== '');
    if (refused.length === 0) return answers;
    tell(refusal.message);
    questions = refused;
  }
}

const isAbout = (question: Question, { fields }: Refusal): boolean =>
  QUESTIONS[question].fields.some(name => fields.some(field => field.endsWith(`.${name}`)));

function answersOf({ name, keys, ttl }: Readonly<Record<Question, string>>): Answers {
  const existingTable = keys !== '' && keys.toLowerCase() !== 'new';
  const [partitionKey = PARTITION_KEY, sortKey] = existingTable ? keys.split(/[\s,]+/) : [];
  return { tableName: name || TABLE, existingTable, partitionKey, sortKey, ttlAttribute: ttl || undefined };
}

/**
 * The configuration with these answers.
 * @throws {InvalidConfigError} naming what is wrong with them
 */
export async function configOf(answers: Answers, region: string): Promise<DeploymentConfig> {
  const { tableName, existingTable, partitionKey = PARTITION_KEY, sortKey, ttlAttribute } = answers;
  const indexedBy = answers.indexedBy ?? (existingTable ? 'second' : undefined);
  const table = {
    tableName,
    ...(existingTable && { existingTable }),
    partitionKey,
    ...(sortKey !== undefined && { sortKey }),
    ttlAttribute: ttlAttribute ?? TTL_ATTRIBUTE,
    ...(indexedBy !== undefined && { index: { by: indexedBy } }),
  };
  const { checkConfig } = await import('../../config/config.ts');
  return checkConfig({ region, state: { backend: 'local' }, tables: [table] });
}

/** Why {@link configOf} refuses these answers; undefined when it takes them. */
export async function refusalOf(answers: Answers, region: string): Promise<Refusal | undefined> {
  try {
    await configOf(answers, region);
    return undefined;
  } catch (error) {
    const { InvalidConfigError } = await import('../../config/config.ts');
    if (!(error instanceof InvalidConfigError)) throw error;
    return { message: error.message, fields: error.problems.map(({ field }) => field) };
  }
}

/** The text of the configuration file: TypeScript, or JSON. */
export function configText(config: DeploymentConfig, asJson: boolean): string {
  if (asJson) return `${JSON.stringify(config, null, 2)}\n`;
  const { region, state, tables } = config;
  return `import type { DeploymentConfig } from 'precise-ttl/cdktf';

// Every field: docs/reference/configuration.md of precise-ttl. What is wrong or misspelt is refused before anything is written or
// deployed.
export default {
  region: ${literal(region)},

  // Terraform's state. For a team: { backend: 's3', bucket: 'my-terraform-state' }
  state: ${objectLiteral(state ?? {})},

  tables: [
${tables.map(table => `    ${objectLiteral(table)},`).join('\n')}
  ],
} satisfies DeploymentConfig;
`;
}

function objectLiteral(object: object): string {
  const fields = Object.entries(object).map(([name, value]) => `${name}: ${literal(value)}`);
  return `{ ${fields.join(', ')} }`;
}

/** A value as TypeScript source. */
export function literal(value: unknown): string {
  if (isObject(value)) return objectLiteral(value);
  return typeof value === 'string'
    ? `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
    : JSON.stringify(value);
}

/** An entry of `tables`, as it is written in `precise-ttl.config.ts`. */
export function configurationBlock(props: PreciseTtlProps): string {
  const fields = Object.entries(props).map(([name, value]) => `      ${name}: ${literal(value)},`);
  return `    {\n${fields.join('\n')}\n    },`;
}
