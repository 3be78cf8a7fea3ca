import { descendants, type Execution } from 'stepfunctions-emulator';
import { isObject } from '../../../expiry/fields.ts';
import type { Firing } from '../../../local/schedules.ts';
import type { SynthesizedCloud } from '../../../local/stack/synthesized.ts';
import type { RecordedCall } from './recorder.ts';
import type { Access } from './roles.ts';

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

const FILE = 'test/support/permissions/usage.ts';

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
export function usageOfRoles(
  cloud: SynthesizedCloud,
  observed: Observed,
): ReadonlyMap<string, readonly Access[]> {
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
    add(
      roleArn,
      executions.flatMap(execution => taskAccess(execution, cloud)),
    );
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
function taskAccess(execution: Execution, region: Region): Access[] {
  const accesses = new Map<string, Access>();
  for (const { history } of [execution, ...descendants(execution)]) {
    for (const { type, taskScheduledEventDetails: details } of history) {
      if (type !== 'TaskScheduled') continue;
      for (const access of accessOf(details ?? {}, region)) accesses.set(JSON.stringify(access), access);
    }
  }
  return [...accesses.values()];
}

function accessOf(details: Readonly<Record<string, unknown>>, region: Region): Access[] {
  const parameters = JSON.parse(String(details['parameters'])) as Record<string, unknown>;
  const resource = `${details['resourceType']}:${details['resource']}`;
  if (resource === 'lambda:invoke')
    return [{ action: 'lambda:InvokeFunction', resource: String(parameters['FunctionName']) }];
  // Only a tick that a busy machine is too slow for hands something over: whether it does is not known beforehand.
  if (resource.endsWith(':startExecution')) return [];
  if (resource === 'aws-sdk:dynamodb:query') return dynamoDbAccess('Query', parameters, region);
  throw new Error(`expected lambda:invoke, got ${JSON.stringify(details)}; teach ${FILE} this one`);
}
