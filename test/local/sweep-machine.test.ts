import type { JsonObject } from 'stepfunctions-emulator';
import { VirtualClock } from 'stepfunctions-emulator';
import {
  arnOf,
  LAMBDA_INVOKE,
  machineOf,
  run,
} from '../../stepfunctions-emulator/test/interpreter/run-definition.ts';

/**
 * A machine in the form of the project's own, so that the interpreter's tests don't depend on it: a distributed Map
 * of Express children that query pages, an inline Map that deletes chunks with backoff, waits to the millisecond.
 */
const retry = [
  {
    ErrorEquals: ['Lambda.ServiceException', 'Lambda.TooManyRequestsException', 'Lambda.Unknown'],
    IntervalSeconds: 1,
    BackoffRate: 2,
    MaxAttempts: 3,
    MaxDelaySeconds: 5,
    JitterStrategy: 'FULL',
  },
];
const invoke = (name: string, payload: unknown, rest: object) => ({
  Type: 'Task',
  Resource: LAMBDA_INVOKE,
  Arguments: { FunctionName: arnOf(name), Payload: payload },
  Retry: retry,
  ...rest,
});

const deleteChunk = {
  StartAt: 'StartChunk',
  States: {
    StartChunk: {
      Type: 'Pass',
      Assign: { keys: '{% $states.input.keys %}', attempt: 0, deleted: 0 },
      Next: 'DeleteChunk',
    },
    DeleteChunk: invoke(
      'delete',
      { keys: '{% $keys %}' },
      {
        Assign: {
          keys: '{% [$states.result.Payload.unprocessed] %}',
          deleted: '{% $deleted + $states.result.Payload.deleted %}',
          attempt: '{% $attempt + 1 %}',
        },
        Output: '{% $states.result.Payload %}',
        Next: 'AnyUnprocessed',
      },
    ),
    AnyUnprocessed: {
      Type: 'Choice',
      Choices: [{ Condition: '{% $count($keys) > 0 and $attempt < 8 %}', Next: 'WaitForCapacity' }],
      Default: 'ChunkDone',
    },
    WaitForCapacity: {
      Type: 'Wait',
      Seconds: '{% $floor($random() * (1 + $min([10, $power(2, $attempt)]))) %}',
      Next: 'DeleteChunk',
    },
    ChunkDone: {
      Type: 'Pass',
      Output: { deleted: '{% $deleted %}', failed: '{% $count($keys) %}' },
      End: true,
    },
  },
};

const machine = machineOf({
  PlanSweep: invoke(
    'plan',
    { scheduledTime: '{% $states.input.scheduledTime %}' },
    {
      Output: '{% $states.result.Payload %}',
      Next: 'AnythingDue',
    },
  ),
  AnythingDue: {
    Type: 'Choice',
    Choices: [{ Condition: '{% $count($states.input.windows) > 0 %}', Next: 'SweepShards' }],
    Default: 'NothingDue',
  },
  NothingDue: { Type: 'Succeed' },
  SweepShards: {
    Type: 'Map',
    Items: '{% $states.input.windows %}',
    ItemSelector: {
      window: '{% $states.context.Map.Item.Value %}',
      cutoff: '{% $toMillis($states.context.Execution.Input.scheduledTime) %}',
    },
    MaxConcurrency: 100,
    ToleratedFailurePercentage: 100,
    Label: 'SweepShards',
    ItemProcessor: {
      ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'EXPRESS' },
      StartAt: 'Begin',
      States: {
        Begin: {
          Type: 'Pass',
          Assign: {
            window: '{% $states.input.window %}',
            cutoff: '{% $states.input.cutoff %}',
            total: 0,
            page: 0,
          },
          Next: 'QueryExpired',
        },
        QueryExpired: invoke(
          'query',
          { window: '{% $window %}', page: '{% $page %}', cutoff: '{% $cutoff %}' },
          {
            Assign: { more: '{% $states.result.Payload.more %}', page: '{% $page + 1 %}' },
            Output: '{% $states.result.Payload %}',
            Next: 'DeleteChunks',
          },
        ),
        DeleteChunks: {
          Type: 'Map',
          Items: '{% $partition($states.input.keys, 25) %}',
          ItemSelector: { keys: '{% $states.context.Map.Item.Value %}' },
          ItemProcessor: deleteChunk,
          Assign: { total: '{% $total + $sum([$states.result.deleted]) %}' },
          Next: 'MorePages',
        },
        MorePages: {
          Type: 'Choice',
          Choices: [{ Condition: '{% $more %}', Next: 'WaitForNextExpiry' }],
          Default: 'ShardDone',
        },
        WaitForNextExpiry: {
          Type: 'Wait',
          Timestamp: '{% $fromMillis($cutoff + 2000 * $page) %}',
          Next: 'QueryExpired',
        },
        ShardDone: { Type: 'Pass', Output: { window: '{% $window %}', deleted: '{% $total %}' }, End: true },
      },
    },
    Next: 'RecordMetrics',
  },
  RecordMetrics: invoke(
    'metrics',
    { shards: '{% $states.input %}' },
    {
      Assign: { summary: '{% $states.result.Payload %}' },
      Catch: [{ ErrorEquals: ['States.ALL'], Assign: { summary: { failed: 0 } }, Next: 'AllDeleted' }],
      Next: 'AllDeleted',
    },
  ),
  AllDeleted: {
    Type: 'Choice',
    Choices: [{ Condition: '{% $summary.failed = 0 %}', Next: 'Swept' }],
    Default: 'KeysRemain',
  },
  Swept: { Type: 'Succeed', Output: '{% $summary %}' },
  KeysRemain: { Type: 'Fail', Error: 'KeysRemain', Cause: '{% $summary.failed & " shards failed" %}' },
});

const START = Date.parse('2026-07-19T21:27:00.000Z');

/** A table in memory that takes only some of the keys at a time, and a Lambda that is not always there. */
function world(broken: readonly string[] = []) {
  const left = new Map(
    ['w1', 'w2', 'w3'].map((name, i) => [
      name,
      new Set(Array.from({ length: 60 + i * 30 }, (_, k) => `${name}-${k}`)),
    ]),
  );
  let calls = 0;
  const functions = {
    plan: () => ({ windows: [...left.keys()] }),
    query: (event: unknown) => {
      const { window, page } = event as { window: string; page: number };
      if (broken.includes(window)) throw Object.assign(new Error('no such window'), { name: 'BadWindow' });
      return { keys: [...(left.get(window) ?? [])].slice(0, 55), more: page < 3 };
    },
    delete: (event: unknown) => {
      calls += 1;
      if (calls % 7 === 0) throw Object.assign(new Error('try again'), { name: 'Lambda.ServiceException' });
      const { keys } = event as { keys: string[] };
      const taken = keys.slice(0, 10);
      for (const key of taken) left.get(key.split('-')[0] ?? '')?.delete(key);
      return { deleted: taken.length, unprocessed: keys.slice(10) };
    },
    metrics: (event: unknown) => {
      const { shards } = event as { shards: JsonObject[] };
      const failed = shards.filter(shard => shard['Status'] === 'FAILED');
      return {
        failed: failed.length,
        deleted: shards.reduce((sum, shard) => sum + Number(shard['deleted'] ?? 0), 0),
      };
    },
  };
  return { left, functions };
}

const input = { scheduledTime: '2026-07-19T21:27:00Z' };

test('sweeps everything, with backoff and waits, in no real time', async () => {
  const { left, functions } = world();
  const clock = new VirtualClock(START);
  const execution = await run(machine, { input, functions, clock });
  expect(execution.output).toEqual({ failed: 0, deleted: 60 + 90 + 120 });
  expect([...left.values()].map(keys => keys.size)).toEqual([0, 0, 0]);
  expect((execution.stopDate ?? 0) - START).toBeGreaterThanOrEqual(6000);
  expect(execution.billing).toMatchObject({ expressRequests: 3 });
});

test('one broken shard is tolerated, and the execution fails after its metrics', async () => {
  const { left, functions } = world(['w2']);
  const execution = await run(machine, { input, functions, clock: new VirtualClock(START) });
  expect([execution.error, execution.cause]).toEqual(['KeysRemain', '1 shards failed']);
  expect([...left.values()].map(keys => keys.size)).toEqual([0, 90, 0]);
});

test('an idle tick takes three transitions', async () => {
  const { functions } = world();
  const execution = await run(machine, { input, functions: { ...functions, plan: () => ({ windows: [] }) } });
  expect(execution.status).toBe('SUCCEEDED');
  expect(execution.billing.stateTransitions).toBe(3);
});

test('metrics that fail do not fail the sweep', async () => {
  const { functions } = world();
  const metrics = () => {
    throw new Error('no metrics');
  };
  expect((await run(machine, { input, functions: { ...functions, metrics } })).status).toBe('SUCCEEDED');
});
