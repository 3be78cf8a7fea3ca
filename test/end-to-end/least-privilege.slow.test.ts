/** @jest-environment ./test/support/dynamodb-environment.ts */
import { descendants, type Execution, VirtualClock } from 'stepfunctions-emulator';
import { expiryAttributes } from '../../expiry/attributes.ts';
import { journalName } from '../../functions/journal/layout.ts';
import { writeWatermarks } from '../../functions/journal/write-entries.ts';
import { type Firing, Schedules } from '../../local/schedules.ts';
import { synthesizedCloud } from '../../local/stack/synthesized.ts';
import { plainStack } from '../../stacks/app.ts';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import { CallRecorder, type Interception, type RecordedCall } from '../support/call-recorder.ts';
import { configOf } from '../support/configs.ts';
import { useLocalSweep } from '../support/local-sweep.ts';

/*
 * Sweeps of every kind on what is synthesized, guarded and batch, by window and by second: scheduled, replayed, throttled,
 * half refused, failed.
 * Every call that the functions, the state machine and the schedules make is held against the roles they make it in.
 * What AWS does in a role's name without such a call, test/stacks/roles.test.ts has: logs, pipes, keys, queues of failures.
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
  },
] as const satisfies readonly PreciseTtlProps[];

const recorder = new CallRecorder();
/** Functions by the trace ids of their invocations. */
const invoked = new Map<string, string>();
const local = useLocalSweep(TABLES, {
  functionsDynamoDbEndpoint: endpoint => recorder.start(endpoint),
  functions: {
    maxConcurrency: 1,
    onInvocation: ({ traceId, functionName }) => void invoked.set(traceId, functionName),
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

/** An action on a resource, as IAM sees one call: `dynamodb:Query` on the ARN of an index. */
interface Access {
  readonly action: string;
  readonly resource: string;
}

const blocksOf = (type: string) => cloud.blocks.filter(block => block.type === type).map(({ body }) => body);

const ROLES = blocksOf('aws_iam_role').map(({ name }) => String(name));
const arnOf = (role: string) => `arn:${cloud.partition}:iam::${cloud.account}:role/${role}`;

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
}

/** Services whose calls are seen here. */
const SEEN = /^(dynamodb|lambda|states):/;

const grantsOf = (role: string): Access[] =>
  blocksOf('aws_iam_role_policy')
    .filter(body => body['role'] === role)
    .flatMap(({ policy }) => (JSON.parse(String(policy)) as { Statement: Statement[] }).Statement)
    .flatMap(({ Action, Resource }) =>
      [Action].flat().flatMap(action => [Resource].flat().map(resource => ({ action, resource }))),
    )
    .filter(({ action }) => SEEN.test(action));

/** AWS makes up the names of a replay's children. No other grant may have a wildcard. */
const CHILDREN = /:execution:[^*?]+[/:]\*$/;

const covers = (grant: Access, { action, resource }: Access) =>
  grant.action === action &&
  (grant.resource === resource ||
    (CHILDREN.test(grant.resource) && resource.startsWith(grant.resource.slice(0, -1))));

test('everything that was done was done in a synthesized role, and a role has its inline policies alone', () => {
  expect([...usage().keys()].sort()).toEqual(ROLES.map(arnOf).sort());
  const types = cloud.blocks.map(({ type }) => type).filter(type => type.startsWith('aws_iam_'));
  expect(new Set(types)).toEqual(new Set(['aws_iam_role', 'aws_iam_role_policy']));
  for (const role of blocksOf('aws_iam_role'))
    expect(Object.keys(role).sort()).toEqual(['assume_role_policy', 'name']);
});

test.each(ROLES)('%s: everything used is granted, nothing granted is unused or granted twice', role => {
  const used = usage().get(arnOf(role)) ?? [];
  const grants = grantsOf(role);
  const coveredBy = used.map(access => grants.filter(grant => covers(grant, access)));
  expect(used.filter((_access, at) => coveredBy[at]?.length === 0)).toEqual([]);
  const needed = new Set(coveredBy.flatMap(([grant, ...others]) => (others.length > 0 ? [] : grant)));
  expect(grants.filter(grant => !needed.has(grant))).toEqual([]);
});

/** What was done in each role's name, each access once: ARN of the role → accesses. */
function usage(): ReadonlyMap<string, readonly Access[]> {
  const roles = new Map(
    blocksOf('aws_lambda_function').map(({ function_name: name, role }) => [String(name), String(role)]),
  );
  const machines = new Map(cloud.stateMachines.map(({ arn, roleArn }) => [arn, roleArn]));
  const done = [
    ...recorder.calls.map(call => [roles.get(invoked.get(call.traceId) ?? ''), callAccess(call)] as const),
    ...executions.map(each => [machines.get(each.machine.arn), executionAccess(each)] as const),
    ...firings.map(({ schedule }) => {
      const start = { action: 'states:StartExecution', resource: schedule.targetArn };
      return [schedule.roleArn, [start]] as const;
    }),
  ];
  const byRole = Map.groupBy(done, ([role]) => role ?? 'no role');
  return new Map(
    [...byRole].map(([role, each]) => {
      const accesses = each.flatMap(([, all]) => all);
      return [role, [...new Map(accesses.map(access => [JSON.stringify(access), access])).values()]];
    }),
  );
}

/** What IAM is asked for a call of a function. */
function callAccess({ service, operation, body }: RecordedCall): Access[] {
  const tables = `arn:${cloud.partition}:dynamodb:${cloud.region}:${cloud.account}:table`;
  const access = (name: string, table: unknown): Access => ({
    action: `${service}:${name}`,
    resource: `${tables}/${table}`,
  });
  const { TableName, IndexName } = body;
  switch (operation) {
    case 'UpdateItem':
      return [access(operation, TableName)];
    case 'Query':
      // A call that names an index is a call on the index alone.
      return [access(operation, IndexName === undefined ? TableName : `${TableName}/index/${IndexName}`)];
    case 'BatchWriteItem':
      return Object.keys(body['RequestItems'] as object).map(table => access(operation, table));
    case 'BatchExecuteStatement':
      return (body['Statements'] as { Statement: string }[]).map(({ Statement }) => {
        const [, table] = /^DELETE FROM "([^"]+)" /.exec(Statement.trim()) ?? [];
        // Source: DynamoDB Developer Guide, "IAM for PartiQL".
        return access('PartiQLDelete', table);
      });
    default:
      throw new Error(`expected a call that this test knows, got ${service}:${operation}; teach it this one`);
  }
}

/**
 * What an execution and its children called, as their histories have it. A distributed Map starts its children as executions of the machine
 * itself, looks at them and stops them. Their ARNs hold the Map's label; the policy that AWS documents has the form without it: both are
 * taken as used. Source: Step Functions Developer Guide, "IAM policies for using Distributed Map states".
 */
function executionAccess(execution: Execution): Access[] {
  const { arn, machine, mapRuns } = execution;
  const called = [execution, ...descendants(execution)]
    .flatMap(({ history }) => history)
    .flatMap(({ taskScheduledEventDetails: details }) => (details === undefined ? [] : [details]))
    .map(({ resourceType, resource, parameters }) => {
      expect(`${resourceType}:${resource}`).toBe('lambda:invoke');
      return { action: 'lambda:InvokeFunction', resource: JSON.parse(String(parameters)).FunctionName };
    });
  const ofChildren = mapRuns.flatMap(({ settings }) => {
    // arn:…:mapRun:<machine>/<label>:<id> → arn:…:execution:<machine>/<label>:<id of a child>
    const child = settings.arn.replace(':mapRun:', ':execution:');
    const looked = ['states:DescribeExecution', 'states:StopExecution'].flatMap(action =>
      [child, arn].map(resource => ({ action, resource })),
    );
    return [{ action: 'states:StartExecution', resource: machine.arn }, ...looked];
  });
  return [...called, ...ofChildren];
}
