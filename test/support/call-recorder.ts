import { isObject } from '../../expiry/fields.ts';
import {
  type Answer,
  type DynamoDbProxy,
  jsonAnswer,
  type ProxiedCall,
  startDynamoDbProxy,
} from '../../local/dynamodb/proxy.ts';

/** The JSON body of a request. */
type Body = Readonly<Record<string, unknown>>;

/** Undefined when it is not a JSON object. */
function parseBody(text: string | Buffer): Body | undefined {
  try {
    const value: unknown = JSON.parse(text.toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** One call of AWS that a function made. */
export interface RecordedCall {
  /** That of the invocation, which the SDK sends along. */
  readonly traceId: string;
  /** As in the signature: `dynamodb`. */
  readonly service: string;
  /** As in X-Amz-Target: `Query`; method and path for services that have none. */
  readonly operation: string;
  readonly body: Body;
}

/** Answers a call in DynamoDB's place; undefined lets it through. */
export type Interception = (
  call: RecordedCall,
) => { readonly status: number; readonly body: object } | undefined;

/**
 * Stands between the functions and AWS and writes down who calls what. DynamoDB's calls go on to DynamoDB Local; a call
 * of any other service ends here, with an error.
 */
export class CallRecorder {
  readonly #calls: RecordedCall[] = [];
  #proxy: DynamoDbProxy | undefined;
  /** For failures that DynamoDB Local doesn't make. */
  intercept: Interception = () => undefined;

  get calls(): readonly RecordedCall[] {
    return this.#calls;
  }

  /** Where the functions are to find AWS. */
  get endpoint(): string {
    return this.#proxy?.endpoint ?? '';
  }

  /** @param dynamoDbEndpoint where DynamoDB's calls go on to */
  async start(dynamoDbEndpoint: string): Promise<string> {
    this.#proxy = await startDynamoDbProxy(dynamoDbEndpoint, { handle: call => this.#handle(call) });
    return this.endpoint;
  }

  async stop(): Promise<void> {
    await this.#proxy?.stop();
  }

  async #handle({ headers, method, url, operation, text, forward }: ProxiedCall): Promise<Answer> {
    const call: RecordedCall = {
      traceId: String(headers['x-amzn-trace-id']),
      service: serviceOf(headers.authorization),
      operation: operation ?? `${method} ${url}`,
      body: parseBody(text) ?? {},
    };
    this.#calls.push(call);
    const answer = this.intercept(call) ?? (call.service === 'dynamodb' ? undefined : NOT_HERE);
    return answer === undefined ? forward() : jsonAnswer(answer.body, answer.status);
  }
}

const NOT_HERE = { status: 400, body: { __type: 'AccessDeniedException', message: 'not in this cloud' } };

/** `AWS4-HMAC-SHA256 Credential=<id>/<day>/<region>/<service>/aws4_request, …` */
function serviceOf(authorization: string | undefined): string {
  return /Credential=[^/]+\/\d+\/[^/]+\/([^/]+)\/aws4_request/.exec(authorization ?? '')?.[1] ?? 'unsigned';
}
