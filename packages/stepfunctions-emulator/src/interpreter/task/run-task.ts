import { functionArn, regionOf } from '../arn.ts';
import { CallFailure, errorDetails, TimeoutFailure } from '../failure.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { type Payload, payload } from '../limits.ts';
import { expectedArgument, type TaskResource } from '../load/resource.ts';
import type { StateOf } from '../load/states.ts';
import { NOT_TRUNCATED } from '../run/history.ts';
import type { EngineContext } from '../run/run.ts';
import { type StateVisit, tooBigCause } from '../run/visit.ts';
import { call, type Returned } from './function-call.ts';

/**
 * Runs one attempt of a Task: evaluates its timeouts and Arguments, and calls the Resource.
 *
 * @returns the raw result, `$states.result`
 */
export async function runTask(visit: StateVisit, { resource, ...state }: StateOf<'Task'>): Promise<Payload> {
  const timeoutSeconds = await visit.evaluateField(state.timeoutSeconds);
  const heartbeatSeconds = await visit.evaluateField(state.heartbeatSeconds);
  const args = state.arguments === undefined ? visit.input : payload(await visit.evaluate(state.arguments));
  visit.take(args);
  const { line } = visit;
  const { engine, machine } = line.run;
  const invoke = resource.kind === 'lambda:invoke' ? readInvokeArguments(visit, args) : undefined;
  const request = invoke ?? { arn: resource.arn, body: args.text };
  const events = eventsOf(resource);
  const timeouts = {
    ...(timeoutSeconds !== undefined && { timeoutInSeconds: timeoutSeconds }),
    ...(heartbeatSeconds !== undefined &&
      events.prefix === 'Task' && { heartbeatInSeconds: heartbeatSeconds }),
  };
  if (events.prefix === 'Task') {
    const details = { region: regionOf(machine.arn), parameters: args.text };
    line.record('TaskScheduled', 'taskScheduled', { ...events.about, ...details, ...timeouts });
    line.record('TaskStarted', 'taskStarted', events.about);
  } else {
    const details = { resource: resource.arn, input: args.text, inputDetails: NOT_TRUNCATED };
    line.record('LambdaFunctionScheduled', 'lambdaFunctionScheduled', { ...details, ...timeouts });
    line.record('LambdaFunctionStarted');
  }
  try {
    if (invoke?.isGivenText === true) checkBody(engine, request.body);
    const isFunction = resource.kind !== 'service';
    const returned = await call(line, { ...request, isFunction, timeoutSeconds, heartbeatSeconds });
    const result = invoke === undefined ? returned.payload : payload(invokeResult(engine, returned));
    visit.hold(result);
    if (visit.isTooBig(result)) {
      throw new CallFailure('States.DataLimitExceeded', tooBigCause(events.resource));
    }
    const details = { ...events.about, output: result.text, outputDetails: NOT_TRUNCATED };
    line.record(`${events.prefix}Succeeded`, `${events.details}Succeeded`, details);
    return result;
  } catch (error) {
    if (error instanceof CallFailure) {
      const how = error instanceof TimeoutFailure ? 'TimedOut' : 'Failed';
      const details = { ...events.about, ...errorDetails(error) };
      line.record(`${events.prefix}${how}`, `${events.details}${how}`, details);
    }
    throw error;
  }
}

function eventsOf(resource: TaskResource) {
  if (resource.kind === 'function') {
    const prefix = 'LambdaFunction' as const;
    return { prefix, details: 'lambdaFunction', about: {}, resource: resource.arn };
  }
  const { service, action } =
    resource.kind === 'service' ? resource : { service: 'lambda', action: 'invoke' };
  const about = { resourceType: service, resource: action };
  return { prefix: 'Task' as const, details: 'task', about, resource: service };
}

/**
 * Result of lambda:invoke, with the field names of the AWS SDK for Java, but without HTTP headers. Step Functions parses the function's
 * JSON, so Payload is not a string.
 */
const invokeResult = (engine: EngineContext, returned: Returned): JsonObject => ({
  ExecutedVersion: returned.executedVersion,
  Payload: returned.payload.value,
  SdkHttpMetadata: { HttpStatusCode: 200 },
  SdkResponseMetadata: { RequestId: engine.newId() },
  StatusCode: 200,
});

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
  const { FunctionName: functionName, Qualifier: qualifier, Payload: given } = value;
  if (typeof functionName !== 'string') throw refuse("The field 'FunctionName' is required but was missing");
  return {
    arn: functionArn(visit.line.run.machine.arn, functionName, qualifier as string | undefined),
    body: bodyOf(given as Json | undefined),
    // Only a Payload that is a string may be invalid JSON. A text from JSON.stringify is always valid, and a check would take time.
    isGivenText: typeof given === 'string',
  };
}

/** Body of the request to Lambda. A Payload that is a string is sent unchanged, but an empty string becomes the event `{}`. */
function bodyOf(given: Json | undefined): string {
  if (typeof given === 'string') return given || '{}';
  return JSON.stringify(given ?? {});
}

/** Checks `body` before Lambda is called. @throws CallFailure with Lambda's error for a body that is not JSON */
function checkBody(engine: EngineContext, body: string): void {
  try {
    JSON.parse(body);
  } catch (error) {
    const message = `Could not parse request body into json: Could not parse payload into json: ${(error as Error).message}`;
    const request = `(Service: Lambda, Status Code: 400, Request ID: ${engine.newId()})`;
    throw new CallFailure('Lambda.InvalidRequestContentException', `${message} ${request}`);
  }
}
