/** @jest-environment ./test/support/dynamodb-environment.ts */

import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { join } from 'node:path';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { type Answer, jsonAnswer, parseBody } from 'aws-on-loopback/dynamodb/answer';
import { localDynamoDb } from 'aws-on-loopback/dynamodb/clients';
import type { CallHandler, ProxiedCall } from 'aws-on-loopback/dynamodb/proxy';
import { VirtualClock } from 'stepfunctions-emulator';
import { COMMAND_ACTIONS } from '../../../cli/iam-actions.ts';
import { runVerify } from '../../../cli/verify/job.ts';
import type { VerifyClients } from '../../../cli/verify/observe.ts';
import { dynamoDbOfFile } from '../../support/local-dynamodb.ts';
import { type Sabotage, verifyLocalCloud } from '../../support/verified-cloud.ts';

/** Items are written for half a minute. */
const MINUTES = 5.5;
let runs = 0;

/** Verifies a local cloud that has a fault. */
async function verified(sabotageOf: (clock: VirtualClock) => Sabotage = () => ({})) {
  runs += 1;
  const clock = new VirtualClock(Date.parse('2026-11-21T12:08:45Z'));
  const printed: string[] = [];
  const { experiments } = await verifyLocalCloud(
    { dynamoDb: dynamoDbOfFile(), clock, sabotage: sabotageOf(clock), name: `verify-${runs}` },
    { minutes: MINUTES, print: text => printed.push(text) },
  );
  const idsOf = (kept: boolean | null) => experiments.filter(each => each.kept === kept).map(({ id }) => id);
  return { text: printed.join('\n'), experiments, broken: idsOf(false), unknown: idsOf(null) };
}

test('keeps all experiments with nothing wrong, and calls what stands in its list of actions', async () => {
  const called = new Set<string>();
  const record = (service: string) => async (call: ProxiedCall) => {
    called.add(`${service}:${call.operation}`);
    return call.forward();
  };
  const { text, broken, unknown } = await verified(() => ({
    ...{ dynamoDbCall: record('dynamodb'), sfnCall: record('states') },
  }));
  expect({ broken, unknown, text }).toEqual({ broken: [], unknown: ['deployer-permissions'], text });
  // Calls of the deployer that creates and removes the table; test/deploy tests it.
  const byDeployer = ['DescribeTable', 'DeleteTable', 'ListTagsOfResource'].map(name => `dynamodb:${name}`);
  const listed: string[] = COMMAND_ACTIONS.verify.map(({ action }) => action);
  const asked = listed.filter(action => /^(dynamodb|states):/.test(action) && !byDeployer.includes(action));
  expect([...called].sort()).toEqual(asked.sort());
});

/** An answer of DynamoDB that refuses a call. */
const refused = (type: string) =>
  jsonAnswer({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'sabotaged' }, 400);

/** Hides items from queries of the index for three seconds after their put. */
function laggingIndex(clock: VirtualClock) {
  const puts = new Map<string, number>();
  return async ({ operation, text, forward }: ProxiedCall) => {
    const { Item, IndexName } = (parseBody(text) ?? {}) as {
      Item?: { id: { S: string } };
      IndexName?: string;
    };
    if (operation === 'PutItem' && Item !== undefined) puts.set(Item.id.S, clock.now());
    const answer = await forward();
    if (operation !== 'Query' || IndexName === undefined) return answer;
    const { Items = [], ...rest } = JSON.parse(answer.body.toString()) as { Items?: { id: { S: string } }[] };
    const seen = Items.filter(({ id }) => clock.now() - (puts.get(id.S) ?? 0) >= 3000);
    return jsonAnswer({ ...rest, Items: seen });
  };
}

/** Throttles every third batch of deletes. */
function throttling() {
  let batches = 0;
  return async ({ operation, forward }: ProxiedCall) => {
    if (operation !== 'BatchExecuteStatement') return forward();
    batches += 1;
    return batches % 3 === 0 ? refused('ProvisionedThroughputExceededException') : forward();
  };
}

/** Faults, by the experiment that finds them: no other experiment may find one, except those in {@link FOLLOWS}. */
const SABOTAGES: Readonly<Record<string, (clock: VirtualClock) => Sabotage>> = {
  'clock-skew': () => ({ skewMs: 3000 }),
  'index-lag': clock => ({ dynamoDbCall: laggingIndex(clock) }),
  scheduler: () => ({ deliveries: () => [55_000] }),
  'ran-twice': () => ({ expressDeliveries: () => [0, 1000] }),
  'function-permissions': () => ({
    functionsCall: async ({ operation, forward }) =>
      operation === 'BatchExecuteStatement' ? refused('AccessDeniedException') : forward(),
  }),
  'function-time': clock => ({
    wrap: async ({ functionName }, next) => {
      if (functionName.endsWith('-delete-chunk')) await clock.sleep(2500);
      return next();
    },
  }),
  'cold-starts': () => ({ coldMs: 4000 }),
  'stream-to-function': () => ({
    wrap: async ({ functionName }, next) =>
      functionName.endsWith('-only-expiries')
        ? { ok: false, errorType: 'Sabotaged', errorMessage: 'the reader is lost' }
        : next(),
  }),
  throttling: () => ({ functionsCall: throttling() }),
  'jsonata-depth': () => ({
    sfnCall: async ({ operation, text, forward }) =>
      operation === 'TestState' && text.includes('[1..95]') ? jsonAnswer({ status: 'FAILED' }) : forward(),
  }),
  replay: () => ({
    sfnCall: async ({ operation, forward }) => {
      const answer = await forward();
      return operation === 'DescribeExecution'
        ? jsonAnswer({ ...JSON.parse(answer.body.toString()), status: 'FAILED' })
        : answer;
    },
  }),
  'express-memory': () => ({ moreMemoryMb: 50 }),
  deleted: () => ({ deliveries: () => [] }),
};

const NOTHING_TOLD = ['deleted', 'lag', 'never-early', 'stream-to-function'];
/** Further experiments that fail then. */
const FOLLOWS: Readonly<Record<string, readonly string[]>> = {
  'function-permissions': NOTHING_TOLD,
  'function-time': ['lag'],
  'ran-twice': ['express-cost'],
  'express-memory': ['express-cost'],
  'stream-to-function': NOTHING_TOLD,
  deleted: ['function-permissions', 'scheduler', 'ran-twice', ...NOTHING_TOLD],
};

/** Those that nothing else depends on are in an account together, and the calls of Step Functions go through each. */
const ACCOUNTS: readonly (readonly [string, ...string[]])[] = [
  ['index-lag', 'ran-twice'],
  ['scheduler', 'stream-to-function'],
  ['function-permissions'],
  ['function-time'],
  ['clock-skew', 'cold-starts', 'jsonata-depth', 'replay', 'express-memory'],
  ['throttling'],
  ['deleted'],
];

function together(sabotages: readonly Sabotage[]): Sabotage {
  const sfnCalls = sabotages.flatMap(({ sfnCall }) => sfnCall ?? []);
  const chained: CallHandler = call =>
    sfnCalls.reduceRight<CallHandler>(
      (next, handle) => each => handle({ ...each, forward: async () => (await next(each)) as Answer }),
      each => each.forward(),
    )(call);
  return { ...Object.assign({}, ...sabotages), ...(sfnCalls.length > 0 && { sfnCall: chained }) };
}

test('every fault is in one account', () => {
  expect(ACCOUNTS.flat().sort()).toEqual(Object.keys(SABOTAGES).sort());
});

test.concurrent.each(ACCOUNTS.map(ids => [ids.join(' and '), ids] as const))(
  '%s is not kept where that is broken',
  async (_name, ids) => {
    const { broken, text } = await verified(clock => together(ids.map(id => SABOTAGES[id]?.(clock) ?? {})));
    const expected = [...new Set(ids.flatMap(id => [id, ...(FOLLOWS[id] ?? [])]))].sort();
    expect({ broken: broken.sort(), text }).toEqual({ broken: expected, text });
  },
);

test('where it cannot be deployed, that is what is not kept, and nothing else is said', async () => {
  const printed: string[] = [];
  let removed = 0;
  const { experiments } = await runVerify({
    deployer: {
      removeLeft: async () => false,
      deploy: async () => undefined,
      async remove() {
        removed += 1;
      },
    },
    clients: {} as VerifyClients,
    time: { now: Date.now, sleep: async () => {} },
    ...{ region: 'us-east-1', minutes: MINUTES, onProgress: () => {} },
    print: text => printed.push(text),
    signal: new AbortController().signal,
  });
  expect(removed).toBe(1);
  expect(experiments.filter(({ kept }) => kept !== null)).toMatchObject([
    { id: 'deployer-permissions', kept: false },
  ]);
  expect(experiments).toHaveLength(17);
  expect(printed.at(-1)).toContain('NOT KEPT  deployer-permissions: ');
});

test('takes all away after SIGTERM, and after SIGKILL at its next run', async () => {
  const { endpoint } = dynamoDbOfFile();
  const client = localDynamoDb(endpoint, 'us-east-1');
  const name = 'verify-killed';
  const left = async () =>
    ((await client.send(new ListTablesCommand({}))).TableNames ?? []).filter(each => each.startsWith(name));
  /** Sends the signal once items are being written. */
  const run = async (signal: NodeJS.Signals) => {
    const program = join(import.meta.dirname, '../../support/verify-program.ts');
    const child = spawn(process.execPath, [program, endpoint, name], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'close');
    let output = '';
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      if (!output.includes('items written') && `${output}${chunk}`.includes('items written'))
        child.kill(signal);
      output += chunk;
    }
    return { output, ended: await ended };
  };
  const killed = await run('SIGKILL');
  expect([killed.ended, await left()]).toEqual([
    [null, 'SIGKILL'],
    [name, `${name}-journal`],
  ]);
  const stopped = await run('SIGTERM');
  expect(stopped.output).toMatch(/^What an earlier run has left is taken away\.$/m);
  expect([stopped.output.trim().split('\n').at(-1), await left()]).toEqual(['AbortError', []]);
  client.destroy();
});
