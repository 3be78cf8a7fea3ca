import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Execution } from 'stepfunctions-emulator';
import { describeReport } from '../../cli/backfill/text.ts';
import { modelOf } from '../../config/model-of.ts';
import { backfillName } from '../../config/names.ts';
import { resolveProps } from '../../config/props.ts';
import { LocalCloud } from '../../local/cloud.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import type { BackfillReport } from '../../statemachine/backfill-contract.ts';
import { sumOfItems } from '../../statemachine/backfill-counts.ts';
import { Filled, TABLE } from './filled.ts';
import { Renewer } from './renewer.ts';

export interface BackfillBenchOptions {
  readonly items: number;
  readonly rate: number;
  readonly segments: number;
  readonly interrupt: boolean;
  readonly print: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Calls that were under way at a stop go on for as long as a call takes, and their writes are none of the next execution's. */
const AFTER_STOP_MS = 1_000;

/** @returns what does not hold; empty when all does */
export async function runBackfillBench(options: BackfillBenchOptions): Promise<string[]> {
  const config = { region: 'us-east-1', tables: [TABLE] };
  const stack = plainStack(config);
  const cloud = await LocalCloud.start({ stack, environment: {}, schedules: false });
  options.signal.addEventListener('abort', () => void cloud.stop(), { once: true });
  try {
    return await measure(cloud, options);
  } catch (error) {
    if (options.signal.aborted) return [];
    throw error;
  } finally {
    await cloud.stop();
  }
}

async function measure(cloud: LocalCloud, options: BackfillBenchOptions): Promise<string[]> {
  const { items, interrupt, print, rate, segments } = options;
  const documents = DynamoDBDocumentClient.from(cloud.client);
  const table = new Filled(documents, modelOf(TABLE), items);
  let from = Date.now();
  const seconds = () => ((Date.now() - from) / 1000).toFixed(1);
  await table.fill();
  print(`${items.toLocaleString('en-US')} items written in ${seconds()} s`);

  const renewer = new Renewer(documents, table);
  const renewing = renewer.run();
  const input = { segments, ratePerSecond: rate };
  const start = () => cloud.startExecution(backfillName(resolveProps(TABLE).name), input);
  const problems: string[] = [];
  from = Date.now();
  if (interrupt) {
    const execution = start();
    await halfWay(execution, table, items);
    execution.stop('Stopped', 'by the benchmark');
    await execution.done;
    await sleep(AFTER_STOP_MS);
    print(`\nstopped after ${seconds()} s, ${await table.stamped()} items have a window; once more:`);
    from = Date.now();
  }
  const execution = start();
  await execution.done;
  renewer.stop();
  await renewing;
  const text = execution.status === 'SUCCEEDED' ? JSON.stringify(execution.output) : execution.cause;
  print(
    `\n${execution.status} after ${seconds()} s, with ${renewer.renewed} renewals and ${renewer.deleted} deletes meanwhile`,
  );
  if (execution.status !== 'SUCCEEDED') problems.push(`the execution ended as ${execution.status}: ${text}`);
  const report = JSON.parse(text ?? 'null') as BackfillReport;
  print(describeReport(report));

  if (sumOfItems(report) !== report.scanned)
    problems.push(`${sumOfItems(report)} of ${report.scanned} items are counted`);
  return [...problems, ...(await table.problems())];
}

/** Waits until about half of the items have a window, or the execution has ended. */
async function halfWay(execution: Execution, table: Filled, items: number): Promise<void> {
  while (execution.status === 'RUNNING' && (await table.stamped()) < items / 2) {
    // Looking takes DynamoDB Local long, too.
    await sleep(Math.max(500, items / 20));
  }
}
