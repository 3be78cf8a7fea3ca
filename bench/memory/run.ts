import { setTimeout as sleep } from 'node:timers/promises';
import { SFNClient } from '@aws-sdk/client-sfn';
import { checkConfig } from '../../config/config.ts';
import { loadConfigFile } from '../../config/config-file.ts';
import { modelOf } from '../../config/model-of.ts';
import { replayName } from '../../config/names.ts';
import { resolveProps } from '../../config/props.ts';
import { SessionTable } from '../../lab/workload/session-table.ts';
import { DUMMY_CREDENTIALS, localDynamoDb } from '../../local/dynamodb/clients.ts';
import { synthesizedCloud } from '../../local/stack/synthesized.ts';
import { tableOf } from '../../local/stack/table-of.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import { thisMachine } from '../live/machine.ts';
import { type CloudProcess, startCloudProcess } from './cloud-process.ts';
import { keepRunning } from './load.ts';
import { findBelow, memoryOf, requireProcessMemory } from './process-memory.ts';
import type { MemoryResult, MinuteOfSamples, Sample } from './result.ts';

export interface MemoryOptions {
  readonly minutes: number;
  /** Executions that run at any time. */
  readonly concurrency: number;
  /** Expired items for each of them. */
  readonly items: number;
  /** How long it is left alone at the end, seconds. */
  readonly idle: number;
  readonly signal: AbortSignal;
  /** Called at the end of every minute. */
  readonly onMinute: (row: MinuteOfSamples) => void;
}

const SAMPLE_MS = 1_000;
const MINUTE_MS = 60_000;
/** Connections break on a machine that is busy with other work. */
const MAX_ATTEMPTS = 8;
/** More than one connection for each execution would only wait. */
const CONNECTIONS = { httpAgent: { maxSockets: 256 } };

/**
 * Measures what `npx precise-ttl local` holds while executions of the first configured table run, and when they have ended.
 *
 * @throws {NoProcessMemoryError} where memory can't be measured
 * @throws when an execution fails, or doesn't delete what it should
 */
export async function runMemory(options: MemoryOptions): Promise<MemoryResult> {
  requireProcessMemory();
  const machine = thisMachine();
  const target = await firstTable();
  const cloud = await startCloudProcess();
  try {
    return { machine, ...(await measure(options, target, cloud)) };
  } finally {
    await cloud.stop();
  }
}

async function firstTable() {
  const config = checkConfig(await loadConfigFile());
  const [props] = config.tables;
  if (props === undefined) throw new Error('a configuration that was checked has a table');
  const synthesized = synthesizedCloud(plainStack(config));
  const machine = replayName(resolveProps(props).sweep);
  const machineArn = synthesized.stateMachines.find(({ name }) => name === machine)?.arn;
  return { table: tableOf(synthesized, props.tableName), model: modelOf(props), machineArn };
}

async function measure(
  { minutes, concurrency, items, idle, signal, onMinute }: MemoryOptions,
  { table, model, machineArn: stateMachineArn = '' }: Awaited<ReturnType<typeof firstTable>>,
  cloud: CloudProcess,
): Promise<Omit<MemoryResult, 'machine'>> {
  const java = findBelow(cloud.pid, 'DynamoDBLocal');
  const sample = () => sampleOf(cloud.pid, java);
  const dynamoDb = localDynamoDb(cloud.dynamoDbEndpoint, table.region, {
    requestHandler: CONNECTIONS,
    maxAttempts: MAX_ATTEMPTS,
  });
  const sfn = new SFNClient({
    endpoint: cloud.sfnEndpoint,
    region: table.region,
    credentials: {
      accessKeyId: DUMMY_CREDENTIALS.AWS_ACCESS_KEY_ID,
      secretAccessKey: DUMMY_CREDENTIALS.AWS_SECRET_ACCESS_KEY,
    },
    requestHandler: CONNECTIONS,
    maxAttempts: MAX_ATTEMPTS,
  });
  const before = sample();
  let executions = 0;
  const enough = new AbortController();
  const load = keepRunning({
    ...{ sfn, stateMachineArn, table: table.name, concurrency, items },
    sessions: new SessionTable(dynamoDb, { table, model, prefix: 'memory' }),
    signal: AbortSignal.any([enough.signal, signal]),
    onEnded: () => {
      executions += 1;
    },
  });
  const failed = Promise.race([load.then(() => new Promise<never>(() => {})), cloud.ended]);
  failed.catch(() => {});
  const rows: MinuteOfSamples[] = [];
  const startedAt = performance.now();
  try {
    for (let minute = 1; minute <= Math.ceil(minutes) && !signal.aborted; minute++) {
      // By the clock: on a busy machine a sample takes longer than its pause.
      const endsAt = startedAt + Math.min(minute, minutes) * MINUTE_MS;
      const already = executions;
      let most = sample();
      while (performance.now() < endsAt && !signal.aborted) {
        await Promise.race([sleep(SAMPLE_MS), failed]);
        most = greatest(most, sample());
      }
      const row = { minute, executions: executions - already, ...most };
      rows.push(row);
      onMinute(row);
    }
    enough.abort();
    await Promise.race([load, cloud.ended]);
    await Promise.race([sleep(idle * 1000, undefined, { signal }).catch(() => {}), cloud.ended]);
  } finally {
    enough.abort();
    dynamoDb.destroy();
    sfn.destroy();
  }
  return {
    settings: { minutes, concurrency, items },
    before,
    minutes: rows,
    idle: { ...sample(), afterSeconds: idle },
  };
}

function sampleOf(pid: number, java: number | undefined): Sample {
  const { residentMb = 0, threads = 0 } = memoryOf(pid) ?? {};
  const dynamoDb = java === undefined ? undefined : memoryOf(java);
  return {
    residentMb: Math.round(residentMb),
    threads,
    dynamoDbMb: Math.round(dynamoDb?.residentMb ?? 0),
  };
}

function greatest(one: Sample, other: Sample): Sample {
  return {
    residentMb: Math.max(one.residentMb, other.residentMb),
    threads: Math.max(one.threads, other.threads),
    dynamoDbMb: Math.max(one.dynamoDbMb, other.dynamoDbMb),
  };
}
