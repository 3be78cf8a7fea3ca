import { type Answer, parseBody, withBody } from 'aws-on-loopback/dynamodb/answer';
import { DynamoDbProxy, type ProxiedCall } from 'aws-on-loopback/dynamodb/proxy';
import {
  askForCapacity,
  NO_USAGE,
  type OnUsage,
  reportDynamoDb,
  type TableDescription,
  takeCapacity,
} from '../../cost/dynamodb-usage.ts';
import type { CallMeter } from '../functions/local-functions.ts';

const TRACE_HEADER = 'x-amzn-trace-id';

/**
 * A proxy before DynamoDB Local that counts the capacity units of the functions' calls. It requests the consumed capacity of every call
 * and removes it from the answer, unless the function requested it itself. The trace header, which the SDK always sends in Lambda,
 * identifies the invocation of a call.
 */
export class DynamoDbMeter implements CallMeter {
  readonly #listeners = new Map<string, OnUsage>();
  readonly #tables = new Map<string, Promise<TableDescription>>();
  #proxy: DynamoDbProxy | undefined;

  /** Starts the proxy. @returns its endpoint, which the functions call instead of `target` */
  async start(target: string): Promise<string> {
    this.#proxy = await DynamoDbProxy.start(target, { handle: call => this.#answer(call) });
    return this.#proxy.endpoint;
  }

  track(traceId: string, onUsage: OnUsage): () => void {
    this.#listeners.set(traceId, onUsage);
    return () => this.#listeners.delete(traceId);
  }

  /** Safe to call more than once, and when it was never started. */
  async stop(): Promise<void> {
    await this.#proxy?.stop();
  }

  async #answer(call: ProxiedCall): Promise<Answer> {
    const listener = this.#listeners.get(String(call.headers[TRACE_HEADER]));
    if (listener === undefined) return call.forward();
    const body = parseBody(call.text);
    const asked = body && askForCapacity(call.operation ?? '', body);
    const answer = await call.forward(asked && JSON.stringify(asked.body));
    const given = asked && answer.status === 200 ? parseBody(answer.body) : undefined;
    if (asked === undefined || given === undefined) {
      reportDynamoDb(listener, NO_USAGE);
      return answer;
    }
    const taken = await takeCapacity(asked, given, name => this.#describe(name, call));
    reportDynamoDb(listener, taken.usage);
    return withBody(answer, taken.answer);
  }

  #describe(TableName: string, call: ProxiedCall): Promise<TableDescription> {
    const known = this.#tables.get(TableName);
    if (known !== undefined) return known;
    const asking = call
      .ask('DescribeTable', { TableName })
      .then(({ body }) => (parseBody(body)?.['Table'] ?? {}) as TableDescription);
    this.#tables.set(TableName, asking);
    return asking;
  }
}
