import { functionArn, regionOf } from '../arn.ts';
import type { TaskState } from '../definition.ts';
import { HeartbeatTimeout, StateFailure } from '../failure.ts';
import { exceedsBytes, isObject, type Json } from '../json.ts';
import { MAX_SECONDS } from '../limits.ts';
import { INVOKE_ARGUMENTS } from '../load/resource.ts';
import { NOT_TRUNCATED } from '../run/history.ts';
import { type Payload, payload } from '../run/run.ts';
import type { StateVisit } from '../run/visit.ts';
import { type CallOutcome, call } from './function-call.ts';
import { invokeResult } from './lambda-invoke.ts';

interface Timeouts {
  readonly timeoutSeconds: number | undefined;
  readonly heartbeatSeconds: number | undefined;
}

/** The names of the events of one kind of resource, and what all of them say about it. */
interface EventNames {
  readonly prefix: 'LambdaFunction' | 'Task';
  readonly details: 'lambdaFunction' | 'task';
  readonly about: Readonly<Record<string, string>>;
}

const DIRECT: EventNames = { prefix: 'LambdaFunction', details: 'lambdaFunction', about: {} };
const OPTIMISED: EventNames = {
  prefix: 'Task',
  details: 'task',
  about: { resourceType: 'lambda', resource: 'invoke' },
};

/**
 * One attempt of a Task: evaluates its fields and calls its function.
 *
 * @returns the raw result, `$states.result`
 */
export async function runTask(visit: StateVisit, state: TaskState): Promise<Payload> {
  const timeouts = await evaluateTimeouts(visit, state);
  const args = state.arguments === undefined ? visit.input : payload(await visit.evaluate(state.arguments));
  visit.checkSize(args);
  const { resource } = state;
  if (resource.kind === 'function') return runDirect(visit, resource.arn, args, timeouts);
  return runInvoke(visit, args, timeouts);
}

export async function evaluateTimeouts(visit: StateVisit, state: TaskState): Promise<Timeouts> {
  const inRange = (value: Json) =>
    Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_SECONDS;
  const seconds = (field: TaskState['timeoutSeconds']) =>
    field && visit.evaluateField(field, 'number', inRange, `an integer from 1 to ${MAX_SECONDS}`);
  return {
    timeoutSeconds: await seconds(state.timeoutSeconds),
    heartbeatSeconds: await seconds(state.heartbeatSeconds),
  };
}

const inEvent = ({ timeoutSeconds, heartbeatSeconds }: Timeouts) => ({
  ...(timeoutSeconds !== undefined && { timeoutInSeconds: timeoutSeconds }),
  ...(heartbeatSeconds !== undefined && { heartbeatInSeconds: heartbeatSeconds }),
});

async function runDirect(
  visit: StateVisit,
  arn: string,
  args: Payload,
  timeouts: Timeouts,
): Promise<Payload> {
  visit.line.record('LambdaFunctionScheduled', 'lambdaFunctionScheduled', {
    resource: arn,
    input: args.text,
    inputDetails: NOT_TRUNCATED,
    ...(timeouts.timeoutSeconds !== undefined && { timeoutInSeconds: timeouts.timeoutSeconds }),
  });
  visit.line.record('LambdaFunctionStarted');
  const outcome = await call(visit.line, arn, args.text, timeouts);
  if (outcome.kind !== 'returned') throw failed(visit, DIRECT, outcome);
  return succeeded(visit, DIRECT, outcome.payload);
}

async function runInvoke(visit: StateVisit, args: Payload, timeouts: Timeouts): Promise<Payload> {
  const { machine } = visit.line.run;
  const request = readInvokeArguments(visit, args.value);
  visit.line.record('TaskScheduled', 'taskScheduled', {
    ...OPTIMISED.about,
    region: regionOf(machine.arn),
    parameters: args.text,
    ...inEvent(timeouts),
  });
  visit.line.record('TaskStarted', 'taskStarted', OPTIMISED.about);
  const arn = functionArn(machine.arn, request.functionName, request.qualifier);
  const outcome = await call(visit.line, arn, request.payload, timeouts);
  if (outcome.kind !== 'returned') throw failed(visit, OPTIMISED, outcome);
  return succeeded(visit, OPTIMISED, payload(invokeResult(visit.line.run.engine, outcome)));
}

function readInvokeArguments(visit: StateVisit, args: Json) {
  const refuse = (cause: string) => visit.failure('States.Runtime', cause);
  if (!isObject(args))
    throw refuse(`The Arguments of lambda:invoke must be an object but were: ${JSON.stringify(args)}`);
  const unknown = Object.keys(args).find(key => !INVOKE_ARGUMENTS.has(key));
  if (unknown !== undefined) throw refuse(`The field '${unknown}' of lambda:invoke is not supported`);
  const { FunctionName: functionName, Qualifier: qualifier, InvocationType: type, LogType: log } = args;
  if (typeof functionName !== 'string')
    throw refuse("The field 'FunctionName' of lambda:invoke must be a string");
  if (qualifier !== undefined && typeof qualifier !== 'string') {
    throw refuse("The field 'Qualifier' of lambda:invoke must be a string");
  }
  if (type !== undefined && type !== 'RequestResponse') {
    throw refuse(
      `The InvocationType ${JSON.stringify(type)} of lambda:invoke is not implemented, only RequestResponse`,
    );
  }
  if (log !== undefined && log !== 'None') {
    throw refuse(`The LogType ${JSON.stringify(log)} of lambda:invoke is not implemented, only None`);
  }
  return { functionName, qualifier, payload: JSON.stringify(args['Payload'] ?? {}) };
}

function succeeded(visit: StateVisit, names: EventNames, result: Payload): Payload {
  if (exceedsBytes(result.text, visit.line.run.engine.limits.payloadBytes)) {
    const { error, cause } = visit.tooBig();
    throw recordFailure(visit, names, 'Failed', new StateFailure(error, cause));
  }
  visit.line.record(`${names.prefix}Succeeded`, `${names.details}Succeeded`, {
    ...names.about,
    output: result.text,
    outputDetails: NOT_TRUNCATED,
  });
  return result;
}

function failed(
  visit: StateVisit,
  names: EventNames,
  outcome: Exclude<CallOutcome, { kind: 'returned' }>,
): StateFailure {
  switch (outcome.kind) {
    case 'timedOut':
      return recordFailure(visit, names, 'TimedOut', new StateFailure('States.Timeout', undefined));
    case 'heartbeatMissed':
      return recordFailure(visit, names, 'TimedOut', new HeartbeatTimeout('States.Timeout', undefined));
    case 'failed':
      return recordFailure(visit, names, 'Failed', new StateFailure(outcome.error, outcome.cause));
  }
}

function recordFailure(
  visit: StateVisit,
  names: EventNames,
  how: 'Failed' | 'TimedOut',
  failure: StateFailure,
): StateFailure {
  const details = {
    ...names.about,
    error: failure.error,
    ...(failure.cause !== undefined && { cause: failure.cause }),
  };
  visit.line.record(`${names.prefix}${how}`, `${names.details}${how}`, details);
  return failure;
}
