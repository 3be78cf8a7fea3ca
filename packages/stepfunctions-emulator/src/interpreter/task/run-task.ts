import { functionArn, regionOf } from '../arn.ts';
import { CallFailure, HeartbeatTimeout, type StateFailure } from '../failure.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { type Payload, payload } from '../limits.ts';
import { expectedArgument, type TaskResource } from '../load/resource.ts';
import type { StateOf } from '../load/states.ts';
import { NOT_TRUNCATED } from '../run/history.ts';
import type { EngineContext } from '../run/run.ts';
import { type StateVisit, tooBigCause } from '../run/visit.ts';
import { type CallOutcome, call, callResource } from './function-call.ts';

/**
 * The result of the optimised integration lambda:invoke: the function's payload inside the AWS SDK for Java's form of the HTTP answer.
 * Step Functions parses Payload, so it is JSON here and not a string.
 */
function invokeResult(
  engine: EngineContext,
  returned: Extract<CallOutcome, { kind: 'returned' }>,
): JsonObject {
  const requestId = engine.newId();
  const headers: Record<string, string> = {
    Connection: 'keep-alive',
    'Content-Length': String(Buffer.byteLength(returned.payload.text)),
    'Content-Type': 'application/json',
    Date: new Date(engine.clock.now()).toUTCString(),
    'X-Amz-Executed-Version': returned.executedVersion,
    'x-amzn-Remapped-Content-Length': '0',
    'x-amzn-RequestId': requestId,
    'X-Amzn-Trace-Id': `Root=1-${Math.floor(engine.clock.now() / 1000).toString(16)}-${requestId.replaceAll('-', '').slice(0, 24)}`,
  };
  return {
    ExecutedVersion: returned.executedVersion,
    Payload: returned.payload.value,
    SdkHttpMetadata: {
      AllHttpHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
      HttpHeaders: headers,
      HttpStatusCode: 200,
    },
    SdkResponseMetadata: { RequestId: requestId },
    StatusCode: 200,
  };
}

interface Timeouts {
  readonly timeoutSeconds: number | undefined;
  readonly heartbeatSeconds: number | undefined;
}

/** Event names for one kind of resource, and the common details of these events. */
interface EventNames {
  readonly prefix: 'LambdaFunction' | 'Task';
  readonly details: 'lambdaFunction' | 'task';
  readonly about: Readonly<Record<string, string>>;
  /** The resource's name in messages. */
  readonly resource: string;
}

const direct = (arn: string): EventNames => ({
  prefix: 'LambdaFunction',
  details: 'lambdaFunction',
  about: {},
  resource: arn,
});
const integration = (service: string, action: string): EventNames => ({
  prefix: 'Task',
  details: 'task',
  about: { resourceType: service, resource: action },
  resource: service,
});
const OPTIMISED = integration('lambda', 'invoke');

/**
 * One attempt of a Task: evaluates its fields and calls its function.
 *
 * @returns the raw result, `$states.result`
 */
export async function runTask(visit: StateVisit, state: StateOf<'Task'>): Promise<Payload> {
  const timeouts = await evaluateTimeouts(visit, state);
  const args = state.arguments === undefined ? visit.input : payload(await visit.evaluate(state.arguments));
  visit.take(args);
  const { resource } = state;
  switch (resource.kind) {
    case 'function':
      return runDirect(visit, resource.arn, args, timeouts);
    case 'lambda:invoke':
      return runInvoke(visit, args, timeouts);
    case 'service':
      return runService(visit, resource, args, timeouts);
  }
}

async function evaluateTimeouts(visit: StateVisit, state: StateOf<'Task'>): Promise<Timeouts> {
  return {
    timeoutSeconds: await visit.evaluateField(state.timeoutSeconds),
    heartbeatSeconds: await visit.evaluateField(state.heartbeatSeconds),
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
  if (outcome.kind !== 'returned') throw failed(visit, direct(arn), outcome);
  return succeeded(visit, direct(arn), outcome.payload);
}

async function runService(
  visit: StateVisit,
  { arn, service, action }: Extract<TaskResource, { kind: 'service' }>,
  args: Payload,
  timeouts: Timeouts,
): Promise<Payload> {
  const names = integration(service, action);
  recordScheduled(visit, names, args, timeouts);
  const outcome = await callResource(visit.line, arn, args.text, timeouts);
  if (outcome.kind !== 'returned') throw failed(visit, names, outcome);
  return succeeded(visit, names, outcome.payload);
}

function recordScheduled(
  { line }: StateVisit,
  { about }: EventNames,
  args: Payload,
  timeouts: Timeouts,
): void {
  line.record('TaskScheduled', 'taskScheduled', {
    ...about,
    region: regionOf(line.run.machine.arn),
    parameters: args.text,
    ...inEvent(timeouts),
  });
  line.record('TaskStarted', 'taskStarted', about);
}

async function runInvoke(visit: StateVisit, args: Payload, timeouts: Timeouts): Promise<Payload> {
  const { machine } = visit.line.run;
  const request = readInvokeArguments(visit, args);
  recordScheduled(visit, OPTIMISED, args, timeouts);
  const unreadable = request.isGivenText ? jsonError(request.body) : undefined;
  if (unreadable !== undefined) throw failed(visit, OPTIMISED, unreadableBody(visit, unreadable));
  const arn = functionArn(machine.arn, request.functionName, request.qualifier);
  const outcome = await call(visit.line, arn, request.body, timeouts);
  if (outcome.kind !== 'returned') throw failed(visit, OPTIMISED, outcome);
  return succeeded(visit, OPTIMISED, payload(invokeResult(visit.line.run.engine, outcome)));
}

function readInvokeArguments(visit: StateVisit, { value, text }: Payload) {
  const refuse = (problem: string) =>
    visit.failure(
      'States.Runtime',
      `The Arguments '${text}' could not be used to start the Task: [${problem}]`,
    );
  if (!isObject(value)) throw refuse('The Arguments must be an OBJECT');
  for (const [name, argument] of Object.entries(value as JsonObject)) {
    const expected = expectedArgument(name, argument);
    if (expected !== undefined) throw refuse(`The value for the field '${name}' must be ${expected}`);
  }
  const { FunctionName: functionName, Qualifier: qualifier } = value;
  if (typeof functionName !== 'string') throw refuse("The field 'FunctionName' is required but was missing");
  const given = value['Payload'] as Json | undefined;
  return {
    functionName,
    qualifier: qualifier as string | undefined,
    body: bodyOf(given),
    // A value that was created here is JSON already; parsing it again takes time for large events.
    isGivenText: typeof given === 'string',
  };
}

/** JSON text of the event. A string is used as the request's body unchanged, and an empty body is an empty event. */
function bodyOf(given: Json | undefined): string {
  if (typeof given === 'string') return given || '{}';
  return JSON.stringify(given ?? {});
}

function jsonError(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Lambda's answer to a body that is not JSON; the function is not called. */
function unreadableBody({ line }: StateVisit, reason: string): Extract<CallOutcome, { kind: 'failed' }> {
  const message = `Could not parse request body into json: Could not parse payload into json: ${reason}`;
  const request = `(Service: Lambda, Status Code: 400, Request ID: ${line.run.engine.newId()})`;
  return {
    kind: 'failed',
    error: 'Lambda.InvalidRequestContentException',
    cause: `${message} ${request}`,
  };
}

function succeeded(visit: StateVisit, names: EventNames, result: Payload): Payload {
  visit.hold(result);
  if (visit.isTooBig(result)) {
    const tooBig = new CallFailure('States.DataLimitExceeded', tooBigCause(names.resource));
    throw recordFailure(visit, names, 'Failed', tooBig);
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
      return recordFailure(visit, names, 'TimedOut', new CallFailure('States.Timeout', undefined));
    case 'heartbeatMissed':
      return recordFailure(visit, names, 'TimedOut', new HeartbeatTimeout('States.Timeout', undefined));
    case 'failed':
      return recordFailure(visit, names, 'Failed', new CallFailure(outcome.error, outcome.cause));
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
