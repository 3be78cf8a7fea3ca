import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { requireLoopback, stopServer } from 'stepfunctions-emulator/loopback';
import type { CallMeter, InvokeWrapper } from '../../../local/functions/local-functions.ts';

/** One call of AWS that a function made. */
export interface RecordedCall {
  readonly functionName: string;
  /** As in the signature: `dynamodb`. */
  readonly service: string;
  /** As in X-Amz-Target: `Query`; method and path for services that have none. */
  readonly operation: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Answers a call in DynamoDB's place; undefined lets it through. */
export type Interception = (
  call: RecordedCall,
) => { readonly status: number; readonly body: object } | undefined;

/**
 * Stands between the functions and AWS and writes down who calls what. DynamoDB's calls go on to DynamoDB Local; a call
 * of any other service ends here, with an error.
 *
 * The trace id that the SDK sends along names the invocation; which function that is, is known where it is invoked.
 */
export class CallRecorder implements CallMeter {
  readonly #server: Server;
  readonly #invoked = new AsyncLocalStorage<string>();
  readonly #functions = new Map<string, string>();
  readonly #calls: RecordedCall[] = [];
  readonly #invocations = new Set<string>();
  #target: URL | undefined;
  /** For failures that DynamoDB Local doesn't make. */
  intercept: Interception = () => undefined;

  constructor() {
    this.#server = createServer((incoming, outgoing) => {
      this.#handle(incoming, outgoing).catch(error => {
        console.error(error);
        outgoing.destroy();
      });
    });
  }

  get calls(): readonly RecordedCall[] {
    return this.#calls;
  }

  /** ARNs of the functions that were invoked. */
  get invocations(): ReadonlySet<string> {
    return this.#invocations;
  }

  /** Where the functions are to find AWS. */
  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** @param dynamoDbEndpoint where DynamoDB's calls go on to */
  async start(dynamoDbEndpoint: string): Promise<string> {
    this.#target = new URL(requireLoopback(dynamoDbEndpoint, 'dynamoDbEndpoint'));
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this.endpoint;
  }

  /** To stand around every invocation. */
  readonly wrap: InvokeWrapper = ({ functionName, functionArn }, next) => {
    this.#invocations.add(functionArn);
    return this.#invoked.run(functionName, next);
  };

  /** Called where an invocation begins, within {@link wrap}. */
  track(traceId: string): () => void {
    const functionName = this.#invoked.getStore();
    if (functionName !== undefined) this.#functions.set(traceId, functionName);
    return () => {}; // what it does after its answer counts too
  }

  async stop(): Promise<void> {
    await stopServer(this.#server);
  }

  async #handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await text(incoming);
    const { headers, method, url } = incoming;
    const target = headers['x-amz-target'];
    const call: RecordedCall = {
      functionName: this.#functions.get(String(headers['x-amzn-trace-id'])) ?? 'unknown',
      service: serviceOf(headers.authorization),
      operation: typeof target === 'string' ? (target.split('.').at(-1) ?? '') : `${method} ${url}`,
      body: parse(body),
    };
    this.#calls.push(call);
    const answer = this.intercept(call) ?? (call.service === 'dynamodb' ? undefined : NOT_HERE);
    if (answer === undefined) return this.#forward(incoming, body, outgoing);
    outgoing.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' });
    outgoing.end(JSON.stringify(answer.body));
  }

  #forward(incoming: IncomingMessage, body: string, outgoing: ServerResponse): void {
    const sent = request(this.#target ?? '', { method: 'POST', headers: incoming.headers }, answered => {
      outgoing.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(outgoing);
    });
    sent.on('error', () => outgoing.destroy());
    sent.end(body);
  }
}

const NOT_HERE = { status: 400, body: { __type: 'AccessDeniedException', message: 'not in this cloud' } };

/** `AWS4-HMAC-SHA256 Credential=<id>/<day>/<region>/<service>/aws4_request, …` */
function serviceOf(authorization: string | undefined): string {
  return /Credential=[^/]+\/\d+\/[^/]+\/([^/]+)\/aws4_request/.exec(authorization ?? '')?.[1] ?? 'unsigned';
}

function parse(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
