import type { FunctionResult } from 'stepfunctions-emulator';
import {
  ApiError,
  type HttpAnswer,
  type HttpProtocol,
  type HttpRequest,
} from 'stepfunctions-emulator/loopback';
import { type LocalService, startServer } from '../service.ts';

export interface LambdaOptions {
  /** Invokes a function by its name or ARN; undefined when the function does not exist. Never rejects. */
  readonly invoke: (functionName: string, payload: unknown) => Promise<FunctionResult | undefined>;
  /** @default a free port */
  readonly port?: number | undefined;
}

/** Largest payload of a synchronous invocation. Source: Lambda quotas. */
const MAX_PAYLOAD_BYTES = 6 * 1024 * 1024;
const PATH = /^\/2015-03-31\/functions\/([^/?]+)\/invocations(?:\?.*)?$/;

/** Supported operations of Lambda. @see Lambda API reference, Invoke */
export const LAMBDA_OPERATIONS = {
  async Invoke(
    invoke: LambdaOptions['invoke'],
    functionName: string,
    { body }: HttpRequest,
  ): Promise<HttpAnswer> {
    const result = await invoke(functionName, parse(body.toString()));
    if (result !== undefined) return toAnswer(result);
    throw new ApiError('ResourceNotFoundException', `Function not found: ${functionName}`, 404);
  },
};

/** Serves Invoke of the Lambda API on this machine, for functions that call other functions. */
export function startLambda({ invoke, port }: LambdaOptions): Promise<LocalService> {
  const protocol: HttpProtocol = {
    maxBytes: MAX_PAYLOAD_BYTES,
    errorNames: {
      internal: 'ServiceException',
      tooLarge: 'RequestTooLargeException',
      otherHost: 'AccessDeniedException',
    },
    async answer(request) {
      const { method, target, headers } = request;
      const found = PATH.exec(target)?.[1];
      const type = headers['x-amz-invocation-type'] ?? 'RequestResponse';
      if (method === 'POST' && found !== undefined && type === 'RequestResponse') {
        return LAMBDA_OPERATIONS.Invoke(invoke, decodeURIComponent(found), request);
      }
      throw new ApiError(
        'InvalidRequestContentException',
        `expected Invoke with InvocationType RequestResponse, got ${method} ${target.slice(0, 200)} (${type}); others are not answered ` +
          'on this machine',
      );
    },
    errorAnswer: ({ name, message, status }) => ({
      status,
      headers: { 'content-type': 'application/json', 'x-amzn-errortype': name },
      body: JSON.stringify({ Type: 'User', Message: message }),
    }),
  };
  return startServer(protocol, { port });
}

function parse(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    throw new ApiError('InvalidRequestContentException', 'Payload: expected JSON');
  }
}

function toAnswer(result: FunctionResult): HttpAnswer {
  const headers = { 'content-type': 'application/json', 'x-amz-executed-version': '$LATEST' };
  if (result.ok) return { status: 200, headers, body: JSON.stringify(result.payload ?? null) };
  const { errorType, errorMessage } = result;
  if (errorType.startsWith('Lambda.') && errorType !== 'Lambda.Unknown') {
    const isThrottled = errorType === 'Lambda.TooManyRequestsException';
    throw new ApiError(errorType.slice('Lambda.'.length), errorMessage, isThrottled ? 429 : 500);
  }
  return {
    status: 200,
    headers: { ...headers, 'x-amz-function-error': 'Unhandled' },
    body: JSON.stringify({ errorType, errorMessage }),
  };
}
