/** `npm run bench memory`: measures the memory of `npx precise-ttl local` under load. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { DUMMY_CREDENTIALS, localDynamoDb } from 'aws-on-loopback/dynamodb/clients';
import { loadConfig } from '../../config/load-config.ts';
import { modelOf } from '../../config/model-of.ts';
import { replayName } from '../../config/names.ts';
import { resolveProps } from '../../config/props.ts';
import { synthesizedCloud } from '../../local/stack/synthesized.ts';
import { tableOf } from '../../local/stack/table-of.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';
import { count } from '../report/numbers.ts';
import { SessionTable } from '../workload/session-table.ts';
import { type CloudProcess, memoryOf, startCloudProcess } from './memory/processes.ts';
import { defineExperiment, type Run } from './support/experiment.ts';
import { whole } from './support/flags.ts';
import { markdownTable } from './support/table.ts';

const FLAGS = {
  minutes: { type: 'number', min: 0.1, max: 1440, default: 20, value: 'N', help: 'how long executions run' },
  concurrency: whole({ min: 1, max: 1000 }, 100, 'executions that run at any time'),
  items: whole({ min: 1, max: 1000 }, 25, 'expired items that each of them deletes'),
  idle: whole({ min: 0, max: 3600 }, 60, 'seconds that it rests at the end'),
} as const;

type MemoryRun = Run<typeof FLAGS>;

export default defineExperiment({
  name: 'memory',
  about: `
Starts npx precise-ttl local in a process of its own, on free ports, and keeps executions running through its API, each a sweep over
items that it was given. Every second it looks at the process's resident memory and threads, and shows the most of each minute.
DynamoDB Local is another process, and has a column of its own. Linux only.`,
  flags: FLAGS,
  holds:
    'no execution failed, it held at most 600 MB, and was flat from minute to minute (judged from 10 minutes on)',
  file: 'memory.json',
  async run(run) {
    if (memoryOf(process.pid) === undefined) {
      return { unproven: [`only Linux says what a process holds; this is ${process.platform}`] };
    }
    const cloud = await startCloudProcess();
    try {
      const result = await measure(run, cloud);
      return { text: memoryTable(result), result, problems: problemsOf(result) };
    } finally {
      await cloud.stop();
    }
  },
});

/** A measurement of the processes. */
interface Sample {
  /** MB of the process of `npx precise-ttl local`: the interpreter, the API, the proxies and the functions' threads. */
  readonly residentMb: number;
  readonly threads: number;
  /** Memory of DynamoDB Local, another process, in MB; 0 when the process was not found. */
  readonly dynamoDbMb: number;
}

/** A full or partial minute. */
interface MinuteOfSamples extends Sample {
  /** Number of the minute, starting with 1. */
  readonly minute: number;
  /** Maximum within the minute, like every other number of the row. */
  readonly residentMb: number;
  /** Executions that ended in it. */
  readonly executions: number;
}

export interface MemoryResult {
  /** Sample before the first execution. */
  readonly before: Sample;
  readonly minutes: readonly MinuteOfSamples[];
  /** Measured a while after the last execution. */
  readonly idle: Sample & { readonly afterSeconds: number };
}

/** Upper limit of resident memory, MB. */
const MAX_MB = 600;
/** Largest ratio of the memory in the second half of a run to that in the first half: more is a leak. */
const GROWTH = 1.1;
/** Shorter runs prove nothing about growth: the heap is still warming up. */
const MIN_MINUTES_TO_JUDGE_GROWTH = 10;

/** Problems of the run, one sentence each. */
export function problemsOf({ minutes, idle }: MemoryResult): string[] {
  const most = Math.max(...minutes.map(({ residentMb }) => residentMb));
  const half = Math.floor(minutes.length / 2);
  const mean = (rows: readonly MinuteOfSamples[]) =>
    rows.reduce((sum, { residentMb }) => sum + residentMb, 0) / rows.length;
  const [first, second] = [mean(minutes.slice(0, half)), mean(minutes.slice(half))];
  const grows = minutes.length >= MIN_MINUTES_TO_JUDGE_GROWTH && second > first * GROWTH;
  return [
    ...(most > MAX_MB ? [`it held ${count(most)} MB at most; expected at most ${MAX_MB}`] : []),
    ...(idle.residentMb > most ? [`it held more when idle (${count(idle.residentMb)} MB) than before`] : []),
    ...(grows
      ? [
          `it held ${count(Math.round(second))} MB on average in the second half, ${count(Math.round(first))} in the first; ` +
            `expected at most ${Math.round((GROWTH - 1) * 100)}% more`,
        ]
      : []),
  ];
}

/** Table with a row for each minute, and the memory before and after. */
function memoryTable({ before, minutes, idle }: MemoryResult): string {
  const cells = ({ residentMb, threads, dynamoDbMb }: Sample) => [residentMb, threads, dynamoDbMb].map(count);
  return markdownTable(
    ['minute', 'executions', 'resident, MB', 'threads', 'DynamoDB Local, MB'],
    [
      ['before', '', ...cells(before)],
      ...minutes.map(row => [String(row.minute), count(row.executions), ...cells(row)]),
      [`idle for ${idle.afterSeconds} s`, '', ...cells(idle)],
    ],
  );
}

const SAMPLE_MS = 1_000;
const POLL_MS = 500;
const MINUTE_MS = 60_000;
/** Age beyond the lookback of every tick. */
const AGE_MINUTES = 40 * 24 * 60;
/** Connections break on a machine that is busy with other work; waiting for a free socket would delay executions. */
const CONNECTION = { maxAttempts: 8, requestHandler: { httpAgent: { maxSockets: 256 } } };

async function measure(run: MemoryRun, cloud: CloudProcess): Promise<MemoryResult> {
  const { flags, signal, print } = run;
  const before = sampleOf(cloud);
  let executions = 0;
  const enough = new AbortController();
  const load = keepRunning(cloud, flags, AbortSignal.any([enough.signal, signal]), () => {
    executions += 1;
  });
  const failed = Promise.race([load.then(() => new Promise<never>(() => {})), cloud.ended]);
  failed.catch(() => {});
  const minutes: MinuteOfSamples[] = [];
  const startedAt = performance.now();
  try {
    for (let minute = 1; minute <= Math.ceil(flags.minutes) && !signal.aborted; minute++) {
      // Sample times follow the clock: on a busy machine a sample takes longer than its pause.
      const endsAt = startedAt + Math.min(minute, flags.minutes) * MINUTE_MS;
      const already = executions;
      const samples = [sampleOf(cloud)];
      while (performance.now() < endsAt && !signal.aborted) {
        await Promise.race([sleep(SAMPLE_MS), failed]);
        samples.push(sampleOf(cloud));
      }
      const most = (name: keyof Sample) => Math.max(...samples.map(sample => sample[name]));
      const [residentMb, threads, dynamoDbMb] = [most('residentMb'), most('threads'), most('dynamoDbMb')];
      minutes.push({ minute, executions: executions - already, residentMb, threads, dynamoDbMb });
      print(`minute ${minute}: ${residentMb} MB, ${threads} threads, ${executions - already} executions`);
    }
    enough.abort();
    await Promise.race([load, cloud.ended]);
    await Promise.race([sleep(flags.idle * 1000, undefined, { signal }).catch(() => {}), cloud.ended]);
  } finally {
    enough.abort();
  }
  return { before, minutes, idle: { ...sampleOf(cloud), afterSeconds: flags.idle } };
}

function sampleOf({ pid, dynamoDbPid }: CloudProcess): Sample {
  const { residentMb = 0, threads = 0 } = memoryOf(pid) ?? {};
  const dynamoDb = dynamoDbPid === undefined ? undefined : memoryOf(dynamoDbPid);
  return {
    residentMb: Math.round(residentMb),
    threads,
    dynamoDbMb: Math.round(dynamoDb?.residentMb ?? 0),
  };
}

/**
 * Keeps executions running through the API. Each has its own minute, in which it finds items of the first configured table to delete.
 * @throws if an execution doesn't succeed, or deletes another number of items than there were
 */
async function keepRunning(
  { sfnEndpoint, dynamoDbEndpoint }: CloudProcess,
  { concurrency, items }: MemoryRun['flags'],
  signal: AbortSignal,
  onEnded: () => void,
): Promise<void> {
  const config = await loadConfig();
  const [props] = config.tables;
  if (props === undefined) throw new Error('a configuration that was checked has a table');
  const synthesized = synthesizedCloud(plainStack(config));
  const machineName = replayName(resolveProps(props).sweep);
  const machine = synthesized.stateMachines.find(({ name }) => name === machineName);
  const table = tableOf(synthesized, props.tableName);
  const dynamoDb = localDynamoDb(dynamoDbEndpoint, table.region, CONNECTION);
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = DUMMY_CREDENTIALS;
  const credentials = { accessKeyId, secretAccessKey };
  const sfn = new SFNClient({ endpoint: sfnEndpoint, region: table.region, credentials, ...CONNECTION });
  const sessions = new SessionTable(dynamoDb, { table, model: modelOf(props), prefix: 'memory' });
  const iso = (epochMilliseconds: number) => new Date(epochMilliseconds).toISOString();

  const sweepOnce = async (from: number, firstItem: number): Promise<void> => {
    // Written one after another: the load under test is the executions, not the writes.
    for (let index = 0; index < items; index++) {
      await sessions.write(firstItem + index, 0, from / 1000 + (index % 60));
    }
    const input = JSON.stringify({ table: table.name, from: iso(from), to: iso(from + MINUTE_MS) });
    const name = `sweep-${firstItem}`;
    await sfn.send(new StartExecutionCommand({ stateMachineArn: machine?.arn, input, name })).catch(error => {
      // The SDK retries when a connection broke before the answer.
      if (!(error instanceof ExecutionAlreadyExists)) throw error;
    });
    const executionArn = `${machine?.arn.replace(':stateMachine:', ':execution:')}:${name}`;
    for (;;) {
      const execution = await sfn.send(new DescribeExecutionCommand({ executionArn }));
      if (execution.status === 'RUNNING') {
        await sleep(POLL_MS);
        continue;
      }
      // A delete whose answer was lost or late is retried, and then finds no item to delete.
      const { deleted, notFound } = JSON.parse(execution.output ?? '{}') as Partial<SweepReport>;
      if (execution.status === 'SUCCEEDED' && Number(deleted) + Number(notFound) === items) return;
      const got = [execution.status, execution.output, execution.error, execution.cause].filter(Boolean);
      throw new Error(`${executionArn}: expected SUCCEEDED and ${items} items gone, got ${got.join(' ')}`);
    }
  };

  const newest = (Math.floor(Date.now() / MINUTE_MS) - AGE_MINUTES) * MINUTE_MS;
  let nextItem = 0;
  const lanes = Array.from({ length: concurrency }, async (_unused, lane) => {
    while (!signal.aborted) {
      nextItem += items;
      await sweepOnce(newest - lane * MINUTE_MS, nextItem - items);
      onEnded();
    }
  });
  try {
    await Promise.all(lanes);
  } finally {
    dynamoDb.destroy();
    sfn.destroy();
  }
}
