import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { requireLoopback, stopServer } from 'stepfunctions-emulator/loopback';
import {
  askForCapacity,
  type Body,
  type CapacityRequest,
  takeCapacity,
} from '../../cost/consumed-capacity.ts';
import { type OnUsage, reportDynamoDb } from '../../cost/dynamodb-usage.ts';
import type { TableDescription } from '../../cost/partiql-deletes.ts';
import type { CallMeter } from '../functions/local-functions.ts';
import { type Answer, forward } from './forward.ts';

const TRACE_HEADER = 'x-amzn-trace-id';
const TARGET_HEADER = 'x-amz-target';
/** Of the body, which is another one once it has been through here. */
const ABOUT_THE_BODY = ['content-length', 'transfer-encoding', 'x-amz-crc32'];

/**
 * A proxy before DynamoDB Local that counts what the functions' calls consume. It has DynamoDB say the capacity units
 * of every call and takes them out of the answer again, unless the function asked for them itself. Which invocation a
 * call belongs to stands in the trace header, which the SDK sends in Lambda anyway.
 */
export class DynamoDbMeter implements CallMeter {
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #listeners = new Map<string, OnUsage>();
  readonly #tables = new Map<string, Promise<TableDescription>>();
  #target: URL | undefined;

  constructor() {
    this.#server = createServer((incoming, outgoing) => {
      this.#forward(incoming, outgoing).catch(() => {
        // The function sees what it would see without a proxy: a connection that breaks.
        outgoing.destroy();
      });
    });
  }

  /** @returns the endpoint that stands for `target` */
  async start(target: string): Promise<string> {
    this.#target = new URL(requireLoopback(target, 'target'));
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  track(traceId: string, onUsage: OnUsage): () => void {
    this.#listeners.set(traceId, onUsage);
    return () => this.#listeners.delete(traceId);
  }

  /** Safe to call more than once, and when it was never started. */
  async stop(): Promise<void> {
    this.#agent.destroy();
    await stopServer(this.#server);
  }

  async #forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const listener = this.#listeners.get(String(incoming.headers[TRACE_HEADER]));
    const operation = String(incoming.headers[TARGET_HEADER]).split('.').at(-1) ?? '';
    const body = (await buffer(incoming)).toString();
    const parsed = listener && parse(body);
    const asked = parsed && askForCapacity(operation, parsed);
    const answer = await this.#send(incoming.headers, asked ? JSON.stringify(asked.body) : body);
    const text = asked ? await this.#count(asked, answer, incoming.headers, listener) : answer.text;
    if (listener && !asked) reportDynamoDb(listener, { readUnits: 0, writeUnits: 0 });
    const headers = Object.entries(answer.headers).filter(([name]) => !ABOUT_THE_BODY.includes(name));
    outgoing.writeHead(answer.status, {
      ...Object.fromEntries(headers),
      'content-length': Buffer.byteLength(text),
    });
    outgoing.end(text);
  }

  /** @returns the body of the answer as the function is to get it */
  async #count(
    asked: CapacityRequest,
    { status, text }: Answer,
    headers: IncomingMessage['headers'],
    listener: OnUsage,
  ): Promise<string> {
    const parsed = status === 200 ? parse(text) : undefined;
    if (parsed === undefined) {
      reportDynamoDb(listener, { readUnits: 0, writeUnits: 0 });
      return text;
    }
    const { answer, usage } = await takeCapacity(asked, parsed, name => this.#describe(name, headers));
    reportDynamoDb(listener, usage);
    // DynamoDB writes the numbers of items as strings, so nothing is lost on the way.
    return JSON.stringify(answer);
  }

  #describe(TableName: string, headers: IncomingMessage['headers']): Promise<TableDescription> {
    const known = this.#tables.get(TableName);
    if (known !== undefined) return known;
    const asking = this.#send(
      { ...headers, [TARGET_HEADER]: 'DynamoDB_20120810.DescribeTable' },
      JSON.stringify({ TableName }),
    ).then(({ text }) => (parse(text)?.['Table'] ?? {}) as TableDescription);
    this.#tables.set(TableName, asking);
    return asking;
  }

  #send(headers: IncomingMessage['headers'], body: string): Promise<Answer> {
    return forward(this.#target ?? '', this.#agent, headers, body);
  }
}

/** undefined for what isn't a JSON object: it is passed on as it is. */
function parse(text: string): Body | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : undefined;
  } catch {
    return undefined;
  }
}
