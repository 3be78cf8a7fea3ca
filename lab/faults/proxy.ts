import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { seededRandom } from 'stepfunctions-emulator';
import { requireLoopback, stopServer } from 'stepfunctions-emulator/loopback';
import { type Answer, forward as forwardTo } from '../../local/dynamodb/forward.ts';
import { keysOf, splitBatch } from './batch.ts';
import { type Body, parseBody } from './body.ts';
import {
  type ChooseFault,
  type DynamoDbCall,
  type DynamoDbFault,
  FaultCounter,
  type FaultRates,
} from './fault.ts';
import { type FaultPhase, SeededFaults } from './seeded-faults.ts';
import { type IndexEntry, StaleIndex } from './stale-index.ts';

export interface FaultProxyOptions {
  /** The DynamoDB behind it; loopback only. */
  readonly target: string;
  /** @default 1 */
  readonly seed?: number;
  /** @default none: every call goes through */
  readonly rates?: FaultRates;
  /** Rates for a time, one after the other from the first call on; then {@link rates} are in force. */
  readonly phases?: readonly FaultPhase[];
  /** How late slow answers are, milliseconds. @default 6000 */
  readonly slowMs?: number;
  /** Whether a stale answer may bring back what an earlier one held, besides what was remembered. @default true */
  readonly rememberAnswers?: boolean;
  /** Asked before the rates: a test's own faults. */
  readonly choose?: ChooseFault;
  /** Gets every call and what was done to it. */
  readonly onCall?: (call: DynamoDbCall, fault: DynamoDbFault | undefined) => void;
  /** Counts together with other sources of faults. @default a counter of its own */
  readonly counter?: FaultCounter;
}

const TARGET_HEADER = 'x-amz-target';
/** Of the body, which is another one once it has been through here. */
const ABOUT_THE_BODY = ['content-length', 'transfer-encoding', 'x-amz-crc32'];

/** Starts a proxy before DynamoDB that injects faults into what goes through it. */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const proxy = new FaultProxy(options);
  await proxy.listen();
  return proxy;
}

/** Stands between the functions and DynamoDB Local, which itself neither throttles nor breaks. */
export class FaultProxy {
  readonly counter: FaultCounter;
  readonly #options: FaultProxyOptions;
  readonly #target: string;
  readonly #faults: SeededFaults;
  readonly #stale: StaleIndex;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server = createServer((incoming, outgoing) => {
    // The function sees what it would see without a proxy: a connection that breaks.
    this.#handle(incoming, outgoing).catch(() => outgoing.destroy());
  });
  readonly #late = new Set<NodeJS.Timeout>();

  constructor(options: FaultProxyOptions) {
    const { target, seed = 1, rates = {}, phases = [], slowMs } = options;
    this.#options = options;
    this.#target = requireLoopback(target, 'target');
    this.#faults = new SeededFaults({ seed, rates, phases, ...(slowMs === undefined ? {} : { slowMs }) });
    this.#stale = new StaleIndex(seededRandom(seed + 1));
    this.counter = options.counter ?? new FaultCounter();
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Other rates from now on; `{}` ends all faults but those that {@link FaultProxyOptions.choose} makes. */
  setRates(rates: FaultRates): void {
    this.#faults.setRates(rates);
  }

  /** Something that the index holds now, and that a stale answer may return later. */
  remember(tableName: string, indexKey: string, entry: IndexEntry): void {
    this.#stale.remember(tableName, indexKey, entry);
  }

  /** Safe to call more than once. */
  async stop(): Promise<void> {
    this.#agent.destroy();
    for (const timer of this.#late) clearTimeout(timer);
    await stopServer(this.#server);
  }

  async #handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const text = (await buffer(incoming)).toString();
    const operation = String(incoming.headers[TARGET_HEADER]).split('.').at(-1) ?? '';
    const body = parseBody(text) ?? {};
    const call: DynamoDbCall = { operation, body, keys: keysOf(operation, body), at: Date.now() };
    const fault = this.#options.choose?.(call) ?? this.#faults.choose(call);
    if (fault) this.counter.add(fault.name);
    this.#options.onCall?.(call, fault);
    const forward = (changed?: Body) =>
      forwardTo(
        this.#target,
        this.#agent,
        incoming.headers,
        changed === undefined ? text : JSON.stringify(changed),
      );
    await fault?.before?.();
    const answer = await this.#answer(call, fault, forward);
    if (answer === undefined) {
      incoming.socket.destroy();
    } else if (fault?.effect.kind === 'cutAfter') {
      cut(outgoing, answer, fault.effect.midAnswer);
    } else {
      send(outgoing, answer);
    }
  }

  /** @returns undefined to cut the connection without an answer */
  async #answer(
    call: DynamoDbCall,
    fault: DynamoDbFault | undefined,
    forward: (changed?: Body) => Promise<Answer>,
  ): Promise<Answer | undefined> {
    const effect = fault?.effect;
    switch (effect?.kind) {
      case 'refuse':
        return refusal(effect.error, effect.status);
      case 'cutBefore':
        return undefined;
      case 'leaveOut': {
        const { rest, complete } = splitBatch(call.operation, call.body, effect.errors);
        const answer = rest === undefined ? json({}) : await forward(rest);
        return answer.status === 200 ? withBody(answer, complete(parseBody(answer.text) ?? {})) : answer;
      }
      case 'slow': {
        const answer = await forward();
        await this.#wait(effect.ms);
        return answer;
      }
      default: {
        const answer = await forward();
        if (call.operation !== 'Query' || answer.status !== 200) return answer;
        const given = parseBody(answer.text) ?? {};
        const widened = effect?.kind === 'stale' ? this.#stale.widen(call.body, given) : given;
        if (this.#options.rememberAnswers ?? true) this.#stale.rememberAnswer(call.body, given);
        return widened === given ? answer : withBody(answer, widened);
      }
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(() => {
        this.#late.delete(timer);
        resolve();
      }, ms);
      this.#late.add(timer);
    });
  }
}

function json(body: Body, status = 200): Answer {
  return {
    status,
    headers: { 'content-type': 'application/x-amz-json-1.0' },
    text: JSON.stringify(body),
  };
}

/** As DynamoDB refuses a call. */
function refusal(error: string, status: number): Answer {
  return json({ __type: `com.amazonaws.dynamodb.v20120810#${error}`, message: `${error}: injected` }, status);
}

function withBody(answer: Answer, body: Body): Answer {
  return { ...answer, text: JSON.stringify(body) };
}

function headersOf({ headers, text }: Answer): Record<string, string | string[] | number | undefined> {
  const kept = Object.entries(headers).filter(([name]) => !ABOUT_THE_BODY.includes(name));
  return { ...Object.fromEntries(kept), 'content-length': Buffer.byteLength(text) };
}

function send(outgoing: ServerResponse, answer: Answer): void {
  outgoing.writeHead(answer.status, headersOf(answer));
  outgoing.end(answer.text);
}

function cut(outgoing: ServerResponse, answer: Answer, midAnswer: boolean): void {
  if (!midAnswer) {
    outgoing.destroy();
    return;
  }
  outgoing.writeHead(answer.status, headersOf(answer));
  outgoing.write(answer.text.slice(0, Math.floor(answer.text.length / 2)), () => outgoing.destroy());
}
