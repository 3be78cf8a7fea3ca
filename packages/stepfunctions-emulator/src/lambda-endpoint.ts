import type { FunctionInvoker, FunctionResult, InvokeOptions } from './interpreter/index.ts';
import { requireLoopback } from './loopback/index.ts';

/** Lambda gives an error its class in this header, sometimes followed by a colon and a URL. */
const ERROR_TYPE_HEADER = 'x-amzn-errortype';
/** The executed version, and that the function failed rather than Lambda. */
const VERSION_HEADER = 'x-amz-executed-version';
const FUNCTION_ERROR_HEADER = 'x-amz-function-error';

/**
 * Invokes functions over the Lambda API of an emulator or a test on this machine.
 *
 * https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html. Requests aren't signed: nothing on this machine
 * checks signatures, and none of the user's credentials are to be read.
 */
export class LambdaEndpoint implements FunctionInvoker {
  readonly #endpoint: string;

  /**
   * @param source where the endpoint comes from, for the message
   * @throws {NotLoopbackError} when it isn't on this machine
   */
  constructor(endpoint: string, source = 'AWS_ENDPOINT_URL_LAMBDA') {
    this.#endpoint = requireLoopback(endpoint, source, 'leave it out to run without the functions behind it');
  }

  async invoke(functionArn: string, payload: unknown, { signal }: InvokeOptions): Promise<FunctionResult> {
    let response: Response;
    let body: string;
    try {
      response = await fetch(this.#url(functionArn), {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-amz-invocation-type': 'RequestResponse' },
        body: JSON.stringify(payload ?? null),
        redirect: 'error', // A redirect could lead away from this machine.
        signal,
      });
      body = await response.text();
    } catch (error) {
      return failed('Lambda.SdkClientException', `Unable to execute HTTP request: ${reason(error)}`);
    }
    const type = response.headers.get(ERROR_TYPE_HEADER)?.split(':')[0] || undefined;
    if (!response.ok) return refused(response.status, type, body);
    if (response.headers.get(FUNCTION_ERROR_HEADER) !== null) return functionFailed(body);
    return returned(body, response.headers.get(VERSION_HEADER) ?? undefined);
  }

  /** The URL contains the function's name only, which every emulator accepts: a machine has one account and region. */
  #url(functionArn: string): string {
    const [name = functionArn, qualifier] = functionArn.startsWith('arn:')
      ? functionArn.split(':').slice(6)
      : functionArn.split(':');
    const query = qualifier === undefined ? '' : `?Qualifier=${encodeURIComponent(qualifier)}`;
    return `${this.#endpoint}/2015-03-31/functions/${encodeURIComponent(name)}/invocations${query}`;
  }
}

const failed = (errorType: string, message: string): FunctionResult => ({
  ok: false,
  errorType,
  errorMessage: message,
  cause: message,
});

/** Builds the result for a function that Lambda did not run. */
function refused(status: number, header: string | undefined, body: string): FunctionResult {
  const answer = parse(body);
  const fields = isRecord(answer) ? answer : {};
  const type =
    header ?? (typeof fields['__type'] === 'string' ? fields['__type'].split('#').at(-1) : undefined);
  const message = fields['message'] ?? fields['Message'] ?? body.slice(0, 1000);
  // Errors without their own class get the base class of all, as in the SDK for Java that Step Functions uses.
  return failed(
    `Lambda.${type ?? 'AWSLambdaException'}`,
    `${message} (Service: Lambda, Status Code: ${status})`,
  );
}

/** The function threw, timed out or exited: the payload describes it. */
function functionFailed(body: string): FunctionResult {
  const error = parse(body);
  const fields = isRecord(error) ? error : {};
  const { errorType, errorMessage } = fields;
  return {
    ok: false,
    // Functions that were ended before they could report an error have no error class.
    errorType: typeof errorType === 'string' && errorType !== '' ? errorType : 'Lambda.Unknown',
    errorMessage: typeof errorMessage === 'string' ? errorMessage : body,
    cause: error ?? body,
  };
}

function returned(body: string, executedVersion: string | undefined): FunctionResult {
  const payload = body === '' ? null : parse(body);
  if (payload === undefined) {
    return failed('Runtime.MarshalError', 'Unable to marshal response: the function answered with no JSON');
  }
  return { ok: true, payload, ...(executedVersion !== undefined && { executedVersion }) };
}

/** Parses a JSON text; undefined when it is not valid. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** The message `fetch failed` is useless; its cause explains the failure. */
function reason(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string; code?: string } };
  return cause?.message || cause?.code || message || String(error);
}
