import { writeFileSync } from 'node:fs';
import { FlagError, MINUTES, RATE, SEED } from '../../cli/flags.ts';
import { writableFile } from '../../cli/writable-file.ts';

/** Flags that every benchmark in real time has. */
export const RUN_FLAGS = {
  minutes: { ...MINUTES, help: 'how long items keep expiring' },
  rate: { ...RATE, help: 'items per second and table' },
  seed: { ...SEED, default: 1, help: 'makes the same items and delays again' },
} as const;

/**
 * Checks the name of a file for results before the run whose result it is to take.
 *
 * @throws {FlagError}
 */
export function resultFile(flag: string, path: string): string {
  if (!path.endsWith('.json')) {
    throw new FlagError(`--${flag}: expected the name of a .json file, got "${path}"`);
  }
  return writableFile(`--${flag}`, path);
}

export function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${formatJson(value)}\n`);
}

/** Indented, but with each point of a distribution on one line: a diff of two runs stays readable. */
function formatJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/\[\s+(-?[\d.]+),\s+(-?[\d.]+)\s+\]/g, '[$1, $2]');
}
