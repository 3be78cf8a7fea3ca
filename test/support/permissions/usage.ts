import type { Firing } from 'aws-on-loopback/scheduler/scheduler';
import type { Execution } from 'stepfunctions-emulator';
import { descendants } from 'stepfunctions-emulator';
import { isObject } from '../../../expiry/fields.ts';
import type { SynthesizedCloud } from '../../../local/stack/synthesized.ts';
import { dynamoDbAccess, type Region } from './dynamodb-access.ts';
import type { Access } from './policy.ts';
import type { RecordedCall } from './recorder.ts';
import {
  deadLetterAccess,
  logAccess,
  machineAccess,
  mapRunAccess,
  scheduleAccess,
} from './service-access.ts';

/** What was seen of a cloud while it ran. */
export interface Observed {
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
  for (const { schedule } of observed.firings) {
    add(schedule.roleArn, [scheduleAccess(schedule), ...deadLetterAccess(blockOf(cloud, schedule.address))]);
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
  throw new Error(
    `test/support/permissions/usage.ts: expected lambda:invoke, got ${JSON.stringify(details)}; teach it this one`,
  );
}
