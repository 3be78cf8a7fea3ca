/** State machine and functions in a process of their own, to be killed: one sweep over everything after the other. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LocalCloud, type LocalCloudOptions } from '../../local/cloud.ts';
import { schedulerTime } from '../../local/scheduler/scheduler.ts';
import { endOf } from '../ledger/accounts.ts';

export interface SweeperStart {
  readonly kind: 'start';
  readonly stack: LocalCloudOptions['stack'];
  /** `AWS_ENDPOINT_URL_…` of what is running. */
  readonly environment: Readonly<Record<string, string>>;
  /** The functions' DynamoDB: a proxy that watches. */
  readonly functionsDynamoDbEndpoint: string;
  readonly machine: string;
  /** Epoch milliseconds; each sweep goes from here to its own start. */
  readonly fromMs: number;
  /** How far the clocks of Step Functions and Lambda are ahead, milliseconds. */
  readonly skewMs: number;
}

export type FromSweeper =
  | { readonly kind: 'begun' }
  | {
      readonly kind: 'ended';
      readonly fromMs: number;
      readonly status: string;
      readonly text: string | undefined;
    }
  | { readonly kind: 'problem'; readonly problem: string };

const PAUSE_MS = 200;

const tell = (message: FromSweeper): void => {
  process.send?.(message);
};

process.on('message', (message: SweeperStart) => void run(message));
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit());

async function run(start: SweeperStart): Promise<void> {
  const { stack, environment, functionsDynamoDbEndpoint, machine, fromMs, skewMs } = start;
  try {
    const cloud = await LocalCloud.start({
      stack,
      environment,
      skewMs,
      functionsDynamoDbEndpoint: () => functionsDynamoDbEndpoint,
      schedules: false,
      mappings: { onlyDrained: true },
    });
    for (;;) {
      const beganMs = Date.now();
      const input = { from: schedulerTime(fromMs), to: schedulerTime(beganMs) };
      tell({ kind: 'begun' });
      const execution = cloud.startExecution(machine, input);
      await execution.done;
      const { status, text, error } = endOf(execution);
      tell({ kind: 'ended', fromMs: beganMs, status, text: error === undefined ? text : `${error} ${text}` });
      await sleep(PAUSE_MS);
    }
  } catch (error) {
    tell({ kind: 'problem', problem: `the sweep could not be started: ${error}` });
  }
}
