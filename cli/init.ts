import { existsSync, writeFileSync } from 'node:fs';
import { CONFIG_FILES } from '../config/config-file.ts';
import { PreciseTtlError } from '../expiry/errors.ts';
import { commandLine } from '../operate/command-line.ts';
import { question } from './consent.ts';
import { BY, FlagError, type FlagValues, switchFlag, textFlag } from './flags.ts';
import { type Answers, askForTable, configOf, configText, refusalOf } from './init/configuration.ts';
import { print, printError } from './print.ts';
import { defineCommand } from './run-command.ts';

/** `precise-ttl init`: writes a configuration. See `--help`. */

const FLAGS = {
  table: textFlag('NAME', 'name of the table; without it, three questions are asked'),
  existing: switchFlag('the table exists already, and is only to be swept'),
  'partition-key': textFlag('NAME', 'its partition key (default: id, for a new table)'),
  'sort-key': textFlag('NAME', 'its sort key (default: it has none)'),
  'ttl-attribute': textFlag('NAME', 'attribute with the moment of expiry (default: ttl)'),
  by: {
    ...BY,
    help: 'what the index is keyed by: second or window (default: window; for an existing table second)',
  },
  region: textFlag('REGION', 'AWS region (default: $AWS_REGION, or us-east-1)'),
  json: switchFlag('write precise-ttl.config.json'),
  force: switchFlag('write over the file that is there'),
} as const;

const help = (flags: string) => `npx precise-ttl init [flags]

Writes precise-ttl.config.ts into this folder; where this Node reads no TypeScript, precise-ttl.config.json. Asks in the terminal
for the name of the table, whether it exists already, with its keys, and for the attribute with the moment of expiry; an answer that
is refused is asked for once more. With --table it asks nothing. Keys are of type S: write another type into the file
(partitionKey.type, sortKey.type).

${flags}

Exit status: 0 written, 1 not: a configuration is there, or this one would be wrong; 2 wrong flags.`;

async function run(flags: FlagValues<typeof FLAGS>): Promise<number> {
  const asJson = flags.json || !process.features.typescript;
  const file = asJson ? 'precise-ttl.config.json' : 'precise-ttl.config.ts';
  refuseOthers(file, CONFIG_FILES, flags.force);
  const region = regionOf(flags.region);
  const config = await configOf(await answersOf(flags, region), region);
  writeConfig(file, configText(config, asJson));
  if (asJson && !flags.json) {
    print(`Node ${process.versions.node} reads no TypeScript: the configuration is JSON.`);
  }
  print(`${file}: table ${config.tables[0]?.tableName} in ${config.region}.

  See it work on this machine:  ${commandLine('start', '--minutes 1')}
  What would be deployed:       ${commandLine('deploy', '--diff')}
  Deploy it:                    ${commandLine('deploy')}`);
  return 0;
}

function answersOf(flags: FlagValues<typeof FLAGS>, region: string): Answers | Promise<Answers> {
  const { table, existing } = flags;
  const answered = {
    existingTable: existing,
    sortKey: flags['sort-key'],
    ttlAttribute: flags['ttl-attribute'],
    indexedBy: flags.by,
  };
  if (table === undefined) {
    const others = (['existing', 'partition-key', 'sort-key', 'ttl-attribute', 'by'] as const).filter(
      name => flags[name] !== undefined && flags[name] !== false,
    );
    if (others.length === 0 && process.stdin.isTTY) {
      return askForTable(question, answers => refusalOf(answers, region), printError);
    }
    throw new FlagError(
      `--table: expected the name of the table${others.length > 0 ? ` with --${others[0]}` : ' where no terminal is there to ask at'}, got none; write --table NAME`,
    );
  }
  const partitionKey = flags['partition-key'];
  if (existing && partitionKey === undefined) {
    throw new FlagError(
      '--partition-key: expected the one that the existing table has, got none; write --partition-key NAME',
    );
  }
  return { tableName: table, partitionKey, ...answered };
}

function regionOf(given: string | undefined): string {
  return given ?? (process.env['AWS_REGION'] || process.env['AWS_DEFAULT_REGION'] || 'us-east-1');
}

export const command = defineCommand({ flags: FLAGS, help, run });

/** A configuration already exists, or the file cannot be written. */
export class InitError extends PreciseTtlError {
  override readonly name = 'InitError';
}

/**
 * Refuses to overwrite a configuration, and to leave two in the folder.
 *
 * @param names of all files that can be a configuration
 * @throws {InitError}
 */
export function refuseOthers(file: string, names: readonly string[], force: boolean): void {
  const there = names.filter(name => existsSync(name));
  const other = there.find(name => name !== file);
  if (other !== undefined) {
    throw new InitError(
      `${file}: expected no other configuration in this folder, got ${other}; remove it first, or add a table to it`,
    );
  }
  if (there.length > 0 && !force) {
    throw new InitError(
      `${file}: expected no such file, got one; add a table to it, or write over it with --force`,
    );
  }
}

/** @throws {InitError} */
export function writeConfig(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new InitError(
      `${file}: expected a folder that can be written to, got: ${(error as Error).message}`,
    );
  }
}
