import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { seededRandom } from 'stepfunctions-emulator';
import { type ExpiryModel, expiryAttributes } from '../../expiry/index.ts';
import { LocalCloud, type LocalCloudOptions } from '../../local/cloud.ts';
import { schedulerTime } from '../../local/scheduler/scheduler.ts';
import type { DynamoDbCall } from '../faults/index.ts';
import { startFaultProxy } from '../faults/index.ts';
import { Accounts, endOf } from '../ledger/accounts.ts';
import { machinesOf } from '../watch/machines.ts';

export interface ThrottleOptions {
  readonly stack: LocalCloudOptions['stack'];
  readonly tableName: string;
  readonly model: ExpiryModel;
  readonly seconds: number;
  readonly items: number;
  readonly seed: number;
}

export interface ThrottleResult {
  readonly items: number;
  readonly left: number;
  readonly status: string;
  /** Found, deleted and so on do not add up: a sentence. */
  readonly wrong: readonly string[];
  readonly chunks: number;
  /** Mean calls of a chunk while everything was throttled. */
  readonly callsPerChunk: number;
  /** Mean seconds between a chunk's first and second call, its second and third, and so on. */
  readonly gaps: readonly number[];
  /** Most calls in one second, of those in which everything was throttled and the first waits were over. */
  readonly maxCallsPerSecond: number;
}

const AHEAD_SECONDS = 3600;

/** Every delete of one window is throttled for a time, then none: what the sweep makes of it. */
export async function runThrottle(options: ThrottleOptions): Promise<ThrottleResult> {
  const { stack, tableName, model, seconds, items, seed } = options;
  let throttledUntil = Number.POSITIVE_INFINITY;
  const calls: DynamoDbCall[] = [];
  let proxy: Awaited<ReturnType<typeof startFaultProxy>> | undefined;
  const cloud = await LocalCloud.start({
    stack,
    schedules: false,
    random: seededRandom(seed),
    functionsDynamoDbEndpoint: async target => {
      proxy = await startFaultProxy({
        target,
        choose: call => {
          if (call.keys.length === 0) return undefined;
          if (throttledUntil === Number.POSITIVE_INFINITY) throttledUntil = call.at + seconds * 1000;
          if (call.at >= throttledUntil) return undefined;
          calls.push(call);
          return {
            name: 'throttled',
            effect: { kind: 'refuse', error: 'ProvisionedThroughputExceededException', status: 400 },
          };
        },
      });
      return proxy.endpoint;
    },
  });
  try {
    const window = Math.floor(Date.now() / 60_000) * 60 - AHEAD_SECONDS;
    const documents = DynamoDBDocumentClient.from(cloud.client);
    const all = Array.from({ length: items }, (_unused, index) => {
      const key = { [model.partitionKey]: `item-${index}` };
      return { ...key, ...expiryAttributes(model, key, { expiresAt: window + (index % 60) }) };
    });
    for (let start = 0; start < items; start += 25) {
      const requests = all.slice(start, start + 25).map(Item => ({ PutRequest: { Item } }));
      await documents.send(new BatchWriteCommand({ RequestItems: { [tableName]: requests } }));
    }
    const accounts = new Accounts();
    const input = { from: schedulerTime(window * 1000), to: schedulerTime((window + 60) * 1000) };
    const execution = await cloud.startExecution(machinesOf(cloud).replay, input).done;
    accounts.add(endOf(execution));
    return {
      items,
      left: items - accounts.totals.deleted,
      status: execution.error ?? execution.status,
      wrong: accounts.wrong,
      ...spread(calls),
    };
  } finally {
    await cloud.stop();
    await proxy?.stop();
  }
}

/** How the calls of each chunk were spread over the time. */
function spread(
  calls: readonly DynamoDbCall[],
): Pick<ThrottleResult, 'chunks' | 'callsPerChunk' | 'gaps' | 'maxCallsPerSecond'> {
  const byChunk = Map.groupBy(calls, ({ keys }) => keys[0]);
  const gaps: number[][] = [];
  for (const each of byChunk.values()) {
    for (const [index, call] of each.slice(1).entries()) {
      const gap = (call.at - (each[index]?.at ?? call.at)) / 1000;
      gaps[index] = [...(gaps[index] ?? []), gap];
    }
  }
  const first = calls[0]?.at ?? 0;
  const seconds = Map.groupBy(calls, ({ at }) => Math.floor((at - first) / 1000));
  const later = [...seconds].filter(([second]) => second >= 10).map(([, each]) => each.length);
  return {
    chunks: byChunk.size,
    callsPerChunk: calls.length / Math.max(1, byChunk.size),
    gaps: gaps.map(column => column.reduce((sum, gap) => sum + gap, 0) / column.length),
    maxCallsPerSecond: Math.max(0, ...later),
  };
}

/** The result as a person reads it. */
export function formatThrottle(result: ThrottleResult, seconds: number): string {
  const { items, left, status, wrong, chunks, callsPerChunk, gaps, maxCallsPerSecond } = result;
  return [
    `Every delete throttled for ${seconds} s, then none:`,
    `  ${items} items in one window, ${left} of them left; the execution ended ${status}`,
    `  ${chunks} chunks called ${callsPerChunk.toFixed(1)} times each while throttled, on average`,
    `  gaps between a chunk's calls, mean seconds: ${gaps.map(gap => gap.toFixed(1)).join(', ')}`,
    `  at most ${maxCallsPerSecond} calls in one second after the first ten seconds`,
    ...wrong.map(line => `  ✗ ${line}`),
  ].join('\n');
}
