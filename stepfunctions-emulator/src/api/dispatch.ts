import type { ApiContext } from './context.ts';
import { ApiError } from './errors.ts';
import { isObject, Members } from './members.ts';
import { NOT_IMPLEMENTED, OPERATIONS } from './operations/index.ts';

/** The service's name in X-Amz-Target: `AWSStepFunctions.StartExecution`. */
const SERVICE = 'AWSStepFunctions';

/**
 * Carries out one request.
 *
 * @param target the header X-Amz-Target
 * @param body JSON text
 * @throws {ApiError}
 */
export async function dispatch(
  context: ApiContext,
  target: string | undefined,
  body: string,
): Promise<object> {
  const [service, name = ''] = (target ?? '').split('.');
  const operation = service === SERVICE ? OPERATIONS.get(name) : undefined;
  if (operation === undefined)
    throw unknownOperation(target, service === SERVICE && NOT_IMPLEMENTED.has(name));
  return operation(context, new Members(parse(body)));
}

function unknownOperation(target: string | undefined, known: boolean): ApiError {
  const got = target === undefined ? 'nothing' : JSON.stringify(target.slice(0, 100));
  const message = known
    ? `${target} isn't implemented locally; the README of stepfunctions-emulator lists what is`
    : `X-Amz-Target: expected ${SERVICE}.<operation> as an AWS SDK or the AWS CLI sends it, got ${got}`;
  return new ApiError('UnknownOperationException', message);
}

function parse(body: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = body === '' ? {} : JSON.parse(body);
  } catch (error) {
    const why = error instanceof RangeError ? 'values nested too deeply' : (error as Error).message;
    throw new ApiError('SerializationException', `expected a JSON object, got ${why}`);
  }
  if (isObject(value)) return value;
  const got = Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`;
  throw new ApiError('SerializationException', `expected a JSON object, got ${got}`);
}
