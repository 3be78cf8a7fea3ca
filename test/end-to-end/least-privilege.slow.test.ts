/** @jest-environment ./test/support/dynamodb-environment.ts */

import { type Execution, VirtualClock } from 'stepfunctions-emulator';
import { expiryAttributes } from '../../expiry/attributes.ts';
import { journalName } from '../../functions/journal/layout.ts';
import { writeWatermarks } from '../../functions/journal/write-entries.ts';
import { type Firing, Schedules } from '../../local/schedules.ts';
import { synthesizedCloud } from '../../local/stack/synthesized.ts';
import { plainStack } from '../../stacks/app.ts';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import { configOf } from '../support/configs.ts';
import { useLocalSweep } from '../support/local-sweep.ts';
import { CallRecorder, type Interception } from '../support/permissions/recorder.ts';
import { type Access, hold, type Role, readRoles } from '../support/permissions/roles.ts';
import { usageOfRoles } from '../support/permissions/usage.ts';

/*
 * Sweeps of every kind on what is synthesized, guarded and batch, by window and by second: scheduled, replayed, throttled,
 * half refused, failed.
 * Every call that the functions, the state machine and the schedules make is held against the roles they make it in.
 */

const TABLES = [
  {
    partitionKey: 'id',
    tableName: 'Least-guarded',
    deleteMode: 'guarded',
    index: { shards: 2 },
  },
  {
    partitionKey: 'id',
    tableName: 'Least-batch',
    sortKey: 'at',
    deleteMode: 'batch',
  },
  {
    partitionKey: 'id',
    tableName: 'Least-second',
    index: { by: 'second' },
    events: { to: 'arn:aws:events:us-east-1:123456789012:event-bus/default' },
  },
] as const satisfies readonly PreciseTtlProps[];

const recorder = new CallRecorder();
const local = useLocalSweep(TABLES, {
  functionsDynamoDbEndpoint: endpoint => recorder.start(endpoint),
  functions: {
    maxConcurrency: 1,
    wrap: recorder.wrap,
    onTrace: recorder.onTrace,
    // Calls of other services end up at the recorder too, instead of nowhere.
    environment: {
      get AWS_ENDPOINT_URL() {
        return recorder.endpoint;
      },
    },
  },
});
afterAll(() => recorder.stop());

const cloud = synthesizedCloud(plainStack(configOf(...TABLES)));
const executions: Execution[] = [];
const firings: Firing[] = [];

/** All of it lies back, so that nothing has to be waited for; no further, since a tick asks by second for each second since then. */
const BEGIN = Math.floor(Date.now() / 300_000) * 300 - 300;
const iso = (epochSeconds: number) => new Date(epochSeconds * 1000).toISOString();
/** Each window and shard is a query, and by second each second. */
const replayOf = (table: PreciseTtlProps) => {
  const around = table.index?.by === 'second' ? 60 : 300;
  return { from: iso(BEGIN - around), to: iso(BEGIN + around) };
};

async function sweep(tableName: string, input: object) {
  const { execution, report } = await local.sweep(tableName, input);
  executions.push(execution);
  return { status: execution.status, report };
}

/** Items that expire one a second. */
function expired(tableName: string, count: number, from = BEGIN): Promise<void> {
  const model = local.model(tableName);
  const items = Array.from({ length: count }, (_unused, index) => {
    const key = { id: `${index}`, at: 'x' };
    return { ...key, ...expiryAttributes(model, key, { expiresAt: from + index }) };
  });
  return local.put(tableName, items);
}

const DELETES = ['BatchExecuteStatement', 'BatchWriteItem'];
const refusal = (name: string, message: string, status = 400) => ({
  status,
  body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message },
});

/** Refuses the first `times` calls of these operations. */
function refuse(operations: readonly string[], name: string, times: number, status?: number): Interception {
  let left = times;
  return ({ operation, body }) => {
    // The journal is another table's: without it nothing begins.
    const isOfJournal = JSON.stringify(body).includes('-journal"');
    if (!operations.includes(operation) || isOfJournal || left === 0) return undefined;
    left -= 1;
    return refusal(name, 'as the test wants it', status);
  };
}

/** Lets the synthesized schedules fire by a clock that jumps, each at least once. */
async function fireSchedules(): Promise<void> {
  const seen = new Set<string>();
  const started: Promise<unknown>[] = [];
  await new Promise<void>(resolve => {
    const scheduler = new Schedules({
      clock: new VirtualClock((BEGIN + 2 * 60) * 1000),
      schedules: cloud.schedules,
      fire: firing => {
        if (seen.has(firing.schedule.name)) return;
        seen.add(firing.schedule.name);
        firings.push(firing);
        // A schedule is its deployment's, and sweeps all its tables.
        for (const table of TABLES) started.push(sweep(table.tableName, JSON.parse(firing.input)));
        if (seen.size < cloud.schedules.length) return;
        // After this firing has been dealt with: before, the scheduler would go on to the next.
        queueMicrotask(() => scheduler.stop());
        resolve();
      },
      onError: error => {
        throw error;
      },
    });
    scheduler.start();
  });
  await Promise.all(started);
}

/** In real time: the deletes are planned ahead, and what is throttled of them is tried again. */
async function comingMinute(): Promise<void> {
  for (let minutes = 1; ; minutes += 1) {
    const minute = Math.floor((Date.now() + 15_000) / 60_000) * 60;
    await expired('Least-guarded', 60, minute);
    recorder.intercept = refuse(DELETES, 'ProvisionedThroughputExceededException', 3);
    const tick = { scheduledTime: iso(minute - 60) };
    const ended = await Promise.all([sweep('Least-second', tick), sweep('Least-guarded', tick)]);
    const failed = ended.find(({ status }) => status !== 'SUCCEEDED');
    if (failed === undefined) return;
    // One function runs at a time here, and on a busy machine some calls wait longer than their time limit.
    if (minutes === 3) throw new Error(`expected SUCCEEDED, got ${JSON.stringify(failed)}`);
  }
}

beforeAll(async () => {
  for (const table of TABLES) {
    const { tableName } = table;
    const replay = replayOf(table);
    await expired(tableName, 60);
    expect(await sweep(tableName, { ...replay, dryRun: true })).toMatchObject({ report: { found: 60 } });

    recorder.intercept = refuse([...DELETES, 'Query'], 'ProvisionedThroughputExceededException', 6);
    expect(await sweep(tableName, replay)).toMatchObject({ report: { deleted: 60 } });

    await expired(tableName, 60);
    recorder.intercept = refuse(DELETES, 'ValidationException', 5);
    expect(await sweep(tableName, replay)).toMatchObject({ report: { found: 60 } });

    await expired(tableName, 60);
    recorder.intercept = refuse(DELETES, 'AccessDeniedException', 1000);
    expect(await sweep(tableName, replay)).toMatchObject({ status: 'FAILED', report: { failed: 60 } });
    recorder.intercept = refuse(['Query'], 'AccessDeniedException', 1000);
    expect(await sweep(tableName, replay)).toMatchObject({ status: 'FAILED' });
    recorder.intercept = () => undefined;
  }
  // A first tick by second would ask for each second of two days.
  const journal = { documents: local.documents, tableName: journalName('precise-ttl') };
  const begun = { since: BEGIN - 1, gone: BEGIN - 1, at: iso(BEGIN), shards: 1 };
  await writeWatermarks(journal, iso(BEGIN), { 'Least-second': begun });
  await fireSchedules();
  for (const table of TABLES) {
    const { tableName } = table;
    await sweep(tableName, replayOf(table));
    expect(await local.scan(tableName)).toEqual([]);
  }
  await comingMinute();
});

const ROLES = [...readRoles(cloud).values()];
let used: ReadonlyMap<string, readonly Access[]> = new Map();
beforeAll(() => {
  const { calls, invocations } = recorder;
  used = usageOfRoles(cloud, { calls, invocations, executions, firings });
});
const usage = (role: Role): readonly Access[] => used.get(role.arn) ?? [];

test('everything that was done was done in a synthesized role', () => {
  expect([...used.keys()].sort()).toEqual(ROLES.map(({ arn }) => arn).sort());
});

const named = ROLES.map(role => [role.name, role] as const);

test.each(named)(
  '%s: everything used is granted, nothing granted is unused or granted twice',
  (_name, role) => {
    expect(usage(role).length).toBeGreaterThan(0);
    expect(hold(usage(role), role.grants)).toEqual({ missing: [], unused: [], wide: [] });
    for (const grant of role.grants) {
      const { missing } = hold(
        usage(role),
        role.grants.filter(one => one !== grant),
      );
      expect(missing.map(({ action }) => action)).toContain(grant.action);
    }
  },
);
