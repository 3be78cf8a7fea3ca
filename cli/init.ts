import { existsSync, writeFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { oneOf } from '../expiry/fields.ts';
import { INDEXED_BY } from '../expiry/model.ts';
import { checkConfig, type DeploymentConfig, InvalidConfigError } from '../stacks/config/config.ts';
import { CONFIG_FILES } from '../stacks/config/config-file.ts';
import { type FlatProps, type PreciseTtlProps, propsOfSettings } from '../stacks/config/props.ts';
import { regionHere } from './clients.ts';
import { defineCommand, EXIT, question, textFlag, wrong } from './command.ts';
import { commandLine } from './command-line.ts';
import { printError } from './print.ts';

export const name = (help: string) => textFlag('NAME', 'a name', help);

export const command = defineCommand({
  name: 'init',
  flags: {
    table: name('name of the table; without it, three questions are asked'),
    existing: { help: 'the table exists already, and is only to be swept' },
    'partition-key': name('its partition key (default: id, for a new table)'),
    'sort-key': name('its sort key (default: it has none)'),
    'ttl-attribute': name('attribute with the moment of expiry (default: ttl)'),
    by: {
      help: 'what the index is keyed by (default: window; for an existing table second)',
      kind: oneOf(INDEXED_BY),
      value: 'WAY',
    },
    region: { ...name('AWS region (default: $AWS_REGION, or us-east-1)'), value: 'REGION' },
    format: {
      help: 'ts or json (default: ts, where this Node reads it)',
      kind: oneOf(['ts', 'json']),
      value: 'FORMAT',
    },
    force: { help: 'write over the file that is there' },
  },
  about: `Writes precise-ttl.config.ts into this folder; where this Node reads no TypeScript, precise-ttl.config.json. Asks in the terminal
for the name of the table, whether it exists already, with its keys, and for the attribute with the moment of expiry; an answer that
is refused is asked for once more. With --table it asks nothing. Keys are of type S: write another type into the file
(partitionKey.type, sortKey.type).`,
  exits: '0 written, 1 not',
  check({ flags }) {
    const { table, existing } = flags;
    const others = ['existing', 'partition-key', 'sort-key', 'ttl-attribute', 'by'] as const;
    const given = others.find(each => flags[each] !== undefined && flags[each] !== false);
    if (table === undefined && !(given === undefined && process.stdin.isTTY)) {
      const where = given === undefined ? 'where no terminal is there to ask at' : `with --${given}`;
      throw wrong('--table', `the name of the table ${where}`, undefined, 'Write --table NAME.');
    }
    const expected = 'the one that the existing table has';
    if (existing && flags['partition-key'] === undefined)
      throw wrong('--partition-key', expected, undefined, 'Write --partition-key NAME.');
  },
  async run({ flags, signal }) {
    const format = flags.format ?? (process.features.typescript ? 'ts' : 'json');
    const file = `precise-ttl.config.${format}`;
    refuseOthers(file, flags.force);
    const region = flags.region ?? regionHere() ?? 'us-east-1';
    const ask = (asked: string) => question(asked, signal);
    const { table: tableName, existing: existingTable, 'partition-key': partitionKey } = flags;
    const { 'sort-key': sortKey, 'ttl-attribute': ttlAttribute, by: indexedBy } = flags;
    const answers =
      tableName === undefined
        ? await askForTable(ask, region, printError)
        : { tableName, existingTable, partitionKey, sortKey, ttlAttribute, indexedBy };
    const config = configOf(answers, region);
    try {
      writeFileSync(file, configText(config, format));
    } catch (error) {
      const { message } = error as Error;
      throw wrong(file, 'a folder that can be written to', message, 'Run it in another one.');
    }
    const isOld = format === 'json' && flags.format === undefined;
    return {
      data: { file, config },
      text: `${isOld ? `Node ${process.versions.node} reads no TypeScript: the configuration is JSON.\n` : ''}${file}: table ${answers.tableName} in ${region}.

  See it work on this machine:  ${commandLine('start', ['--minutes', '1'])}
  What would be deployed:       ${commandLine('deploy', ['--diff'])}
  Deploy it:                    ${commandLine('deploy')}`,
      exit: EXIT.fine,
    };
  },
});

type AnswerName = 'existingTable' | 'partitionKey' | 'sortKey' | 'ttlAttribute' | 'indexedBy';
type Answers = Pick<FlatProps, 'tableName'> & {
  readonly [Name in AnswerName]?: FlatProps[Name] | undefined;
};

function refuseOthers(file: string, isForced: boolean): void {
  const there = CONFIG_FILES.filter(each => existsSync(each));
  const other = there.find(each => each !== file);
  const remedy = 'Add the table to it, or remove it first.';
  if (other !== undefined) throw wrong(file, 'no other configuration in this folder', other, remedy);
  if (there.length > 0 && !isForced)
    throw wrong(file, 'no such file', 'one', 'Add the table to it, or write over it with --force.');
}

/**
 * Asks for a table's name, keys and TTL attribute, each until the answer is accepted.
 * @param ask returns the answer; an empty answer means the default, which the question has in brackets
 */
export async function askForTable(
  ask: (question: string) => Promise<string>,
  region: string,
  tell: (message: string) => void,
): Promise<Answers> {
  let answers: Answers = { tableName: 'Sessions', existingTable: false, partitionKey: undefined };
  const askFor = async (text: string, read: (answer: string) => Partial<Answers>): Promise<void> => {
    const answer = await ask(text);
    if (answer === '') return;
    const given = read(answer);
    const changed = { ...answers, ...given };
    try {
      configOf(changed, region);
    } catch (error) {
      if (!(error instanceof InvalidConfigError)) throw error;
      // Only problems of fields in `given` count: a key named `ttl` is accepted, since the next answer may be another TTL attribute.
      if (error.problems.some(({ field }) => (field.split('.')[1] ?? '') in given)) {
        tell(error.message);
        return askFor(text, read);
      }
    }
    answers = changed;
  };
  await askFor('Name of the table? [Sessions] ', tableName => ({ tableName }));
  const keys =
    'New, or existing? For a new table press Enter; for an existing one type its partition key, and its sort key after a blank if it has one: [new] ';
  await askFor(keys, answer => {
    const [partitionKey, sortKey] = answer.split(/[\s,]+/);
    return answer.toLowerCase() === 'new' ? {} : { existingTable: true, partitionKey, sortKey };
  });
  await askFor('Attribute with the moment of expiry? [ttl] ', ttlAttribute => ({ ttlAttribute }));
  return answers;
}

function configOf(answers: Answers, region: string): DeploymentConfig {
  const { existingTable, partitionKey = 'id', ttlAttribute = 'ttl' } = answers;
  // The writers of an existing table need no change if it is indexed by second.
  const indexedBy = answers.indexedBy ?? (existingTable ? 'second' : undefined);
  const table = {
    ...answers,
    existingTable: existingTable || undefined,
    partitionKey,
    ttlAttribute,
    indexedBy,
  };
  return checkConfig({ region, state: { backend: 'local' }, tables: [propsOfSettings(table as FlatProps)] });
}

export function configText(config: DeploymentConfig, format: 'ts' | 'json'): string {
  if (format === 'json') return `${JSON.stringify(config, null, 2)}\n`;
  const { region, state, tables } = config;
  return `import type { DeploymentConfig } from 'precise-ttl/cdktf';

// Every field: docs/reference/configuration.md of precise-ttl. What is wrong or misspelt is refused before anything is written or deployed.
export default {
  region: ${literal(region)},

  // Terraform's state. For a team: { backend: 's3', bucket: 'my-terraform-state' }
  state: ${literal(state ?? {})},

  tables: [
${tables.map(table => `    ${literal(table)},`).join('\n')}
  ],
} satisfies DeploymentConfig;
`;
}

const literal = (value: unknown): string =>
  inspect(value, { depth: null, compact: true, breakLength: Infinity });

/** An entry of `tables`, a field on each line. */
export const configurationBlock = (props: PreciseTtlProps): string => {
  const fields = Object.entries(props).map(([field, value]) => `      ${field}: ${literal(value)},`);
  return ['    {', ...fields, '    },'].join('\n');
};
