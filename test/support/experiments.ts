import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const FOLDER = join(import.meta.dirname, '../../bench/experiments');

/** What `npm run bench` runs, by name. */
export const EXPERIMENTS = readdirSync(FOLDER).flatMap(file =>
  file.endsWith('.ts') && file !== 'main.ts' ? [file.slice(0, -'.ts'.length)] : [],
);

/** The help of each, from one process: loading them takes seconds. */
export async function helpsOfExperiments(): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(FOLDER, 'main.ts'), '--help']);
  const helps = stdout.split(/^(?=npm run bench [\w-]+ -- \[flags\]$)/m);
  return new Map(helps.map(help => [/^npm run bench ([\w-]+)/.exec(help)?.[1] ?? '', help]));
}
