import { seededRandom } from 'stepfunctions-emulator';
import { type Answer, type Body, jsonAnswer, parseBody, withBody } from '../../local/dynamodb/answer.ts';
import { DynamoDbProxy, type ProxiedCall } from '../../local/dynamodb/proxy.ts';
import { keysOf, splitBatch } from './batch.ts';
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

/** Starts a proxy before DynamoDB that injects faults into what goes through it. */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const faults = new FaultProxy(options);
  await faults.listen();
  return faults;
}

/** Stands between the functions and DynamoDB Local, which itself neither throttles nor breaks. */
export class FaultProxy {
  readonly counter: FaultCounter;
  readonly #options: FaultProxyOptions;
  readonly #faults: SeededFaults;
  readonly #stale: StaleIndex;
  readonly #late = new Set<NodeJS.Timeout>();
  #proxy: DynamoDbProxy | undefined;

  constructor(options: FaultProxyOptions) {
    const { seed = 1, rates = {}, phases = [], slowMs } = options;
    this.#options = options;
    this.#faults = new SeededFaults({ seed, rates, phases, ...(slowMs === undefined ? {} : { slowMs }) });
    this.#stale = new StaleIndex(seededRandom(seed + 1));
    this.counter = options.counter ?? new FaultCounter();
  }

  async listen(): Promise<void> {
    this.#proxy = await DynamoDbProxy.start(this.#options.target, { handle: call => this.#handle(call) });
  }

  get endpoint(): string {
    return this.#proxy?.endpoint ?? '';
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
    for (const timer of this.#late) clearTimeout(timer);
    await this.#proxy?.stop();
  }

  /** @returns undefined to cut the connection without an answer */
  async #handle({ operation = '', text, forward }: ProxiedCall): Promise<Answer | undefined> {
    const body = parseBody(text) ?? {};
    const call: DynamoDbCall = { operation, body, keys: keysOf(operation, body), at: Date.now() };
    const fault = this.#options.choose?.(call) ?? this.#faults.choose(call);
    if (fault) this.counter.add(fault.name);
    this.#options.onCall?.(call, fault);
    await fault?.before?.();
    return this.#answer(call, fault, forward);
  }

  async #answer(
    call: DynamoDbCall,
    fault: DynamoDbFault | undefined,
    forward: ProxiedCall['forward'],
  ): Promise<Answer | undefined> {
    const effect = fault?.effect;
    switch (effect?.kind) {
      case 'refuse':
        return refusal(effect.error, effect.status);
      case 'cutBefore':
        return undefined;
      case 'cutAfter': {
        const answer = this.#query(call, await forward());
        return effect.midAnswer ? { ...answer, cutAt: Math.floor(answer.body.length / 2) } : undefined;
      }
      case 'leaveOut': {
        const { rest, complete } = splitBatch(call.operation, call.body, effect.errors);
        const answer = rest === undefined ? jsonAnswer({}) : await forward(JSON.stringify(rest));
        return answer.status === 200 ? withBody(answer, complete(parseBody(answer.body) ?? {})) : answer;
      }
      case 'slow': {
        const answer = await forward();
        await this.#wait(effect.ms);
        return answer;
      }
      default:
        return this.#query(call, await forward(), effect?.kind === 'stale');
    }
  }

  /** What a query is answered, and what is remembered of it; anything else as it is. */
  #query({ operation, body }: DynamoDbCall, answer: Answer, stale = false): Answer {
    if (operation !== 'Query' || answer.status !== 200) return answer;
    const given: Body = parseBody(answer.body) ?? {};
    const widened = stale ? this.#stale.widen(body, given) : given;
    if (this.#options.rememberAnswers ?? true) this.#stale.rememberAnswer(body, given);
    return widened === given ? answer : withBody(answer, widened);
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

/** As DynamoDB refuses a call. */
function refusal(error: string, status: number): Answer {
  const __type = `com.amazonaws.dynamodb.v20120810#${error}`;
  return jsonAnswer({ __type, message: `${error}: injected` }, status);
}
