/** @jest-environment ./test/support/dynamodb-environment.ts */
import { mapValues } from '../../config/map-values.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { expiryAttributes } from '../../expiry/attributes.ts';
import { type CallEffect, crash } from '../../lab/fuzz/faults.ts';
import { type PlainStack, plainStack } from '../../stacks/plain-stack.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';
import { configOf } from '../support/configs.ts';
import type { DynamoDbCall } from '../support/fault-proxy.ts';
import { hurried, useFaultySweep } from '../support/faulty-sweep.ts';
import { withSettings } from '../support/with-settings.ts';

const MODES = ['guarded', 'batch'] as const;

const table = (tableName: string, props: Partial<PreciseTtlProps> = {}): PreciseTtlProps => ({
  tableName,
  partitionKey: 'id',
  index: { shards: 1 },
  ...props,
});

const TABLES = [
  ...MODES.map(deleteMode => table(deleteMode, { deleteMode })),
  table('patient'),
  // Its functions are its own: one of them has another time limit.
  { ...table('hanging'), sweep: 'hanging' },
  table('unanswered'),
];

/** The functions' own time limits would make the test of a hanging one wait for 25 seconds. */
function withTimeout(stack: PlainStack, functionName: string, timeout: number): PlainStack {
  const functions = mapValues(stack.resource['aws_lambda_function'] ?? {}, given =>
    given['function_name'] === functionName ? { ...given, timeout } : given,
  );
  return { ...stack, resource: { ...stack.resource, aws_lambda_function: functions } };
}

const stack = withSettings(withTimeout(plainStack(configOf(...TABLES)), 'hanging-delete-chunk', 2), {
  // Waits of up to a second instead of up to twenty, and that on a clock times five.
  backoffCapSeconds: 1,
  // One chunk that blocked would block half of the others.
  chunkConcurrency: 2,
});
const late = once(call => call.operation === 'BatchExecuteStatement' && holds(call, 'late'), {
  kind: 'slow',
  ms: 5_500,
});
const local = useFaultySweep(TABLES, { stack, clock: hurried(5) }, late);

const EXPIRED = Math.floor(Date.now() / 1000) - 300;
const iso = (seconds: number) => new Date(seconds * 1000).toISOString();
const REPLAY = { from: iso(EXPIRED - 60), to: iso(EXPIRED + 60) };

const ids = (count: number) => Array.from({ length: count }, (_unused, index) => `item-${index}.`);

function put(tableName: string, names: readonly string[]): Promise<void> {
  const model = local.model(tableName);
  return local.put(
    tableName,
    names.map(id => ({ id, ...expiryAttributes(model, { id }, { expiresAt: EXPIRED }) })),
  );
}

const left = async (tableName: string) => (await local.scan(tableName)).map(({ id }) => id).sort();

/** A batch of deletes of a test that runs now. */
const isDelete = (call: DynamoDbCall) =>
  (call.operation === 'BatchExecuteStatement' || call.operation === 'BatchWriteItem') &&
  !holds(call, 'late') &&
  // What RecordMetrics writes into the journal.
  !JSON.stringify(call.body).includes('sweep#');
const holds = ({ keys }: DynamoDbCall, id: string) => keys.some(key => key.includes(`"${id}"`));

function expectCountsToAddUp({ found, deleted, renewed, notFound, failed }: SweepReport): void {
  expect(deleted + renewed + notFound + failed).toBe(found);
}

/** Every sweep of these tests, so that none is left out. */
async function sweep(tableName: string) {
  const swept = await local.sweep(tableName, REPLAY);
  expectCountsToAddUp(swept.report);
  return swept;
}

const refused = (error: string, status = 400): CallEffect => ({ kind: 'refuse', error, status });
const leftOut = (indexes: Iterable<number>, code = 'ThrottlingError'): CallEffect => ({
  kind: 'leaveOut',
  errors: new Map([...indexes].map(index => [index, code])),
});

/** Does something to the first call that it finds fit, and only to that one. */
function once(fits: (call: DynamoDbCall) => boolean, effect: CallEffect) {
  let done = false;
  return (call: DynamoDbCall): CallEffect | undefined => {
    if (done || !fits(call)) return undefined;
    done = true;
    return effect;
  };
}

// Waits for the client's five seconds, which it does beside the other tests.
let unanswered: ReturnType<typeof local.sweep>;
beforeAll(async () => {
  await put('unanswered', ['late']);
  unanswered = local.sweep('unanswered', REPLAY);
});

describe.each(MODES)('%s deletes', deleteMode => {
  beforeEach(async () => {
    // What an earlier test left on purpose.
    await local.sweep(deleteMode, REPLAY);
    local.calls.length = 0;
    local.lines.length = 0;
  });
  const deletes = () => local.calls.filter(isDelete);

  test('retry the unprocessed keys and no others', async () => {
    await put(deleteMode, ids(60));
    local.choose = once(isDelete, leftOut([2, 3, 7]));
    const { execution, report } = await sweep(deleteMode);
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: 60, deleted: 60, notFound: 0, retries: 1 });
    const [first] = deletes();
    const again = deletes().find(({ keys }) => keys.length === 3);
    expect(
      deletes()
        .map(({ keys }) => keys.length)
        .sort(),
    ).toEqual([10, 25, 25, 3].sort());
    expect(again?.keys).toEqual([2, 3, 7].map(index => first?.keys[index]));
    expect(await left(deleteMode)).toEqual([]);
  });

  test('that are refused as throttled are tried again as a whole', async () => {
    await put(deleteMode, ids(30));
    local.choose = once(isDelete, refused('ProvisionedThroughputExceededException'));
    const { execution, report } = await sweep(deleteMode);
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: 30, deleted: 30, notFound: 0, retries: 1 });
  });

  test('of a chunk that cannot succeed leave the other chunks alone', async () => {
    await put(deleteMode, ids(100));
    local.choose = call =>
      isDelete(call) && holds(call, 'item-42.') ? refused('AccessDeniedException') : undefined;
    const { execution, report } = await sweep(deleteMode);
    expect(execution).toMatchObject({ status: 'FAILED', error: 'SweepIncompleteError' });
    expect(report).toMatchObject({ found: 100, deleted: 75, failed: 25, shardsFailed: 0 });
    expect(new Set(report.failedKeys.map(({ reason }) => reason))).toEqual(
      new Set(['AccessDeniedException']),
    );
    expect(await left(deleteMode)).toHaveLength(25);
    expect(await left(deleteMode)).toContain('item-42.');
  });

  test('isolate a key for which DynamoDB refuses the whole call, and report it', async () => {
    await put(deleteMode, ids(60));
    local.choose = call =>
      isDelete(call) && holds(call, 'item-42.') ? refused('ValidationException') : undefined;
    const { execution, report } = await sweep(deleteMode);
    expect(execution.error).toBe('SweepIncompleteError');
    expect(report).toMatchObject({ found: 60, deleted: 59, failed: 1 });
    expect(report.failedKeys).toEqual([{ key: { id: { S: 'item-42.' } }, reason: 'ValidationError' }]);
    expect(await left(deleteMode)).toEqual(['item-42.']);
  });

  test('that never get through end with metrics, a bounded list and a named error; a replay finishes', async () => {
    await put(deleteMode, ids(60));
    // 35 of 60 keys are throttled for as long as this lasts.
    const stuck = ids(35);
    local.choose = call => {
      if (!isDelete(call)) return undefined;
      return leftOut(
        [...call.keys.keys()].filter(index => stuck.some(id => call.keys[index]?.includes(`"${id}"`))),
      );
    };
    const { execution, report } = await sweep(deleteMode);
    expect(execution).toMatchObject({ status: 'FAILED', error: 'SweepIncompleteError' });
    expect(report).toMatchObject({ found: 60, deleted: 25, failed: 35 });
    expect(report.failedKeys).toHaveLength(20);
    expect(new Set(report.failedKeys.map(({ reason }) => reason))).toEqual(new Set(['Unprocessed']));
    expect(await left(deleteMode)).toEqual([...stuck].sort());
    // The sweep of another table may end meanwhile.
    const metrics = local.lines
      .map(line => JSON.parse(line))
      .find(line => '_aws' in line && line['ItemsFailed'] > 0);
    expect(metrics).toMatchObject({ ItemsFailed: 35 });

    local.choose = () => undefined;
    const replay = await sweep(deleteMode);
    expect(replay.execution.status).toBe('SUCCEEDED');
    expect(replay.report).toMatchObject({ found: 35, deleted: 35 });
    expect(await left(deleteMode)).toEqual([]);
  });

  test.each(['cutBefore', 'cutAfter'] as const)('whose connection is %s are tried again', async kind => {
    await put(deleteMode, ids(30));
    local.choose = once(isDelete, { kind });
    const { execution, report } = await sweep(deleteMode);
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: 30, renewed: 0, failed: 0, retries: 1 });
    // What the cut call deleted is gone when it is asked for again; an unguarded delete does not see that.
    const gone = kind === 'cutAfter' && deleteMode === 'guarded';
    expect(report.notFound > 0).toBe(gone);
    expect(await left(deleteMode)).toEqual([]);
  });

  test.each(['before', 'after'] as const)('whose function crashed %s it ran are made again', async when => {
    await put(deleteMode, ids(30));
    let crashed = false;
    local.wrap = async ({ functionName }, next) => {
      if (crashed || functionName !== 'precise-ttl-delete-chunk') return next();
      crashed = true;
      if (when === 'after') await next();
      return crash();
    };
    const { execution, report } = await sweep(deleteMode);
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: 30, failed: 0 });
    expect(report.notFound > 0).toBe(when === 'after' && deleteMode === 'guarded');
    expect(await left(deleteMode)).toEqual([]);
  });

  test('and queries that are made twice at once do no harm', async () => {
    await put(deleteMode, ids(60));
    local.wrap = async ({ functionName }, next) => {
      if (!/(query-expired|delete-chunk)$/.test(functionName)) return next();
      return (await Promise.all([next(), next()]))[0];
    };
    const { execution, report } = await sweep(deleteMode);
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: 60, failed: 0 });
    expect(await left(deleteMode)).toEqual([]);
  });
});

test('a throttled chunk backs off while the others go on', async () => {
  await put('patient', ids(200));
  const through: string[] = [];
  const throttledAt: number[] = [];
  local.choose = call => {
    if (!isDelete(call)) return undefined;
    if (!holds(call, 'item-42.')) {
      through.push(...call.keys);
      return undefined;
    }
    // Until all others are through, and for a second at least.
    const [since = call.at] = throttledAt;
    if (through.length === 175 && call.at - since > 1000) return undefined;
    throttledAt.push(call.at);
    return refused('ThrottlingException');
  };
  const { execution, report } = await sweep('patient');
  expect(execution.status).toBe('SUCCEEDED');
  expect(report).toMatchObject({ found: 200, deleted: 200, retries: throttledAt.length });
  expect(throttledAt.length).toBeGreaterThan(0);
  // Without waits twenty attempts take no second; with them (a tenth of a second on average) twenty take two.
  expect(throttledAt.length).toBeLessThan(20);
});

test('single statements that DynamoDB refuses are reported with its code, the rest is deleted', async () => {
  await put('guarded', ids(50));
  const codes = ['ValidationError', 'AccessDenied', 'ItemCollectionSizeLimitExceeded'];
  let throttled = false;
  local.choose = call => {
    if (!isDelete(call)) return undefined;
    const errors = new Map<number, string>();
    for (const [index, key] of call.keys.entries()) {
      const code = codes.find((_code, bad) => key.includes(`"item-${bad}."`));
      if (code !== undefined) errors.set(index, code);
    }
    // One more, once: what was refused at the first attempt still counts after the second.
    const free = [...call.keys.keys()].find(index => !errors.has(index));
    if (errors.size > 0 && free !== undefined && !throttled) {
      throttled = true;
      errors.set(free, 'ThrottlingError');
    }
    return { kind: 'leaveOut', errors };
  };
  const { execution, report } = await sweep('guarded');
  expect(execution.error).toBe('SweepIncompleteError');
  expect(report).toMatchObject({ found: 50, deleted: 47, failed: 3, retries: 1 });
  const byReason = Object.fromEntries(report.failedKeys.map(({ key, reason }) => [reason, key]));
  expect(byReason).toEqual(
    Object.fromEntries(codes.map((code, bad) => [code, { id: { S: `item-${bad}.` } }])),
  );
  local.choose = () => undefined;
  expect((await sweep('guarded')).report).toMatchObject({ found: 3, deleted: 3 });
});

describe('metrics that cannot be recorded', () => {
  const noMetrics: typeof local.wrap = async ({ functionName }, next) =>
    functionName.endsWith('record-metrics')
      ? { ok: false, errorType: 'TypeError', errorMessage: 'injected' }
      : next();

  test('do not fail a sweep that deleted everything', async () => {
    await put('guarded', ids(30));
    local.wrap = noMetrics;
    const { execution, report } = await sweep('guarded');
    expect(execution.status).toBe('SUCCEEDED');
    expect(report).toMatchObject({ found: 30, deleted: 30 });
  });

  test('do not hide what a sweep could not delete', async () => {
    await put('guarded', ids(3));
    local.wrap = noMetrics;
    local.choose = call => (isDelete(call) ? refused('AccessDeniedException') : undefined);
    const { execution, report } = await sweep('guarded');
    expect(execution.error).toBe('SweepIncompleteError');
    expect(report).toMatchObject({ found: 3, failed: 3 });
    local.choose = () => undefined;
    await sweep('guarded');
  });
});

test('an execution that failed in its plan is finished by a redrive', async () => {
  await put('guarded', ids(30));
  local.choose = call => (holds(call, 'late') ? undefined : refused('AccessDeniedException'));
  const { execution } = await local.sweep('guarded', REPLAY);
  expect(execution).toMatchObject({ status: 'FAILED', error: 'AccessDeniedException' });
  local.choose = () => undefined;
  await execution.redrive();
  await execution.done;
  expect(execution.status).toBe('SUCCEEDED');
  expect(execution.output).toMatchObject({ found: 30, deleted: 30 });
  expect(await left('guarded')).toEqual([]);
});

test('executions that overlap share the work and count each item once between them', async () => {
  await put('guarded', ids(400));
  const swept = await Promise.all([sweep('guarded'), sweep('guarded'), sweep('guarded')]);
  expect(swept.map(({ execution }) => execution.status)).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED']);
  expect(swept.reduce((sum, { report }) => sum + report.deleted, 0)).toBe(400);
  expect(await left('guarded')).toEqual([]);
});

test('a function that runs out of its time is called again', async () => {
  await put('hanging', ids(3));
  local.choose = once(isDelete, { kind: 'slow', ms: 2500 });
  const { execution, report } = await sweep('hanging');
  expect(execution.status).toBe('SUCCEEDED');
  expect(report).toMatchObject({ found: 3, notFound: 3 });
  expect(await left('hanging')).toEqual([]);
});

test('an answer that does not come in time leaves its keys unprocessed', async () => {
  const { execution, report } = await unanswered;
  expect(execution.status).toBe('SUCCEEDED');
  expectCountsToAddUp(report);
  expect(report).toMatchObject({ found: 1, notFound: 1, retries: 1 });
});
