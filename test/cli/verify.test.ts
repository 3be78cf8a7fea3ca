import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, type PutCommandInput } from '@aws-sdk/lib-dynamodb';
import { NoAnswerError } from '../../cli/clients.ts';
import {
  runVerify,
  type VerifyOptions,
  verifiedProps,
  verifyConfig,
  withoutNames,
} from '../../cli/verify.ts';
import { EXPERIMENTS } from '../../cli/verify-experiments.ts';
import { observe, type Seen, type Verified } from '../../cli/verify-observe.ts';
import type { SweepRow } from '../../functions/journal/layout.ts';
import { EXECUTION_COUNTS, noCounts } from '../../statemachine/counts.ts';
import { type Answers, awsError, fakeClient } from '../support/fake-client.ts';

const START = Date.parse('2026-11-20T12:00:30Z');
const config = verifyConfig('us-east-1', 'arn:aws:sqs:us-east-1:123456789012:precise-ttl-verify-1');
const props = verifiedProps(config);
const VERIFIED: Verified = {
  ...{ props, queueUrl: 'https://queue', deployment: { unchanged: true } },
  ...{ stateMachineArn: 'arn:machine', replayStateMachineArn: 'arn:replay' },
};

/** An account in which everything is as it should be, but for the calls that a test answers. Nothing but sleeping takes time. */
function account(own: Partial<Record<'dynamoDb' | 'sfn' | 'sqs' | 'cloudWatch', Answers>> = {}) {
  let time = START;
  const items = new Map<string, Record<string, unknown>>();
  const told: object[] = [];
  const ttlOf = (item: Record<string, unknown>) => Number(item[props.ttlAttribute]);
  /** Items go in the second of their TTL, each with an event. */
  const sweep = () => {
    for (const [id, item] of items) {
      if (ttlOf(item) * 1_000 > time) continue;
      items.delete(id);
      const at = new Date(ttlOf(item) * 1_000).toISOString();
      const Body = JSON.stringify({ id, key: { id: { S: item['id'] } }, expiredAt: at, deletedAt: at });
      told.push({ Body, Attributes: { SentTimestamp: `${ttlOf(item) * 1_000 + 500}` }, ReceiptHandle: id });
    }
  };
  const report = { ...noCounts(EXECUTION_COUNTS), failedKeys: [] };
  const startedAt = new Date(START + 5_000).toISOString();
  const row = { kind: 'tick', execution: 'e', startedAt, endedAt: startedAt, report };
  const values: Readonly<Record<string, readonly number[]>> = {
    executionsstarted: [8],
    expressexecutionbilledduration: [8_000],
    expressexecutionbilledmemory: [64],
    plansweep: [200],
  };
  const dynamoDb = fakeClient(DynamoDBClient, {
    PutItem({ Item = {} }: PutCommandInput) {
      items.set(`${Item['id']}`, Item);
      return {};
    },
    Scan: () => ({ Items: [...items.values()] }),
    Query: ({ IndexName }) => ({ Items: IndexName ? [...items.values()] : [row] }),
    ...own.dynamoDb,
  });
  const clients = {
    ...{ dynamoDb, documents: DynamoDBDocumentClient.from(dynamoDb) },
    sfn: fakeClient(SFNClient, {
      TestState: ({ definition }) => ({ status: definition.includes('[1..105]') ? 'FAILED' : 'SUCCEEDED' }),
      StartExecution: () => ({ executionArn: 'arn:execution' }),
      DescribeExecution: () => ({ status: 'SUCCEEDED', startDate: time, stopDate: time + 900 }),
      ...own.sfn,
    }),
    sqs: fakeClient(SQSClient, {
      ReceiveMessage: () => ({ Messages: told.splice(0, 10) }),
      DeleteMessageBatch: () => ({}),
      ...own.sqs,
    }),
    cloudWatch: fakeClient(CloudWatchClient, {
      GetMetricData: ({ MetricDataQueries }) => ({
        MetricDataResults: MetricDataQueries.map(({ Id }: { Id: string }) => ({
          Id,
          Values: values[Id] ?? [],
        })),
      }),
      ...own.cloudWatch,
    }),
  };
  const clock = {
    now: () => time,
    async sleep(ms: number) {
      time += ms;
      sweep();
    },
  };
  return { clients, time: clock };
}

const look = (own: Parameters<typeof account>[0] = {}) =>
  observe({ ...account(own), verified: VERIFIED, show: () => undefined });

test('sees what it wrote, deleted in time, renewed, and told of', async () => {
  const seen = await look();
  expect(seen).toMatchObject({
    ...{ depth: 100, replay: { succeeded: true, tookMs: 900 }, rows: [{ kind: 'tick' }] },
    items: { due: 270, left: 0, renewed: 30, renewedLeft: 30 },
    metrics: { started: 8, unsuccessful: 0, billedMemoryMb: 64, gbSeconds: 0.5, longest: { PlanSweep: 200 } },
    indexLags: Array(60).fill(0),
  });
  expect(seen.expiries).toHaveLength(270);
  expect(seen.calculatedGbSeconds).toBeGreaterThan(0);
});

const refused = () => {
  throw awsError(
    'AccessDeniedException',
    'User: arn:aws:iam::123456789012:user/me is not authorized to perform: x:Y',
  );
};

test.each<[keyof Seen, Parameters<typeof account>[0]]>([
  ['depth', { sfn: { TestState: refused } }],
  ['replay', { sfn: { StartExecution: refused } }],
  ['expiries', { sqs: { ReceiveMessage: refused } }],
  ['metrics', { cloudWatch: { GetMetricData: refused } }],
  ['indexLags', { dynamoDb: { Query: refused } }],
  ['items', { dynamoDb: { Scan: refused } }],
])('%s cannot be read, and the others go on', async (part, own) => {
  const seen = await look(own);
  expect(() => seen[part]).toThrow('IAM does not allow x:Y');
});

const lags = (ms: number) =>
  Array.from({ length: 100 }, () => ({ expiredAt: START, deletedAt: START + ms, sentAt: START + ms + 500 }));
const rowOf = (more: object = {}): SweepRow =>
  ({
    kind: 'tick',
    startedAt: new Date(START - 25_000).toISOString(),
    report: { ...noCounts(EXECUTION_COUNTS), failedKeys: [], ...more },
  }) as never;
const METRICS = {
  ...{ minutes: 8, started: 8, unsuccessful: 0, billedMemoryMb: 64, gbSeconds: 1 },
  longest: { DeleteChunk: 900 },
};
const GOOD: Seen = {
  ...{ deployment: { unchanged: true }, depth: 100 },
  replay: { succeeded: true, tookMs: 9 },
  ...{ indexLags: [10, 20], items: { due: 100, left: 0, renewed: 10, renewedLeft: 10 } },
  ...{ expiries: lags(1_000), rows: [rowOf()] },
  ...{ metrics: METRICS, calculatedGbSeconds: 1 },
};
const brokenIn = (seen: Seen) => EXPERIMENTS.flatMap(({ id, judge }) => (judge(seen).kept ? [] : [id]));

/** What is not kept, at the boundary: of each two the first is still kept. */
test.each<[string, Partial<Seen>, Partial<Seen>]>([
  ['deployer-permissions', {}, { deployment: { unchanged: false } }],
  ['function-permissions', {}, { rows: [rowOf({ failed: 1 })] }],
  ['function-permissions', {}, { rows: [rowOf({ throttled: 1 })] }],
  ['deleted', {}, { items: { due: 100, left: 1, renewed: 10, renewedLeft: 10 } }],
  ['deleted', {}, { items: { due: 100, left: 0, renewed: 10, renewedLeft: 9 } }],
  ['deleted', {}, { expiries: lags(0).slice(1) }],
  ['lag', { expiries: lags(2_000) }, { expiries: lags(2_001) }],
  ['lag', { expiries: lags(0) }, { expiries: lags(-1) }],
  ['scheduler', {}, { metrics: { ...METRICS, started: 7 } }],
  ['scheduler', {}, { metrics: { ...METRICS, started: 9 } }],
  ['scheduler', {}, { rows: [{ ...rowOf(), startedAt: new Date(START + 21_000).toISOString() }] }],
  ['express-cost', { calculatedGbSeconds: 0.8 }, { calculatedGbSeconds: 0.79 }],
  ['function-time', {}, { metrics: { ...METRICS, longest: { DeleteChunk: 99_000 } } }],
  ['index-lag', { indexLags: [1_000] }, { indexLags: [1_001] }],
  ['event-lag', {}, { expiries: lags(1_000).map(each => ({ ...each, sentAt: each.deletedAt + 3_001 })) }],
  ['jsonata-depth', { depth: 99 }, { depth: 98 }],
  ['replay', {}, { replay: { succeeded: false, tookMs: 9 } }],
])('%s', (id, kept, broken) => {
  expect([brokenIn({ ...GOOD, ...kept }), brokenIn({ ...GOOD, ...broken })]).toEqual([[], [id]]);
});

const unreadable = (part: keyof Seen, seen: Seen) =>
  Object.defineProperty({ ...seen }, part, {
    get() {
      throw new NoAnswerError(part);
    },
  });

test.each<[string, keyof Seen, Partial<Seen>]>([
  ['deleted', 'expiries', { items: { due: 100, left: 0, renewed: 10, renewedLeft: 3 } }],
  ['function-permissions', 'metrics', { rows: [rowOf({ failed: 1 })] }],
])('%s is broken by what was seen, though %s cannot be read', (id, part, seen) => {
  const judge = EXPERIMENTS.find(each => each.id === id)?.judge;
  expect(judge?.(unreadable(part, { ...GOOD, ...seen }))).toMatchObject({ kept: false });
  expect(() => judge?.(unreadable(part, GOOD))).toThrow(NoAnswerError);
});

test('every experiment is broken by one of these', () => {
  expect(new Set(EXPERIMENTS.map(({ id }) => id)).size).toBe(EXPERIMENTS.length);
  expect(brokenIn({ ...GOOD, expiries: [] })).toEqual(['deleted', 'lag', 'event-lag']);
});

/** @param deployed undefined: Terraform fails */
async function run(deployed: Verified | undefined, signal = new AbortController().signal, own = {}) {
  const said: string[] = [];
  const removed: string[] = [];
  const deployer: VerifyOptions['deployer'] = {
    removeLeft: async () => true,
    deploy: async () => deployed,
    remove: async () => void removed.push('all'),
  };
  const print = (text: string) => void said.push(text);
  const around = { ...account(own), print, show: () => undefined, signal };
  return { result: runVerify({ ...around, deployer, region: 'us-east-1' }), said, removed };
}

test('deploys, reports, and takes everything away', async () => {
  const { result, said, removed } = await run(VERIFIED);
  const { text = '', data } = await result;
  expect(said).toEqual([
    'What an earlier run has left is taken away.',
    'Everything that was made is taken away again.',
  ]);
  expect(removed).toEqual(['all']);
  expect(text).toMatch(
    /^kept {6}deployer-permissions: emptyPlan 1 \(it succeeds, and a second plan is empty\)$/m,
  );
  expect(text).toMatch(/^\d+ of 11 kept, \d+ not kept, 0 not measured$/m);
  expect(JSON.stringify(data)).not.toMatch(/\d{12}|arn:/);
  const names = 'arn:aws:iam::123456789012:role/x of 123456789012 at https://sqs.aws/123';
  expect(withoutNames(names)).toBe('arn:… of … at https://…');
});

test('where it cannot be deployed, that is what is not kept, and the others are not known', async () => {
  const { result, removed } = await run(undefined);
  const { exit, text } = await result;
  expect([exit, removed]).toEqual([1, ['all']]);
  expect(text).toContain('NOT KEPT  deployer-permissions: emptyPlan 0');
  expect(text).toContain('0 of 11 kept, 1 not kept, 10 not measured');
});

test('Ctrl-C takes everything away too', async () => {
  const { result, removed } = await run(VERIFIED, AbortSignal.abort(new Error('Ctrl-C')));
  await expect(result).rejects.toThrow('Ctrl-C');
  expect(removed).toEqual(['all']);
});
