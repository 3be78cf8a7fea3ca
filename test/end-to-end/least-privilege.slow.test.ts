/** @jest-environment ./test/support/dynamodb-environment.ts */
import { descendants, type Execution, VirtualClock } from 'stepfunctions-emulator';
import { expiryAttributes } from '../../expiry/attributes.ts';
import { isObject } from '../../expiry/fields.ts';
import { journalName } from '../../functions/journal/layout.ts';
import { writeWatermarks } from '../../functions/journal/write-entries.ts';
import { type Firing, Schedules } from '../../local/schedules.ts';
import { type SynthesizedCloud, synthesizedCloud } from '../../local/stack/synthesized.ts';
import { plainStack } from '../../stacks/app.ts';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import { configOf } from '../support/configs.ts';
import { useLocalSweep } from '../support/local-sweep.ts';
import { CallRecorder, type Interception, type RecordedCall } from '../support/permissions/recorder.ts';
import { type Access, hold, type Role, readRoles } from '../support/permissions/roles.ts';

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

/** Where tables stand that a call names without their ARN. */
interface Region {
  readonly partition: string;
  readonly region: string;
  readonly account: string;
}

type Body = Readonly<Record<string, unknown>>;

/** What IAM is asked for a call of DynamoDB. @param operation as in X-Amz-Target: `Query` */
function dynamoDbAccess(operation: string, body: Body, region: Region): Access[] {
  switch (operation) {
    case 'UpdateItem':
      return [access(operation, tableArn(body['TableName'], region))];
    case 'Query': {
      // A call that names an index is a call on the index alone.
      const { IndexName: index } = body;
      const table = tableArn(body['TableName'], region);
      return [access(operation, index === undefined ? table : `${table}/index/${index}`)];
    }
    case 'BatchWriteItem':
      return Object.keys(body['RequestItems'] as Body).map(table =>
        access(operation, tableArn(table, region)),
      );
    case 'BatchExecuteStatement':
      return (body['Statements'] as Body[]).map(({ Statement }) => {
        const [, table] = /^DELETE FROM "([^"]+)" /.exec(String(Statement).trim()) ?? [];
        if (table === undefined) throw new Error(`expected a DELETE of PartiQL, got ${Statement}`);
        // Source: DynamoDB Developer Guide, "IAM for PartiQL".
        return access('PartiQLDelete', tableArn(table, region));
      });
    default:
      throw new Error(`expected a call that ${FILE} knows, got ${operation}; teach it this one`);
  }
}

const FILE = 'test/end-to-end/least-privilege.slow.test.ts';

const access = (name: string, resource: string): Access => ({ action: `dynamodb:${name}`, resource });

const tableArn = (name: unknown, { partition, region, account }: Region): string =>
  `arn:${partition}:dynamodb:${region}:${account}:table/${name}`;

/**
 * What a service does in a role's name because of how something is configured. Nothing of it can be seen on this
 * machine, so that it stands here as AWS documents it.
 */

/** Lambda writes a function's log, with lines of its own for every invocation. Source: Lambda Developer Guide. */
function logAccess(logGroupArn: string): Access[] {
  const resource = `${logGroupArn}:log-stream:2026/11/20/[$LATEST]0123`;
  return ['logs:CreateLogStream', 'logs:PutLogEvents'].map(action => ({ action, resource }));
}

/**
 * A distributed Map starts its children as executions of the machine itself, looks at them and stops them. Their ARNs
 * hold the Map's label; the policy that AWS documents has the form without it: both are taken as used. Source: Step
 * Functions Developer Guide, "IAM policies for using Distributed Map states".
 */
function mapRunAccess({ arn, machine, mapRuns }: Execution): Access[] {
  return mapRuns.flatMap(mapRun => {
    // arn:…:mapRun:<machine>/<label>:<id> → arn:…:execution:<machine>/<label>:<id of a child>
    const child = mapRun.settings.arn.replace(':mapRun:', ':execution:');
    const looked = ['states:DescribeExecution', 'states:StopExecution'].flatMap(action =>
      [child, arn].map(resource => ({ action, resource })),
    );
    return [{ action: 'states:StartExecution', resource: machine.arn }, ...looked];
  });
}

/** Source: Step Functions Developer Guide, "Configure logging", and the policies that its console makes. */
const LOG_DELIVERY = [
  'logs:CreateLogDelivery',
  'logs:DeleteLogDelivery',
  'logs:DescribeLogGroups',
  'logs:DescribeResourcePolicies',
  'logs:GetLogDelivery',
  'logs:ListLogDeliveries',
  'logs:PutResourcePolicy',
  'logs:UpdateLogDelivery',
];

/** Delivery of a state machine's logs, which knows no resources. */
function machineAccess({ body }: Block): Access[] {
  const logs = member(body, 'logging_configuration', 'level');
  const actions = logs === undefined || logs === 'OFF' ? [] : LOG_DELIVERY;
  return actions.map(action => ({ action, resource: '*' }));
}

/** Starts of a schedule that don't get through are sent to its queue. Source: EventBridge Scheduler User Guide. */
function deadLetterAccess({ body }: Block): Access[] {
  const queue = member(body, 'target', 'dead_letter_config', 'arn');
  return typeof queue === 'string' ? [{ action: 'sqs:SendMessage', resource: queue }] : [];
}

/** A pipe reads its stream, calls its function and its target, and sends what fails to its queue. Source: EventBridge User Guide, "Pipes permissions". */
function pipeAccess({ body }: Block): Access[] {
  const [source, target] = [body['source'], body['target']].map(String);
  const streamArn = source ?? '';
  const queue = member(body, 'source_parameters', 'dynamodb_stream_parameters', 'dead_letter_config', 'arn');
  return [
    ...['DescribeStream', 'GetRecords', 'GetShardIterator'].map(name => access(name, streamArn)),
    access('ListStreams', '*'),
    { action: 'lambda:InvokeFunction', resource: String(body['enrichment']) },
    { action: 'events:PutEvents', resource: target ?? '' },
    { action: 'sqs:SendMessage', resource: String(queue) },
  ];
}

/** Terraform writes a block as an object or as a list of one. */
function member(value: unknown, ...path: readonly string[]): unknown {
  let at: unknown = value;
  for (const name of path) {
    if (Array.isArray(at)) [at] = at;
    at = isObject(at) ? at[name] : undefined;
  }
  return at;
}

/** What was seen of a cloud while it ran. */
interface Observed {
  /** Calls that functions made. */
  readonly calls: readonly RecordedCall[];
  /** ARNs of the functions that were invoked. */
  readonly invocations: ReadonlySet<string>;
  /** Executions that have ended. */
  readonly executions: readonly Execution[];
  readonly firings: readonly Firing[];
}

type Block = SynthesizedCloud['blocks'][number];

/** What was done in each role's name, each access once: ARN of the role → accesses. */
function usageOfRoles(cloud: SynthesizedCloud, observed: Observed): ReadonlyMap<string, readonly Access[]> {
  const used = new Map<string, Map<string, Access>>();
  const add = (roleArn: unknown, accesses: readonly Access[]) => {
    const role = used.get(String(roleArn)) ?? new Map<string, Access>();
    used.set(String(roleArn), role);
    for (const access of accesses) role.set(JSON.stringify(access), access);
  };
  for (const { name, arn, address } of cloud.functions) {
    const block = blockOf(cloud, address);
    const calls = observed.calls.filter(({ functionName }) => functionName === name);
    add(block.body['role'], calls.flatMap(callAccess(cloud)));
    if (observed.invocations.has(arn)) add(block.body['role'], logAccess(logGroupOf(cloud, block)));
  }
  // Nobody's role: whoever looks at the result finds a role that doesn't exist.
  const strays = observed.calls.filter(({ functionName }) =>
    cloud.functions.every(({ name }) => name !== functionName),
  );
  for (const { functionName, service, operation } of strays) {
    add(`no role: ${functionName}`, [{ action: `${service}:${operation}`, resource: '*' }]);
  }
  for (const { arn, roleArn, address } of cloud.stateMachines) {
    const executions = observed.executions.filter(({ machine }) => machine.arn === arn);
    add(roleArn, executions.flatMap(taskAccess));
    add(roleArn, executions.flatMap(mapRunAccess));
    add(roleArn, machineAccess(blockOf(cloud, address)));
  }
  for (const { address, enrichmentArn } of cloud.pipes) {
    const block = blockOf(cloud, address);
    if (observed.invocations.has(enrichmentArn)) add(block.body['role_arn'], pipeAccess(block));
  }
  for (const { schedule } of observed.firings) {
    add(schedule.roleArn, [
      { action: 'states:StartExecution', resource: schedule.targetArn },
      ...deadLetterAccess(blockOf(cloud, schedule.address)),
    ]);
  }
  return new Map([...used].map(([role, accesses]) => [role, [...accesses.values()]]));
}

function blockOf({ blocks }: SynthesizedCloud, address: string): Block {
  const block = blocks.find(one => one.address === address);
  if (block === undefined) throw new Error(`${address}: expected among the synthesized blocks`);
  return block;
}

const callAccess =
  (cloud: SynthesizedCloud) =>
  ({ service, operation, body }: RecordedCall): Access[] =>
    service === 'dynamodb'
      ? dynamoDbAccess(operation, body, cloud)
      : [{ action: `${service}:${operation}`, resource: '*' }];

function logGroupOf({ account, partition, region }: SynthesizedCloud, { body }: Block): string {
  const config = [body['logging_config']].flat()[0];
  const named = isObject(config) ? config['log_group'] : undefined;
  const name = typeof named === 'string' ? named : `/aws/lambda/${body['function_name']}`;
  return `arn:${partition}:logs:${region}:${account}:log-group:${name}`;
}

/** What an execution and its children called, as their histories have it. */
function taskAccess(execution: Execution): Access[] {
  const accesses = new Map<string, Access>();
  for (const { history } of [execution, ...descendants(execution)]) {
    for (const { type, taskScheduledEventDetails: details } of history) {
      if (type !== 'TaskScheduled') continue;
      for (const access of accessOf(details ?? {})) accesses.set(JSON.stringify(access), access);
    }
  }
  return [...accesses.values()];
}

function accessOf(details: Readonly<Record<string, unknown>>): Access[] {
  const parameters = JSON.parse(String(details['parameters'])) as Record<string, unknown>;
  const resource = `${details['resourceType']}:${details['resource']}`;
  if (resource === 'lambda:invoke')
    return [{ action: 'lambda:InvokeFunction', resource: String(parameters['FunctionName']) }];
  throw new Error(`expected lambda:invoke, got ${JSON.stringify(details)}; teach ${FILE} this one`);
}
