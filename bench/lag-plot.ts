/** `npm run bench lag-plot`: draws the plot again from the JSON of an earlier `npm run bench lag`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { FlagError, type FlagValues } from '../cli/flags.ts';
import { runCommand } from '../cli/run-command.ts';
import { RESULT_FLAG, svgBeside } from './lag/files.ts';
import type { LagResult } from './lag/result.ts';
import { resultFile } from './live/command.ts';

const FLAGS = { json: RESULT_FLAG } as const;

const help = (flags: string) => `npm run bench lag-plot -- [flags]

Draws the plot of an earlier npm run bench lag again, beside its result.

${flags}`;

async function run(flags: FlagValues<typeof FLAGS>): Promise<number> {
  const file = resultFile('json', flags.json);
  const { drawLag } = await import('./lag/plot.ts');
  writeFileSync(svgBeside(file), drawLag(readResult(file, flags.json)));
  console.log(svgBeside(flags.json));
  return 0;
}

function readResult(file: string, path: string): LagResult {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as LagResult;
  } catch (error) {
    throw new FlagError(
      `--json: expected a result of npm run bench lag, got ${path}: ${error}; run that first`,
    );
  }
}

await runCommand({ flags: FLAGS, help, run });
