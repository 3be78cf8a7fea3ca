import type { ScheduleResource } from 'aws-on-loopback/scheduler/schedule';
import type { Execution } from 'stepfunctions-emulator';
import { isObject } from '../../../expiry/fields.ts';
import type { SynthesizedCloud } from '../../../local/stack/synthesized.ts';
import type { Access } from './policy.ts';

type Block = SynthesizedCloud['blocks'][number];

/**
 * What a service does in a role's name because of how something is configured. Nothing of it can be seen on this
 * machine, so that it stands here as AWS documents it.
 */

/** Lambda writes a function's log, with lines of its own for every invocation. Source: Lambda Developer Guide. */
export function logAccess(logGroupArn: string): Access[] {
  const resource = `${logGroupArn}:log-stream:2026/11/20/[$LATEST]0123`;
  return ['logs:CreateLogStream', 'logs:PutLogEvents'].map(action => ({ action, resource }));
}

/**
 * A distributed Map starts its children as executions of the machine itself, looks at them and stops them. Their ARNs
 * hold the Map's label; the policy that AWS documents has the form without it: both are taken as used. Source: Step
 * Functions Developer Guide, "IAM policies for using Distributed Map states".
 */
export function mapRunAccess({ arn, machine, mapRuns }: Execution): Access[] {
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
export function machineAccess({ body }: Block): Access[] {
  const logs = member(body, 'logging_configuration', 'level');
  const actions = logs === undefined || logs === 'OFF' ? [] : LOG_DELIVERY;
  return actions.map(action => ({ action, resource: '*' }));
}

/** Starts of a schedule that don't get through are sent to its queue. Source: EventBridge Scheduler User Guide. */
export function deadLetterAccess({ body }: Block): Access[] {
  const queue = member(body, 'target', 'dead_letter_config', 'arn');
  return typeof queue === 'string' ? [{ action: 'sqs:SendMessage', resource: queue }] : [];
}

/** A schedule whose target is a state machine starts it, and it invokes one that is a function. */
export function scheduleAccess({ targetArn }: ScheduleResource): Access {
  const action = targetArn.split(':')[2] === 'lambda' ? 'lambda:InvokeFunction' : 'states:StartExecution';
  return { action, resource: targetArn };
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
