import type { Answer } from './answer.ts';
import { answerWith, type CallEffect, type DynamoDbCall, readCall } from './call-effect.ts';
import { DynamoDbProxy, type ProxiedCall } from './proxy.ts';

/** Failures that affect DynamoDB as a whole. */
export type Breakage = 'throttle' | 'down' | 'hang' | 'slow';

/** While DynamoDB throttles, one in this number of index reads and of deletes succeeds. */
export const THROTTLED_OF = 10;
/** Functions and commands wait five seconds for an answer. */
export const SLOW_MS = 3_000;

/** Text of DynamoDB's error for a table with provisioned capacity. Source: API reference, BatchStatementError. */
const EXCEEDED = 'The level of configured provisioned throughput for';
const THROTTLED_INDEX =
  `${EXCEEDED} one or more global secondary indexes of the table was exceeded. Consider increasing your provisioning level ` +
  'for the under-provisioned global secondary indexes with the UpdateTable API';
const THROTTLED_TABLE = `${EXCEEDED} the table was exceeded. Consider increasing your provisioning level with the UpdateTable API.`;

/** Proxy for a DynamoDB Local, through which all callers go; its failure can be switched on and off while it runs. */
export class BreakableDynamoDb {
  readonly #target: string;
  #proxy: DynamoDbProxy;
  #breakage: Breakage | undefined;
  #hanging: (() => void)[] = [];
  #indexReads = 0;
  #deletes = 0;
  /** Changes are made one after another. */
  #changed: Promise<unknown> = Promise.resolve();

  private constructor(target: string, proxy: DynamoDbProxy) {
    this.#target = target;
    this.#proxy = proxy;
  }

  /**
   * Rejects with the system's error, e.g. EADDRINUSE, when it can't listen.
   *
   * @param target the endpoint behind it
   * @throws {NotLoopbackError} when the target isn't on this machine
   */
  static async start(target: string, port: number): Promise<BreakableDynamoDb> {
    const handle = (call: ProxiedCall) => made.#answer(call);
    const made = new BreakableDynamoDb(target, await DynamoDbProxy.start(target, { port, handle }));
    return made;
  }

  /** `http://127.0.0.1:<port>` */
  get endpoint(): string {
    return this.#proxy.endpoint;
  }

  /** Starts a failure, which lasts until {@link mend}. */
  break(breakage: Breakage): Promise<void> {
    return this.#change(async () => {
      this.#breakage = breakage;
      if (breakage === 'down') await this.#proxy.stop();
    });
  }

  /** Ends the failure; calls that hang lose their connections. Rejects when another process uses the port of a DynamoDB that was down. */
  mend(): Promise<void> {
    return this.#change(async () => {
      const wasDown = this.#breakage === 'down';
      this.#breakage = undefined;
      for (const end of this.#hanging.splice(0)) end();
      if (!wasDown) return;
      const port = Number(new URL(this.endpoint).port);
      const handle = (call: ProxiedCall) => this.#answer(call);
      this.#proxy = await DynamoDbProxy.start(this.#target, { port, handle });
    });
  }

  /** Safe to call more than once. */
  stop(): Promise<void> {
    return this.#change(() => this.#proxy.stop());
  }

  #change(change: () => Promise<void>): Promise<void> {
    const changed = this.#changed.then(change);
    this.#changed = changed.catch(() => undefined);
    return changed;
  }

  async #answer(proxied: ProxiedCall): Promise<Answer | undefined> {
    const call = readCall(proxied, Date.now());
    const effect = this.#effectOn(call);
    return effect === undefined ? proxied.forward() : answerWith(effect, call, proxied.forward);
  }

  #effectOn(call: DynamoDbCall): CallEffect | undefined {
    switch (this.#breakage) {
      case 'throttle':
        return this.#throttled(call);
      case 'slow':
        return { kind: 'slow', ms: SLOW_MS };
      case 'hang':
        return { kind: 'hang', until: new Promise<void>(resolve => this.#hanging.push(resolve)) };
      case 'down':
        // The call was in progress when the connections were closed.
        return { kind: 'cutBefore' };
      case undefined:
        return undefined;
    }
  }

  /** The journal table has its own capacity, is written by other operations and is read without an index, so it is not throttled. */
  #throttled({ operation, body, keys }: DynamoDbCall): CallEffect | undefined {
    const refused = (message: string) =>
      ({ kind: 'refuse', error: 'ProvisionedThroughputExceededException', status: 400, message }) as const;
    if (body['IndexName'] !== undefined) {
      return this.#indexReads++ % THROTTLED_OF === 0 ? undefined : refused(THROTTLED_INDEX);
    }
    const isThrottled = () => this.#deletes++ % THROTTLED_OF !== 0;
    if (operation === 'DeleteItem') return isThrottled() ? refused(THROTTLED_TABLE) : undefined;
    // The key of a put in a BatchWriteItem is null.
    const deletes = [...keys.entries()].filter(([, key]) => operation !== 'BatchGetItem' && key !== 'null');
    const errors = deletes
      .filter(isThrottled)
      .map(([index]) => [index, 'ProvisionedThroughputExceeded'] as const);
    if (errors.length === 0) return undefined;
    return { kind: 'leaveOut', errors: new Map(errors), message: THROTTLED_TABLE };
  }
}
