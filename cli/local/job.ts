import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { checkConfig } from '../../config/config.ts';
import { resolveProps } from '../../config/props.ts';
import { startDashboard } from '../../dashboard/start.ts';
import { serve } from '../../local/serve.ts';
import { existingTablesAsMade } from '../../local/stack/existing-tables.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import { keepHeapsLean } from '../lean-heaps.ts';
import { print, printError } from '../print.ts';
import { pageLook } from '../status.ts';
import { FailedCalls } from './failure.ts';
import { writeSeed } from './seed.ts';
import { describeExpiry, describePipeTrouble } from './sweep-text.ts';
import {
  describeAlarm,
  describeExecution,
  describeLine,
  describeStart,
  environmentOf,
  factsOf,
} from './text.ts';

export interface LocalJobOptions {
  /** The export of the configuration file. */
  readonly config: unknown;
  /** File for the addresses of the running services, as JSON. */
  readonly factsFile: string | undefined;
  readonly dynamoDbPort: number;
  readonly sfnPort: number;
  readonly schedulerPort: number;
  readonly cloudWatchPort: number;
  readonly schedules: boolean;
  /** Number of sessions to write into the first table. */
  readonly seed: number | undefined;
  /** Whether all output of the functions is shown; otherwise only output that belongs to a failure. */
  readonly verbose: boolean;
  /** Stops the command. */
  readonly signal: AbortSignal;
}

/**
 * Synthesizes the project's configuration and runs it until the signal aborts.
 *
 * @throws {FlagError}, {InvalidConfigError} or {LocalCloudError}, with a message for the user
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
  const tables = config.tables.map(resolveProps);
  const [first] = tables;
  if (first === undefined) throw new TypeError('checkConfig refuses a configuration without tables');
  const deployments = [...new Set(tables.map(({ sweep }) => sweep))];
  const failedCalls = new FailedCalls();
  const existing = existingTablesAsMade(config);
  const stack = plainStack(config);
  const served = await serve({
    ...options,
    stack,
    existing,
    childrenAtOnce: CHILDREN_AT_ONCE,
    environment: process.env,
    pipes: {
      onExpiry: delivered => print(describeExpiry(delivered)),
      onError: (error, pipe) => printError(describePipeTrouble(error, pipe)),
    },
    functions: {
      onInvocation: record => failedCalls.add(record),
      ...(verbose && { onLog: (name, line) => print(describeLine(name, line, deployments)) }),
    },
    onExecution: (execution, schedule) =>
      print(
        describeExecution(execution, {
          failedCall: failedCalls.take(execution),
          schedule,
          stopping: signal.aborted,
          verbose,
        }),
      ),
    onAlarm: seen => print(describeAlarm(seen)),
    onScheduleError: (error, { schedule }) => printError(`${schedule.name} didn't start: ${error}`),
  });
  const page = await startDashboard({
    config,
    look: pageLook(config, undefined, environmentOf(served)),
    links: [{ text: 'State machines', href: `${served.endpoint}/` }],
  });
  try {
    const seeded = seed === undefined ? undefined : await writeSeed(seed, served.cloud, config, existing);
    if (factsFile !== undefined) writeFileSync(factsFile, `${JSON.stringify(factsOf(served), null, 2)}\n`);
    print(
      describeStart(served, {
        schedules: options.schedules,
        first,
        page: page.address,
        seeded,
      }),
    );
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await page.stop();
    await served.stop();
  }
}

/**
 * The most child executions of a replay at a time. On AWS each call has a function instance of its own. Here calls wait in a queue while
 * the timeouts of their tasks run: with too many in each of four executions, even the calls of the ticks timed out.
 */
const CHILDREN_AT_ONCE = 5;
