import { DescribeExecutionCommand, StartExecutionCommand, TestStateCommand } from '@aws-sdk/client-sfn';
import { DeleteMessageBatchCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { PutCommand, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { type Bill, monthlyBill } from '../cost/bill.ts';
import { TICKS_A_MONTH } from '../cost/sweep-usage.ts';
import { expiryAttributes } from '../expiry/index.ts';
import { INDEX_SECONDS, journalName, type SweepRow } from '../functions/journal/layout.ts';
import { modelOf } from '../stacks/config/deployments.ts';
import type { ResolvedProps } from '../stacks/config/props.ts';
import { TASKS, type TaskName } from '../statemachine/contract/machines.ts';
import { type Answer, ask, type Clients, seenOf } from './clients.ts';
import type { Given } from './command.ts';
import { billedDeployment } from './cost.ts';
import { counted, lasting } from './dashboard/words.ts';
import { readRows } from './journal.ts';
import { readMetrics } from './metrics.ts';

export type VerifyClients = Pick<Clients, 'dynamoDb' | 'documents' | 'sfn' | 'sqs' | 'cloudWatch'>;

export interface Verified {
  readonly props: ResolvedProps;
  readonly stateMachineArn: string;
  readonly replayStateMachineArn: string;
  readonly queueUrl: string;
  readonly deployment: { readonly unchanged: boolean };
}

export interface ObserveOptions {
  readonly verified: Verified;
  readonly clients: VerifyClients;
  readonly time: Pick<Given, 'now'> & { readonly sleep: (ms: number) => Promise<unknown> };
  readonly show: (line: string) => void;
}

const SECOND = 1_000;
const MINUTE = 60_000;
export const MINUTES = 10;
/** Lifetime of the written items: over two minutes, so that they exist when their tick starts, up to two minutes before they expire. */
const LIFETIME_SECONDS = 150;
/** Wait after the last expiry, because records of the stream and datapoints of CloudWatch arrive late. */
const SETTLE_SECONDS = 150;
/** Numbers of keys to try in a JSONata group-by: it recurses deeper with more keys, and AWS limits the depth. */
const DEPTHS = [50, 80, 90, 95, 97, 98, 99, 100, 105, 120];
/** Longest delay of CloudWatch's datapoints. */
const CLOUDWATCH_MS = 120_000;
const RENEWED_SECONDS = 86_400;

const taskNames = Object.keys(TASKS) as TaskName[];
const nextMinute = (ms: number): number => Math.ceil(ms / MINUTE) * MINUTE;
const functionOf = (task: TaskName, { deployment }: ResolvedProps): string => `${deployment}-${TASKS[task]}`;

export function monthOf(props: ResolvedProps): Bill {
  const load = { itemBytes: 200, renewalsPerItem: 0.1, lifetimeHours: LIFETIME_SECONDS / 3_600 };
  return monthlyBill(billedDeployment([props], { ...load, itemsPerMonth: 60 * TICKS_A_MONTH }));
}

/** What was observed. Reading a field whose question got no answer throws a {@link NoAnswerError}. */
export type Seen = Awaited<ReturnType<typeof observe>>;

export async function observe(options: ObserveOptions) {
  const { verified, clients, time, show } = options;
  const { props } = verified;
  show('the depth of JSONata, a replay');
  const depth = await ask('SFN', () => observeDepth(clients));
  const fromMs = nextMinute(time.now());
  const replay = await ask('SFN', () => observeReplay(options));

  const writer = writerOf(options);
  await writer.write();
  show('the last items expire');
  await writer.waitFor((LIFETIME_SECONDS + 5) * SECOND);
  show('CloudWatch and the stream catch up');
  await writer.waitFor(SETTLE_SECONDS * SECOND);
  const toMs = nextMinute(time.now() - CLOUDWATCH_MS);

  const items = await ask('DYNAMODB', () => writer.look());
  const rows = await ask('DYNAMODB', async () => {
    const found: SweepRow[] = [];
    const journal = { documents: clients.documents, tableName: journalName(props.deployment) };
    for await (const row of readRows(journal, props.tableName)) found.push(row);
    return found;
  });
  const metrics = await ask('CLOUDWATCH', () => observeMetrics(options, fromMs, toMs));
  const express = monthOf(props).lines.find(({ name }) => name === 'Express executions: time');
  // GB-seconds that `npx precise-ttl cost` calculates for the Express executions of the minutes in which items expired.
  const calculatedGbSeconds = ((express?.amount ?? 0) / TICKS_A_MONTH) * writer.busyMinutes();
  return seenOf(
    { deployment: verified.deployment, calculatedGbSeconds },
    { depth, replay, items, rows, metrics, ...writer.seen },
  );
}

/** Returns the largest number of keys in DEPTHS with which a JSONata group-by succeeds, or 0. */
async function observeDepth({ sfn }: VerifyClients): Promise<number> {
  let deepest = 0;
  for (const keys of DEPTHS) {
    const Output = `{% [1..${keys}].{"k": $string($)}{k: 1} %}`;
    const state = { Type: 'Pass', QueryLanguage: 'JSONata', End: true, Output };
    const { status } = await sfn.send(new TestStateCommand({ definition: JSON.stringify(state) }));
    if (status !== 'SUCCEEDED') break;
    deepest = keys;
  }
  return deepest;
}

async function observeReplay({ verified, clients: { sfn }, time }: ObserveOptions) {
  const hour = Math.floor(time.now() / 3_600_000) * 3_600_000;
  const [from, to] = [hour - 7_200_000, hour - 3_600_000].map(ms => new Date(ms).toISOString());
  const input = JSON.stringify({ table: verified.props.tableName, from, to, dryRun: true });
  const start = { stateMachineArn: verified.replayStateMachineArn, input };
  const { executionArn } = await sfn.send(new StartExecutionCommand(start));
  for (; ; await time.sleep(SECOND)) {
    const { status, startDate, stopDate } = await sfn.send(new DescribeExecutionCommand({ executionArn }));
    const tookMs = Number(stopDate) - Number(startDate);
    if (status !== 'RUNNING') return { succeeded: status === 'SUCCEEDED', tookMs };
  }
}

const UNSUCCESSFUL = ['ExecutionsFailed', 'ExecutionsTimedOut', 'ExecutionsAborted'] as const;

/**
 * Reads metrics that AWS itself records. Source: Step Functions Developer Guide, "Execution metrics for Express Workflows"; Lambda
 * Developer Guide.
 */
async function observeMetrics({ verified, clients }: ObserveOptions, fromMs: number, toMs: number) {
  const { stateMachineArn: StateMachineArn, props } = verified;
  const machine = (name: string, stat: 'Sum' | 'Maximum') =>
    [name, 'AWS/States', name, stat, { StateMachineArn }] as const;
  const metrics = [
    ...['ExecutionsStarted', ...UNSUCCESSFUL, 'ExpressExecutionBilledDuration'].map(name =>
      machine(name, 'Sum'),
    ),
    machine('ExpressExecutionBilledMemory', 'Maximum'),
    ...taskNames.map(task => {
      return [task, 'AWS/Lambda', 'Duration', 'Maximum', { FunctionName: functionOf(task, props) }] as const;
    }),
  ];
  const values = await readMetrics(clients.cloudWatch, metrics, [fromMs, toMs], 60);
  const sum = (name: string) => values(name).reduce((total, value) => total + value, 0);
  const most = (name: string) => (values(name).length > 0 ? Math.max(...values(name)) : Number.NaN);
  const memory = most('ExpressExecutionBilledMemory');
  // AWS does not document whether the memory is in bytes or MB. Above a million, it is bytes: no execution takes a million MB.
  const billedMemoryMb = memory > 1e6 ? memory / 2 ** 20 : memory;
  return {
    ...{ minutes: (toMs - fromMs) / MINUTE, started: sum('ExecutionsStarted'), billedMemoryMb },
    unsuccessful: UNSUCCESSFUL.reduce((total, name) => total + sum(name), 0),
    gbSeconds: (sum('ExpressExecutionBilledDuration') / 1_000) * (billedMemoryMb / 1_024),
    // Duration of the longest call of each task that was called, milliseconds.
    longest: Object.fromEntries(
      taskNames.filter(task => values(task).length > 0).map(task => [task, most(task)]),
    ),
  };
}

/** Times are epoch milliseconds. */
interface SeenExpiry {
  readonly expiredAt: number;
  /** A multiple of 1000: AWS rounds the time of a stream's record down to a whole second. */
  readonly deletedAt: number;
  readonly sentAt: number;
}

/** Makes a writer: it writes items that expire, renews each tenth item 1 s before its TTL, and reads the events of the expiries. */
function writerOf({ verified, clients, time, show }: ObserveOptions) {
  const { documents, sqs } = clients;
  const { props, queueUrl: QueueUrl } = verified;
  const { tableName: TableName } = props;
  const due = new Map<string, number>();
  const renewed = new Set<string>();
  const toRenew: { readonly id: string; readonly atMs: number }[] = [];
  /** A queue may deliver an event twice: so the events are kept by id. */
  const events = new Map<string, SeenExpiry>();
  const seen: {
    /** Milliseconds from a put until a query finds the item in the index, or until the queries end without the item. */
    indexLags: Answer<readonly number[]>;
    expiries: Answer<readonly SeenExpiry[]>;
  } = { indexLags: { is: [] }, expiries: { is: [] } };

  const put = async (id: string, expiresAt: number) => {
    const attributes = expiryAttributes(modelOf(props), { id }, { expiresAt, nowMs: time.now() });
    await documents.send(new PutCommand({ TableName, Item: { id, ...attributes } }));
    return attributes;
  };

  const probeIndex = async (id: string, attributes: Awaited<ReturnType<typeof put>>): Promise<void> => {
    if ('not' in seen.indexLags) return;
    const lags = seen.indexLags.is;
    const { indexName: IndexName, windowAttribute, ttlAttribute } = props;
    const { [windowAttribute]: window, [ttlAttribute]: ttl } = attributes;
    const query = new QueryCommand({
      ...{ TableName, IndexName, KeyConditionExpression: '#window = :window AND #ttl = :ttl' },
      ExpressionAttributeNames: { '#window': windowAttribute, '#ttl': ttlAttribute },
      ExpressionAttributeValues: { ':window': window, ':ttl': ttl },
    });
    const written = time.now();
    seen.indexLags = await ask('DYNAMODB', async () => {
      for (; ; await time.sleep(50)) {
        const { Items = [] } = await documents.send(query);
        const isThere = Items.some(item => item['id'] === id);
        if (isThere || time.now() - written > INDEX_SECONDS * SECOND) return [...lags, time.now() - written];
      }
    });
  };

  const receive = async (): Promise<readonly SeenExpiry[]> => {
    const MessageSystemAttributeNames = ['SentTimestamp' as const];
    for (;;) {
      const asked = { QueueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames };
      const { Messages = [] } = await sqs.send(new ReceiveMessageCommand(asked));
      if (Messages.length === 0) return [...events.values()];
      for (const { Body = '{}', Attributes } of Messages) {
        const { id, expiredAt, deletedAt } = JSON.parse(Body);
        const times = { expiredAt: Date.parse(expiredAt), deletedAt: Date.parse(deletedAt) };
        events.set(id, { ...times, sentAt: Number(Attributes?.SentTimestamp) });
      }
      const Entries = Messages.map(({ ReceiptHandle }, at) => ({ Id: String(at), ReceiptHandle }));
      await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    }
  };

  const turn = async (): Promise<void> => {
    for (let [next] = toRenew; next !== undefined && next.atMs <= time.now(); [next] = toRenew) {
      toRenew.shift();
      await put(next.id, Math.floor(time.now() / SECOND) + RENEWED_SECONDS);
      renewed.add(next.id);
    }
    if ('is' in seen.expiries) seen.expiries = await ask('SQS', receive);
  };

  return {
    seen,

    /** Number of minutes in which items expired. */
    busyMinutes: () => new Set([...due.values()].map(ttl => Math.floor(ttl / 60))).size,

    async write(): Promise<void> {
      const until = time.now() + MINUTES * MINUTE - (LIFETIME_SECONDS + SETTLE_SECONDS) * SECOND;
      for (let count = 0; time.now() < until; count += 1) {
        const began = time.now();
        const left = lasting((until - began) / SECOND);
        show(`${counted(count, 'item')} written, ${events.size} expiries told of, about ${left} left`);
        const id = `item-${count}`;
        const ttl = Math.floor(began / SECOND) + LIFETIME_SECONDS;
        const attributes = await put(id, ttl);
        if (count % 10 === 0) toRenew.push({ id, atMs: (ttl - 1) * SECOND });
        else due.set(id, ttl);
        if (count % 5 === 1) await probeIndex(id, attributes);
        await turn();
        await time.sleep(Math.max(0, began + SECOND - time.now()));
      }
    },

    async waitFor(ms: number): Promise<void> {
      for (const until = time.now() + ms; time.now() < until; await time.sleep(SECOND)) await turn();
    },

    async look() {
      const { Items = [] } = await documents.send(new ScanCommand({ TableName, ConsistentRead: true }));
      const there = new Set(Items.map(({ id }) => id));
      const left = [...due.keys()].filter(id => there.has(id)).length;
      const renewedLeft = [...renewed].filter(id => there.has(id)).length;
      return { due: due.size, left, renewed: renewed.size, renewedLeft };
    },
  };
}
