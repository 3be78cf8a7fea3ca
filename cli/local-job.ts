import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { serve } from '../local/serve.ts';
import { existingTablesAsMade } from '../local/terraform/existing-tables.ts';
import { checkConfig } from '../stacks/config.ts';
import { resolveProps } from '../stacks/props.ts';
import { keepHeapsLean } from './lean-heaps.ts';
import { FailedCalls } from './local-failed-calls.ts';
import { writeSeed } from './local-seed.ts';
import { describeAlarm, describeExecution, describeLine, describeStart, factsOf } from './local-text.ts';
import { withSynthesized } from './with-synthesized.ts';

export interface LocalJobOptions {
  /** What the configuration file exports. */
  readonly config: unknown;
  /** Where to write, as JSON, what runs. */
  readonly factsFile: string | undefined;
  readonly dynamoDbPort: number;
  readonly sfnPort: number;
  readonly schedulerPort: number;
  readonly cloudWatchPort: number;
  readonly schedules: boolean;
  /** Sessions to write into the first table. */
  readonly seed: number | undefined;
  /** Whether everything that functions print is shown; else only what belongs to a failure. */
  readonly verbose: boolean;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/**
 * Synthesizes the project's configuration and runs it until the signal.
 *
 * @throws {FlagError}, {InvalidConfigError} or {LocalCloudError}, for a person to read
 */
export async function runLocalJob({
  signal,
  seed,
  verbose,
  factsFile,
  ...options
}: LocalJobOptions): Promise<void> {
  keepHeapsLean();
  const config = checkConfig(options.config);
  const machineNames = config.tables.map(table => resolveProps(table).name);
  const failedCalls = new FailedCalls();
  const existing = existingTablesAsMade(config);
  await withSynthesized(config, async cdktfOut => {
    const served = await serve({
      ...options,
      cdktfOut,
      existing,
      environment: process.env,
      functions: {
        onInvocation: record => failedCalls.add(record),
        ...(verbose && { onLog: (name, line) => console.log(describeLine(name, line, machineNames)) }),
      },
      onExecution: execution => console.log(describeExecution(execution, failedCalls.take(execution))),
      onAlarm: seen => console.log(describeAlarm(seen)),
      onScheduleError: (error, { schedule }) => console.error(`${schedule.name} didn't start: ${error}`),
    });
    try {
      const seeded = seed === undefined ? undefined : await writeSeed(seed, served.cloud, config, existing);
      if (factsFile !== undefined) writeFileSync(factsFile, `${JSON.stringify(factsOf(served), null, 2)}\n`);
      console.log(describeStart(served, { schedules: options.schedules, seeded }));
      if (!signal.aborted) await once(signal, 'abort');
    } finally {
      await served.stop();
    }
  });
}
