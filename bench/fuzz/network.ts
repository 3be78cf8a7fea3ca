import { Readable } from 'node:stream';
import type { Clock } from 'stepfunctions-emulator';
import { type Answer, jsonAnswer, parseBody } from '../../local/dynamodb/answer.ts';
import { keysOf, splitBatch } from './batch.ts';
import { answeredOf, answerRequest, deletedIds, tableOf } from './dynamodb.ts';
import { type CallEffect, type Faults, isLasting } from './faults.ts';
import type { FuzzedTable } from './fuzzed-table.ts';
import { UnknownRequestError } from './partiql.ts';
import type { Trouble } from './scenario.ts';
import {
  addTo,
  bytesOf,
  type Invocation,
  KilledError,
  type SdkOptions,
  type SdkRequest,
  type SdkResponse,
} from './sdk.ts';

export interface NetworkOptions {
  /** The true time, which DynamoDB uses. */
  readonly clock: Clock;
  /** Converts an epoch millisecond to the time of one of a table's servers, whose answers carry it in whole seconds, as AWS's do. */
  readonly asServerHasIt: (at: number, table: string | undefined) => number;
  readonly faults: Faults;
  /** The tables by name. */
  readonly tables: ReadonlyMap<string, FuzzedTable>;
  /** Whether DynamoDB is down for minutes. */
  readonly isDown: () => boolean;
  /** Called with the error of a request that is unknown, or that the services refuse. */
  readonly onError: (error: unknown) => void;
}

/** Timeout of the clients for requests without one of their own. */
const REQUEST_TIMEOUT_MS = 5_000;

/**
 * Connects the AWS SDK's clients to the tables in memory, in the time of the virtual clock. It decides how long a request takes, whether
 * it fails or times out, and whether it takes effect nevertheless.
 */
export class Network {
  readonly #options: NetworkOptions;

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  async handle(request: SdkRequest, options: SdkOptions): Promise<{ response: SdkResponse }> {
    const { clock, asServerHasIt } = this.#options;
    const { invocation } = options;
    this.#checkAlive(invocation);
    const limitMs = this.#limitMs(options);
    const plan = this.#plan(request, invocation);
    if (plan.effect !== undefined && plan.effectMs > limitMs) clock.schedule(plan.effectMs, plan.effect);
    if (plan.effectMs > limitMs) return this.#giveUp(limitMs, invocation);
    // The request arrives even when its sender was killed.
    await clock.sleep(plan.effectMs);
    const answer = plan.effect?.();
    if (plan.effectMs + plan.answerMs > limitMs) return this.#giveUp(limitMs - plan.effectMs, invocation);
    await clock.sleep(plan.answerMs);
    this.#checkAlive(invocation);
    if (answer === undefined || plan.isCut) throw lost('ECONNRESET', 'socket hang up');
    plan.onAnswer?.(answer);
    const headers = Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
    );
    const date = new Date(asServerHasIt(clock.now(), plan.table)).toUTCString();
    return {
      response: {
        statusCode: answer.status,
        headers: { ...headers, date },
        body: Readable.from([answer.body]),
      },
    };
  }

  #limitMs({ requestTimeout = REQUEST_TIMEOUT_MS, abortSignal }: SdkOptions): number {
    const endsAt = abortSignal?.endsAt ?? Number.POSITIVE_INFINITY;
    return Math.max(0, Math.min(requestTimeout, endsAt - this.#options.clock.now()));
  }

  async #giveUp(afterMs: number, invocation: Invocation | undefined): Promise<never> {
    await this.#options.clock.sleep(afterMs);
    this.#checkAlive(invocation);
    throw lost(undefined, 'no answer in time');
  }

  #checkAlive(invocation: Invocation | undefined): void {
    if (invocation !== undefined && this.#options.clock.now() >= invocation.killedAt)
      throw new KilledError('the process is gone');
  }

  /** Draws the result of a request when it is sent. */
  #plan(request: SdkRequest, invocation: Invocation | undefined): Plan {
    const { faults, clock } = this.#options;
    const effectMs = faults.between(1, 6);
    const answerMs = faults.between(1, 6);
    const zombieMs = invocation === undefined ? undefined : faults.zombieMs();
    const [service = '', operation = ''] = (request.headers['x-amz-target'] ?? '').split('.');
    const isOut = faults.isOut('dynamodb', clock.now());
    if (service !== 'DynamoDB_20120810') {
      const error = new UnknownRequestError(
        `expected a request of DynamoDB, the only one of the functions, got ${operation} of ${request.hostname}`,
      );
      this.#options.onError(error);
      throw error;
    }
    const { tables, isDown } = this.#options;
    const body = parseBody(bytesOf(request.body)) ?? {};
    const name = tableOf(operation, body);
    const named = tables.get(name);
    const sentAt = clock.now();
    const trouble = named?.troubleAt(sentAt);
    if (trouble === 'hanging') return HANGING;
    const effect = faults.ofCall({ operation, keys: keysOf(operation, body) });
    const answer = (of = body) =>
      this.#told(() => {
        if (named === undefined)
          throw new UnknownRequestError(`expected a table of the deployment, got ${name}`);
        const { table, users } = named;
        for (const id of deletedIds(operation, of, table)) if (faults.interferes()) users.interfere(id);
        const { swept } = table;
        const given = answerRequest(operation, of, table);
        const applied = table.swept - swept;
        named.deleted(applied, sentAt);
        if (invocation !== undefined) addTo(invocation.tally, name, { applied });
        return given;
      });
    const isAnswered = trouble === 'readOnly' && operation === 'Query';
    const whole = isOut || isDown() ? OUT : trouble && !isAnswered ? REFUSALS[trouble] : undefined;
    const plan = planOf(whole ?? effect, zombieMs ?? effectMs, answerMs, {
      all: () => answer(),
      refuse: (error, status) =>
        jsonAnswer(
          { __type: `com.amazonaws.dynamodb.v20120810#${error}`, message: `${error}: injected` },
          status,
        ),
      some: errors => {
        for (const [index, id] of named === undefined
          ? []
          : deletedIds(operation, body, named.table).entries())
          if (isLasting(errors.get(index) ?? '')) named?.oracle.refused.add(id);
        const { rest, complete } = splitBatch(operation, body, errors);
        const given = rest === undefined ? jsonAnswer({}) : answer(rest);
        return given.status === 200 ? jsonAnswer(complete(parseBody(given.body) ?? {})) : given;
      },
    });
    const onAnswer = (given: Answer) => {
      const counts = answeredOf(operation, body, given);
      if (counts !== undefined && invocation !== undefined) addTo(invocation.tally, name, counts);
    };
    return { ...plan, table: name, onAnswer };
  }

  /** Reports an unknown request: it is a fault of this program or of the product, and must not look like an error of DynamoDB. */
  #told(work: () => Answer): Answer {
    try {
      return work();
    } catch (error) {
      this.#options.onError(error);
      return jsonAnswer({ __type: 'UnknownRequestError', message: String(error) }, 400);
    }
  }
}

/** Effect on every call during an outage. */
const OUT: CallEffect = { kind: 'refuse', error: 'ServiceUnavailable', status: 503 };

/** Effects on every call for a table in trouble. */
const REFUSALS = {
  deleted: { kind: 'refuse', error: 'ResourceNotFoundException', status: 400 },
  forbidden: { kind: 'refuse', error: 'AccessDeniedException', status: 400 },
  readOnly: { kind: 'refuse', error: 'AccessDeniedException', status: 400 },
  throttled: { kind: 'refuse', error: 'ThrottlingException', status: 400 },
} as const satisfies Record<Exclude<Trouble, 'hanging'>, CallEffect>;

interface Plan {
  /** Time until the request takes effect, and from then to the answer, milliseconds. */
  readonly effectMs: number;
  readonly answerMs: number;
  /** Undefined when the request never arrives. */
  readonly effect: (() => Answer) | undefined;
  readonly isCut: boolean;
  readonly table?: string;
  readonly onAnswer?: (answer: Answer) => void;
}

/** A request that no answer comes to. */
const HANGING: Plan = { effectMs: Number.POSITIVE_INFINITY, answerMs: 0, effect: undefined, isCut: false };

interface Ways {
  readonly all: () => Answer;
  readonly refuse: (error: string, status: number) => Answer;
  /** Builds an answer in which some keys of a batch failed. */
  readonly some?: (errors: ReadonlyMap<number, string>) => Answer;
}

function planOf(effect: CallEffect | undefined, effectMs: number, answerMs: number, ways: Ways): Plan {
  const usual = { effectMs, answerMs, effect: ways.all, isCut: false };
  switch (effect?.kind) {
    case 'refuse':
      return { ...usual, effect: () => ways.refuse(effect.error, effect.status) };
    case 'leaveOut': {
      const { errors } = effect;
      return { ...usual, effect: () => (ways.some === undefined ? ways.all() : ways.some(errors)) };
    }
    case 'cutBefore':
      return { ...usual, effect: undefined };
    case 'cutAfter':
      return { ...usual, isCut: true };
    case 'slow':
      return { ...usual, answerMs: effect.ms };
    case undefined:
      return usual;
  }
}

/** Builds an error of the SDK's own handler. */
function lost(code: string | undefined, message: string): Error {
  return Object.assign(new Error(message), { name: 'TimeoutError', ...(code !== undefined && { code }) });
}
