import { type AttributeValue, GetItemCommand, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { DescribeExecutionCommand, StartExecutionCommand, TestStateCommand } from '@aws-sdk/client-sfn';
import { DeleteMessageBatchCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { modelOf } from '../../config/deployments.ts';
import type { ResolvedProps } from '../../config/props.ts';
import { TICKS_A_MONTH } from '../../cost/sweep-usage.ts';
import { expiryAttributes } from '../../expiry/index.ts';
import type { ExpiryModel } from '../../expiry/model.ts';
import { INDEX_SECONDS, journalName, type SweepRow } from '../../functions/journal/layout.ts';
import { type Checked, check } from '../../operate/deployment/check.ts';
import type { DeploymentClients } from '../../operate/deployment/clients.ts';
import { TASKS, type TaskName } from '../../statemachine/contract/machines.ts';
import { readRows } from '../journal.ts';
import { span } from '../numbers.ts';
import { dynamoDbOffset, narrowed, type Offset, skewOf, type Time } from './clocks.ts';
import { functionOf, LIFETIME_SECONDS, monthOf, RATE } from './configuration.ts';
import { observeMetrics } from './metrics.ts';
import type { Seen, SeenExpiry, SeenItems } from './seen.ts';

/** A client for each service that the experiments call. */
export type VerifyClients = {
  readonly [Name in 'dynamoDb' | 'sfn' | 'sqs' | 'lambda' | 'cloudWatch']: NonNullable<
    DeploymentClients[Name]
  >;
};

/** The deployment that is verified. */
export interface Verified {
  readonly props: ResolvedProps;
  readonly region: string;
  readonly stateMachineArn: string;
  readonly replayStateMachineArn: string;
  /** URL of the queue that gets the events. */
  readonly queueUrl: string;
  readonly deployment: Seen['deployment'];
}

export interface ObserveOptions {
  readonly verified: Verified;
  readonly clients: VerifyClients;
  readonly time: Time;
  /** Milliseconds during which items are written. */
  readonly writingMs: number;
  /** Milliseconds to wait until CloudWatch and the stream have all data. */
  readonly settleMs: number;
  readonly onProgress: (line: string) => void;
}

/** Parallel calls of a function, so that each starts a new instance. */
const COLD_CALLS = 3;
/** Numbers of keys to try in a JSONata group-by: it recurses once for each key. */
const DEPTHS = [50, 80, 90, 95, 97, 98, 99, 100, 105, 120];
const CLOCK_REPLAYS = 5;
const SECOND = 1000;
/** Milliseconds by which CloudWatch's datapoints may lag behind. */
const CLOUDWATCH_MS = 120_000;
const RENEWED_SECONDS = 86_400;

/** Runs all experiments on the deployment. */
export async function observe(options: ObserveOptions): Promise<Seen> {
  const { verified, clients, time, onProgress } = options;
  const { props, stateMachineArn, replayStateMachineArn } = verified;
  // Cold starts come first: a tick would call the functions within the next minute.
  onProgress('cold starts, the depth of JSONata, the clocks');
  const coldStarts = await check('lambda:InvokeFunction', '*', () => observeColdStarts(options));
  const depth = await check('states:TestState', '*', () => observeDepth(clients));
  const fromMs = nextMinute(time.now());
  const { skew, replays } = await observeReplays(options);

  const table = new Writer(options);
  await table.write();
  onProgress('the last items expire');
  await table.waitFor((LIFETIME_SECONDS + 5) * SECOND);
  onProgress('CloudWatch and the stream catch up');
  await table.waitFor(options.settleMs);
  const toMs = nextMinute(time.now() - CLOUDWATCH_MS);

  const items = await check('dynamodb:GetItem', '*', () => table.look());
  const rows = await check('dynamodb:Query', '*', async () => {
    const found: SweepRow[] = [];
    const documents = DynamoDBDocumentClient.from(clients.dynamoDb, {
      unmarshallOptions: { wrapNumbers: true },
    });
    const journal = { documents, tableName: journalName(props.sweep) };
    for await (const row of readRows(journal, props.tableName)) found.push(row);
    return found;
  });
  const metrics = await check('cloudwatch:GetMetricData', '*', () =>
    observeMetrics(clients.cloudWatch, {
      ...{ stateMachineArn, fromMs, toMs },
      functions: Object.fromEntries(taskNames().map(task => [task, functionOf(task, props)])) as Record<
        TaskName,
        string
      >,
    }),
  );
  const expressTime = monthOf(props).lines.find(({ name }) => name === 'Express executions: time');
  return {
    ...{ deployment: verified.deployment, coldStarts, depth, skew, replays, items, rows, metrics },
    indexLags: table.indexLags,
    expiries: table.expiries,
    calculatedGbSeconds: ((expressTime?.amount ?? 0) / TICKS_A_MONTH) * table.busyMinutes,
  };

  /** Starts dry-run replays of an hour before the table existed, and reads when Step Functions started them, by its own clock. */
  async function observeReplays({
    clients: { sfn, dynamoDb },
  }: ObserveOptions): Promise<Pick<Seen, 'skew' | 'replays'>> {
    const begun: { arn: string; offset: Offset }[] = [];
    const started = await check('states:StartExecution', replayStateMachineArn, async () => {
      const hour = Math.floor(time.now() / 3_600_000) * 3_600_000;
      const [from, to] = [hour - 7_200_000, hour - 3_600_000].map(ms => new Date(ms).toISOString());
      for (let replay = 0; replay < CLOCK_REPLAYS; replay += 1) {
        const asked = time.now();
        const input = JSON.stringify({ table: props.tableName, from, to, dryRun: true });
        const command = new StartExecutionCommand({ stateMachineArn: replayStateMachineArn, input });
        const { executionArn = '', startDate } = await sfn.send(command);
        const began = startDate?.getTime() ?? Number.NaN;
        begun.push({ arn: executionArn, offset: { least: began - time.now(), most: began - asked } });
        await time.sleep(SECOND);
      }
    });
    if ('notChecked' in started) return { skew: started, replays: started };
    const skew = await check('dynamodb:GetItem', props.tableName, async () =>
      skewOf(
        narrowed(begun.map(({ offset }) => offset)),
        await dynamoDbOffset(dynamoDb, props.tableName, time),
      ),
    );
    const replays = await check('states:DescribeExecution', '*', async () => {
      const ended: { ok: boolean; ms: number }[] = [];
      for (const { arn } of begun) {
        for (;;) {
          const { status, startDate, stopDate } = await sfn.send(
            new DescribeExecutionCommand({ executionArn: arn }),
          );
          if (status !== 'RUNNING') {
            ended.push({ ok: status === 'SUCCEEDED', ms: Number(stopDate) - Number(startDate) });
            break;
          }
          await time.sleep(SECOND);
        }
      }
      const slowestMs = Math.max(...ended.map(({ ms }) => ms));
      return { started: begun.length, succeeded: ended.filter(({ ok }) => ok).length, slowestMs };
    });
    return { skew, replays };
  }
}

const nextMinute = (ms: number): number => Math.ceil(ms / 60_000) * 60_000;
const taskNames = (): TaskName[] => Object.keys(TASKS) as TaskName[];

/** Calls the functions with an empty input, which they refuse: nothing is planned, queried or deleted. */
async function observeColdStarts({
  verified: { props },
  clients,
  time,
}: ObserveOptions): Promise<Record<TaskName, number>> {
  const call = async (task: TaskName): Promise<number> => {
    const began = time.now();
    await clients.lambda.send(
      new InvokeCommand({ FunctionName: functionOf(task, props), Payload: Buffer.from('{}') }),
    );
    return time.now() - began;
  };
  const longest = async (task: TaskName) => {
    const times = await Promise.all(Array.from({ length: COLD_CALLS }, () => call(task)));
    return [task, Math.max(...times)] as const;
  };
  return Object.fromEntries(await Promise.all(taskNames().map(longest))) as Record<TaskName, number>;
}

/** The most keys that a JSONata group-by can take; its recursion is one level deeper than that. */
async function observeDepth({ sfn }: VerifyClients): Promise<number> {
  let deepest = 0;
  for (const keys of DEPTHS) {
    const state = {
      Type: 'Pass',
      QueryLanguage: 'JSONata',
      End: true,
      Output: `{% [1..${keys}].{"k": $string($)}{k: 1} %}`,
    };
    const { status } = await sfn.send(new TestStateCommand({ definition: JSON.stringify(state) }));
    if (status !== 'SUCCEEDED') break;
    deepest = keys;
  }
  return deepest;
}

/** Writes items that expire, renews some in their last second, and reads the events about them. */
class Writer {
  indexLags: Checked<readonly number[]> = { seen: [] };
  expiries: Checked<readonly SeenExpiry[]> = { seen: [] };
  readonly #options: ObserveOptions;
  readonly #model: ExpiryModel;
  /** TTLs by item id. */
  readonly #due = new Map<string, number>();
  readonly #renewed = new Set<string>();
  /** Items to renew, the next one first. */
  readonly #toRenew: { id: string; atMs: number }[] = [];
  readonly #lags: number[] = [];
  /** Events by id, because a queue may deliver one twice. */
  readonly #events = new Map<string, SeenExpiry>();

  constructor(options: ObserveOptions) {
    this.#options = options;
    this.#model = modelOf(options.verified.props);
  }

  /** Number of minutes in which items expire. */
  get busyMinutes(): number {
    return new Set([...this.#due.values()].map(ttl => Math.floor(ttl / 60))).size;
  }

  async write(): Promise<void> {
    const { time, writingMs, onProgress } = this.#options;
    const until = time.now() + writingMs;
    for (let count = 0; time.now() < until; count += 1) {
      const began = time.now();
      onProgress(
        `${count} items written, ${this.#events.size} expiries told of, about ${span((until - began) / 1000)} left`,
      );
      const id = `item-${count}`;
      const ttl = Math.floor(began / SECOND) + LIFETIME_SECONDS;
      const attributes = await this.#put(id, ttl);
      if (count % 10 === 0) this.#toRenew.push({ id, atMs: (ttl - 1) * SECOND });
      else this.#due.set(id, ttl);
      if (count % 5 === 1 && 'seen' in this.indexLags) await this.#probeIndex(id, attributes);
      await this.#turn();
      await time.sleep(Math.max(0, began + SECOND / RATE - time.now()));
    }
  }

  /** Waits, and meanwhile renews items and reads events. */
  async waitFor(ms: number): Promise<void> {
    const { time } = this.#options;
    for (const until = time.now() + ms; time.now() < until; ) {
      await this.#turn();
      await time.sleep(SECOND);
    }
  }

  /** Counts the items that are still in the table. */
  async look(): Promise<SeenItems> {
    const isThere = async (id: string) => {
      const { verified, clients } = this.#options;
      const { tableName: TableName } = verified.props;
      const command = new GetItemCommand({ TableName, Key: { id: { S: id } }, ConsistentRead: true });
      return (await clients.dynamoDb.send(command)).Item !== undefined;
    };
    const count = async (ids: Iterable<string>) => {
      let there = 0;
      for (const id of ids) there += Number(await isThere(id));
      return there;
    };
    return {
      ...{ due: this.#due.size, left: await count(this.#due.keys()) },
      ...{ renewed: this.#renewed.size, renewedLeft: await count(this.#renewed) },
    };
  }

  async #put(id: string, ttl: number): Promise<Record<string, AttributeValue>> {
    const { verified, clients, time } = this.#options;
    const attributes = marshall(expiryAttributes(this.#model, { id }, { expiresAt: ttl, nowMs: time.now() }));
    const { tableName: TableName } = verified.props;
    await clients.dynamoDb.send(new PutItemCommand({ TableName, Item: { id: { S: id }, ...attributes } }));
    return attributes;
  }

  async #turn(): Promise<void> {
    const { time } = this.#options;
    for (
      let next = this.#toRenew[0];
      next !== undefined && next.atMs <= time.now();
      next = this.#toRenew[0]
    ) {
      this.#toRenew.shift();
      await this.#put(next.id, Math.floor(time.now() / SECOND) + RENEWED_SECONDS);
      this.#renewed.add(next.id);
    }
    if ('seen' in this.expiries)
      this.expiries = await check('sqs:ReceiveMessage', '*', () => this.#receive());
  }

  /** Time from the answer to a put until the item is in the index, in steps of 50 ms. */
  async #probeIndex(id: string, attributes: Record<string, AttributeValue>): Promise<void> {
    const { verified, clients, time } = this.#options;
    const { tableName: TableName, indexName: IndexName, windowAttribute, ttlAttribute } = verified.props;
    const written = time.now();
    this.indexLags = await check('dynamodb:Query', '*', async () => {
      const query = new QueryCommand({
        ...{ TableName, IndexName, KeyConditionExpression: '#window = :window AND #ttl = :ttl' },
        ExpressionAttributeNames: { '#window': windowAttribute, '#ttl': ttlAttribute },
        ExpressionAttributeValues: {
          ':window': attributes[windowAttribute] ?? { NULL: true },
          ':ttl': attributes[ttlAttribute] ?? { NULL: true },
        },
      });
      for (;;) {
        const { Items = [] } = await clients.dynamoDb.send(query);
        const isThere = Items.some(item => item['id']?.S === id);
        if (isThere || time.now() - written > INDEX_SECONDS * SECOND) {
          this.#lags.push(time.now() - written);
          return this.#lags;
        }
        await time.sleep(50);
      }
    });
  }

  async #receive(): Promise<readonly SeenExpiry[]> {
    const { clients, verified } = this.#options;
    const { queueUrl: QueueUrl } = verified;
    for (;;) {
      const { Messages = [] } = await clients.sqs.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: 10,
          MessageSystemAttributeNames: ['SentTimestamp'],
        }),
      );
      if (Messages.length === 0) return [...this.#events.values()];
      for (const { Body = '{}', Attributes } of Messages) {
        const { id, key, expiredAt, deletedAt } = JSON.parse(Body);
        const [expired, deleted] = [Date.parse(expiredAt), Date.parse(deletedAt)];
        const sentAt = Number(Attributes?.SentTimestamp);
        this.#events.set(id, { id: key.id.S, expiredAt: expired, deletedAt: deleted, sentAt });
      }
      const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
      await clients.sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    }
  }
}
