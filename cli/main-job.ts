import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { type DemoOutcome, runDemo } from '../local/demo/run.ts';
import { checkConfig, InvalidConfigError } from '../stacks/config.ts';
import { loadConfigFile } from '../stacks/config-file.ts';
import { modelOf } from '../stacks/model-of.ts';
import { resolveProps } from '../stacks/props.ts';
import { withSynthesized } from './with-synthesized.ts';

export interface MainJobOptions {
  /** Minutes during which sessions expire. */
  readonly minutes: number;
  /** Sessions per second. */
  readonly rate: number;
  /** @default another one each time */
  readonly seed: number | undefined;
  /** Where to write the result as JSON. */
  readonly resultFile: string | undefined;
  /** Ends the job early, with what is known. */
  readonly signal: AbortSignal;
}

/**
 * Synthesizes the project's configuration and runs the main job on its first table.
 *
 * @throws {ConfigFileError}, {InvalidConfigError} or {LocalCloudError}, for a person to read
 */
export async function runMainJob(options: MainJobOptions): Promise<DemoOutcome> {
  const config = checkConfig(await loadConfigFile());
  const [table] = config.tables;
  // checkConfig refuses a configuration without tables.
  if (table === undefined) throw new InvalidConfigError([]);
  return withSynthesized(config, async cdktfOut => {
    const outcome = await runDemo({
      cdktfOut,
      tableName: table.tableName,
      model: modelOf(table),
      minutes: options.minutes,
      rate: options.rate,
      seed: options.seed ?? randomInt(2 ** 32),
      precisionSeconds: resolveProps(table).precisionSeconds,
      output: process.stdout,
      signal: options.signal,
    });
    if (options.resultFile !== undefined) {
      writeFileSync(options.resultFile, `${JSON.stringify(outcome.result, null, 2)}\n`);
    }
    return outcome;
  });
}
