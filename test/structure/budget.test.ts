import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { COMMAND_NAMES } from '../../bin/commands.ts';
import { plainStack } from '../../stacks/app.ts';
import { ALARM_NAMES } from '../../stacks/config/alarms.ts';
import { CONFIG_KINDS } from '../../stacks/config/config.ts';
import { WRITTEN_NAMES } from '../../stacks/config/props.ts';
import { replayDefinition, tickDefinition } from '../../statemachine/definition.ts';
import { FUNCTION_ARNS } from '../support/configs.ts';
import { NUMBERS, ROOM_LINES, WORDS } from './budgets.ts';

/** The files of the repository, with those that are not committed yet. */
const FILES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter(file => file !== '' && existsSync(file));

function linesIn(room: string): number {
  const sources = FILES.filter(file => file.startsWith(`${room}/`) && /\.(ts|css|html)$/.test(file));
  return sources.reduce((lines, file) => lines + readFileSync(file, 'utf8').split('\n').length - 1, 0);
}

function wordsOf(documents: readonly string[]): number {
  const files = FILES.filter(file => documents.some(pattern => matchesGlob(file, pattern)));
  return files.flatMap(file => readFileSync(file, 'utf8').split(/\s+/).filter(Boolean)).length;
}

test.each(ROOM_LINES)('$rooms have at most $most lines', ({ rooms, most }) => {
  const lines = rooms.map(linesIn);
  expect(lines).not.toContain(0);
  expect(lines.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(most);
});

test.each(WORDS)('$documents have at most $most words', ({ documents, most }) => {
  const words = wordsOf(documents);
  expect(words).toBeGreaterThan(0);
  expect(words).toBeLessThanOrEqual(most);
});

const MACHINES: readonly object[] = [
  tickDefinition(FUNCTION_ARNS, { tables: [] }),
  replayDefinition(FUNCTION_ARNS, { tables: [] }),
];

/** The names of the states of a machine, with those inside its Maps. */
function statesIn(definition: object): string[] {
  return Object.entries(definition).flatMap(([field, value]) => {
    if (typeof value !== 'object' || value === null) return [];
    return [...(field === 'States' ? Object.keys(value) : []), ...statesIn(value)];
  });
}

const COUNTED: { readonly [Name in keyof typeof NUMBERS]: () => readonly string[] } = {
  commands: () => COMMAND_NAMES,
  props: () =>
    [...new Set([...WRITTEN_NAMES, ...Object.keys(CONFIG_KINDS)])].filter(name => name !== 'tables'),
  alarms: () => ALARM_NAMES,
  states: () => [...new Set(MACHINES.flatMap(statesIn))],
  files: () => FILES,
  resourcesOfHundredTables: () => {
    const tables = Array.from({ length: 100 }, (_none, index) => ({
      tableName: `Table${index}`,
      partitionKey: 'id',
    }));
    const { resource } = plainStack({ region: 'us-east-1', tables });
    return Object.values(resource)
      .flatMap(Object.keys)
      .filter(name => !name.startsWith('Table'));
  },
};

test.each(Object.entries(COUNTED))('there are no more %s than decided', (name, counted) => {
  const names = counted();
  expect(names.length).toBeGreaterThan(0);
  expect(names.length).toBeLessThanOrEqual(NUMBERS[name as keyof typeof NUMBERS]);
});
