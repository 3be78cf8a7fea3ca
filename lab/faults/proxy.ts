import { type Answer, type Body, parseBody, withBody } from 'aws-on-loopback/dynamodb/answer';
import { answerWith, type DynamoDbCall, readCall } from 'aws-on-loopback/dynamodb/call-effect';
import { DynamoDbProxy, type ProxiedCall } from 'aws-on-loopback/dynamodb/proxy';
import { seededRandom } from 'stepfunctions-emulator';
import {
  type ChooseFault,
  type DynamoDbFault,
  FaultCounter,
  type FaultRates,
  SeededFaults,
} from './fault.ts';
import { StaleIndex } from './stale-index.ts';

export interface FaultProxyOptions {
  /** The DynamoDB behind the proxy; loopback only. */
  readonly target: string;
  /** @default 1 */
  readonly seed?: number;
  /** @default no faults: every call succeeds */
  readonly rates?: FaultRates;
  /** Delay of slow answers, milliseconds. @default 6000 */
  readonly slowMs?: number;
  /** Chooses a test's own faults, before the rates apply. */
  readonly choose?: ChooseFault;
  /** Called with every call and its effect. */
  readonly onCall?: (call: DynamoDbCall, fault: DynamoDbFault | undefined) => void;
  /** Counter that is shared with other sources of faults. @default a counter of its own */
  readonly counter?: FaultCounter;
}

/** Starts a proxy that injects faults into the calls to DynamoDB. */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const faults = new FaultProxy(options);
  await faults.listen();
  return faults;
}

/** Proxy between the functions and DynamoDB Local, which itself neither throttles nor breaks. */
export class FaultProxy {
  readonly counter: FaultCounter;
  readonly #options: FaultProxyOptions;
  readonly #faults: SeededFaults;
  readonly #stale: StaleIndex;
  #proxy: DynamoDbProxy | undefined;

  constructor(options: FaultProxyOptions) {
    const { seed = 1, rates = {}, slowMs } = options;
    this.#options = options;
    this.#faults = new SeededFaults({ seed, rates, ...(slowMs === undefined ? {} : { slowMs }) });
    this.#stale = new StaleIndex(seededRandom(seed + 1));
    this.counter = options.counter ?? new FaultCounter();
  }

  async listen(): Promise<void> {
    this.#proxy = await DynamoDbProxy.start(this.#options.target, { handle: call => this.#handle(call) });
  }

  get endpoint(): string {
    return this.#proxy?.endpoint ?? '';
  }

  /** Changes the rates; `{}` ends all faults except those of {@link FaultProxyOptions.choose}. */
  setRates(rates: FaultRates): void {
    this.#faults.setRates(rates);
  }

  /** Safe to call more than once. */
  async stop(): Promise<void> {
    await this.#proxy?.stop();
  }

  /** Answers a call, possibly with a fault. @returns undefined to cut the connection without an answer */
  async #handle(proxied: ProxiedCall): Promise<Answer | undefined> {
    const call = readCall(proxied, Date.now());
    const fault = this.#options.choose?.(call) ?? this.#faults.choose(call);
    if (fault) this.counter.add(fault.name);
    this.#options.onCall?.(call, fault);
    await fault?.before?.();
    const effect = fault?.effect;
    const isStale = effect?.kind === 'stale';
    const forward = async (text?: string) => this.#query(call, await proxied.forward(text), isStale);
    return effect === undefined || isStale ? forward() : answerWith(effect, call, forward);
  }

  /** Answers a query and stores its entries; answers to other calls are unchanged. */
  #query({ operation, body }: DynamoDbCall, answer: Answer, stale = false): Answer {
    if (operation !== 'Query' || answer.status !== 200) return answer;
    const given: Body = parseBody(answer.body) ?? {};
    const widened = stale ? this.#stale.widen(body, given) : given;
    this.#stale.rememberAnswer(body, given);
    return widened === given ? answer : withBody(answer, widened);
  }
}
