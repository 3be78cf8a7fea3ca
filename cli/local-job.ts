import { once } from 'node:events';
import { serve } from '../local/serve.ts';
import { loadConfigFile } from '../stacks/config-file.ts';
import { keepHeapsLean } from './lean-heaps.ts';
import { describeExecution, describeStart } from './local-text.ts';
import { withSynthesized } from './with-synthesized.ts';

export interface LocalJobOptions {
  readonly dynamoDbPort: number;
  readonly sfnPort: number;
  readonly schedules: boolean;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/**
 * Synthesizes the project's configuration and runs it until the signal.
 *
 * @throws {ConfigFileError}, {InvalidConfigError} or {LocalCloudError}, for a person to read
 */
export async function runLocalJob({ signal, ...options }: LocalJobOptions): Promise<void> {
  keepHeapsLean();
  await withSynthesized(await loadConfigFile(), async cdktfOut => {
    const served = await serve({
      ...options,
      cdktfOut,
      environment: process.env,
      onExecution: execution => console.log(describeExecution(execution)),
      onScheduleError: (error, { schedule }) => console.error(`${schedule.name} didn't start: ${error}`),
    });
    try {
      console.log(describeStart(served));
      if (!signal.aborted) await once(signal, 'abort');
    } finally {
      await served.stop();
    }
  });
}
