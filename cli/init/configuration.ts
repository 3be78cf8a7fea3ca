import type { IndexedBy } from '../../expiry/model.ts';
import type { DeploymentConfig } from '../../stacks/config.ts';

/** What a person says of their table. */
export interface Answers {
  readonly tableName: string;
  readonly existingTable: boolean;
  /** @default 'id' */
  readonly partitionKey: string | undefined;
  /** @default the table has none */
  readonly sortKey: string | undefined;
  /** @default the one of `stacks/props.ts` */
  readonly ttlAttribute: string | undefined;
  /** @default by second for an existing table, whose writers need not change then; else the one of `stacks/props.ts` */
  readonly indexedBy?: IndexedBy | undefined;
}

/** Where applications have no better name for it. */
const PARTITION_KEY = 'id';
const TABLE = 'Sessions';
const TTL_ATTRIBUTE = 'ttl';

/**
 * Asks the three questions.
 * @param ask gets an answer, empty for what stands in brackets
 */
export async function askForTable(ask: (question: string) => Promise<string>): Promise<Answers> {
  const tableName = (await ask(`Name of the table? [${TABLE}] `)) || TABLE;
  const keys = await ask(
    'New, or existing? For a new table press Enter; for an existing one type its partition key, and its sort key after a blank if it has one: [new] ',
  );
  const existingTable = keys !== '' && keys.toLowerCase() !== 'new';
  const [partitionKey = PARTITION_KEY, sortKey] = existingTable ? keys.split(/[\s,]+/) : [];
  const ttlAttribute = (await ask(`Attribute with the moment of expiry? [${TTL_ATTRIBUTE}] `)) || undefined;
  return { tableName, existingTable, partitionKey, sortKey, ttlAttribute };
}

/**
 * The configuration of these answers.
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
    ...(indexedBy !== undefined && { indexedBy }),
  };
  const { checkConfig } = await import('../../stacks/config.ts');
  return checkConfig({ region, state: { backend: 'local' }, tables: [table] });
}

/** The text of its file: JSON for editors that know the schema, or TypeScript. */
export function configText(config: DeploymentConfig, asJson: boolean): string {
  if (asJson) return `${JSON.stringify({ $schema: SCHEMA, ...config }, null, 2)}\n`;
  const { region, state, tables } = config;
  return `import type { DeploymentConfig } from 'precise-ttl/cdktf';

// Every field: docs/configuration.md of precise-ttl. What is wrong or misspelt is refused before anything is written or
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

const SCHEMA = './node_modules/precise-ttl/schema.json';

function objectLiteral(object: object): string {
  const fields = Object.entries(object).map(([name, value]) => `${name}: ${literal(value)}`);
  return `{ ${fields.join(', ')} }`;
}

/** A value as it stands in TypeScript. */
export const literal = (value: unknown): string =>
  typeof value === 'string'
    ? `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
    : JSON.stringify(value);
