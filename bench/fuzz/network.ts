import { Readable } from 'node:stream';
import type { Clock } from 'stepfunctions-emulator';
import { type Answer, readRequest, tableOf, UnknownRequestError } from './dynamodb.ts';
import { type CallEffect, type Faults, isLasting } from './faults.ts';
import type { FuzzedTable } from './fuzzed-table.ts';
import type { Trouble } from './scenario.ts';
import { addTo, type Handle, type Invocation, type SdkRequest } from './sdk.ts';

interface NetworkOptions {
  readonly clock: Clock;
  /** Converts epoch milliseconds of `clock` to the clock of one of DynamoDB's servers, for the HTTP header `Date`. */
  readonly asServerHasIt: (at: number, table: string) => number;
  readonly faults: Faults;
  readonly tables: ReadonlyMap<string, FuzzedTable>;
  readonly isDown: () => boolean;
  readonly onError: (error: unknown) => void;
}

/** Timeout of requests for which the client sets no timeout, milliseconds. */
const REQUEST_TIMEOUT_MS = 5_000;

/** Connects the AWS SDK's clients to the tables in memory. A request that fails or times out can still change its table. */
export function networkOf(options: NetworkOptions): Handle {
  const { clock, asServerHasIt, faults, tables, isDown, onError } = options;
  const checkAlive = ({ killedAt }: Invocation): void => {
    if (clock.now() >= killedAt) throw new Error('the process is gone');
  };
  const giveUp = async (afterMs: number, invocation: Invocation): Promise<never> => {
    await clock.sleep(afterMs);
    checkAlive(invocation);
    throw lost(undefined, 'no answer in time');
  };

  /** Parses a request. An error is reported to `onError`, because no simulated fault causes an error here. */
  const read = ({ headers, body }: SdkRequest) => {
    const [service = '', operation = ''] = (headers['x-amz-target'] ?? '').split('.');
    try {
      if (service !== 'DynamoDB_20120810')
        throw new UnknownRequestError(`expected a request of DynamoDB, got ${operation} of ${service}`);
      const given = JSON.parse(new TextDecoder().decode(body));
      const name = tableOf(operation, given);
      const named = tables.get(name);
      if (named === undefined)
        throw new UnknownRequestError(`expected a table of the deployment, got ${name}`);
      return { operation, named, ...readRequest(operation, given, named.table) };
    } catch (error) {
      onError(error);
      throw error;
    }
  };

  /** Chooses a request's faults and delays. `effectMs`: from the request to the table's change; `answerMs`: from then to the response. */
  const plan = (request: SdkRequest, invocation: Invocation) => {
    const usualMs = faults.between(1, 6);
    const answerMs = faults.between(1, 6);
    const effectMs = faults.zombieMs() ?? usualMs;
    const sentAt = clock.now();
    const isOut = faults.isOut('dynamodb');
    const { operation, named, ids, answer } = read(request);
    const { name: table, users, oracle } = named;
    const trouble = named.troubleAt(sentAt);
    if (trouble === 'hanging') return { table, ...HANGING };
    const drawn = faults.ofCall({ operation, keys: ids.length });
    const isAnswered = trouble === 'readOnly' && operation === 'Query';
    const whole = isOut || isDown() ? OUT : trouble && !isAnswered ? REFUSALS[trouble] : undefined;
    const happens = whole ?? drawn;
    const errors = happens?.kind === 'leaveOut' ? happens.errors : NO_ERRORS;
    const effect = (): Answer => {
      if (happens?.kind === 'refuse') return refusal(happens);
      for (const [index, id] of ids.entries()) {
        if (isLasting(errors.get(index) ?? '')) oracle.refused.add(id);
        if (!errors.has(index) && faults.interferes()) users.interfere(id);
      }
      const { swept } = named.table;
      const given = answer(errors);
      const applied = named.table.swept - swept;
      named.deleted(applied, sentAt);
      addTo(invocation.tally, table, { applied });
      return given;
    };
    return {
      ...{ table, effectMs },
      answerMs: happens?.kind === 'slow' ? happens.ms : answerMs,
      effect: happens?.kind === 'cutBefore' ? undefined : effect,
      isCut: happens?.kind === 'cutAfter',
    };
  };

  return async (request, { requestTimeout = REQUEST_TIMEOUT_MS, abortSignal, invocation }) => {
    checkAlive(invocation);
    const endsAt = abortSignal?.endsAt ?? Number.POSITIVE_INFINITY;
    const limitMs = Math.max(0, Math.min(requestTimeout, endsAt - clock.now()));
    const { table, effectMs, answerMs, effect, isCut } = plan(request, invocation);
    if (effect !== undefined && effectMs > limitMs) clock.schedule(effectMs, effect);
    if (effectMs > limitMs) return giveUp(limitMs, invocation);
    await clock.sleep(effectMs);
    const answer = effect?.();
    if (effectMs + answerMs > limitMs) return giveUp(limitMs - effectMs, invocation);
    await clock.sleep(answerMs);
    checkAlive(invocation);
    if (answer === undefined || isCut) throw lost('ECONNRESET', 'socket hang up');
    if (answer.tally !== undefined) addTo(invocation.tally, table, answer.tally);
    const date = new Date(asServerHasIt(clock.now(), table)).toUTCString();
    return {
      response: {
        statusCode: answer.status,
        headers: { 'content-type': 'application/x-amz-json-1.0', date },
        body: Readable.from([Buffer.from(JSON.stringify(answer.body))]),
      },
    };
  };
}

const NO_ERRORS: ReadonlyMap<number, string> = new Map();

const OUT: CallEffect = { kind: 'refuse', error: 'ServiceUnavailable', status: 503 };

/** `Trouble` of a table → error response. A `hanging` table sends no response; a `readOnly` table still answers queries. */
const REFUSALS = {
  deleted: { kind: 'refuse', error: 'ResourceNotFoundException', status: 400 },
  forbidden: { kind: 'refuse', error: 'AccessDeniedException', status: 400 },
  readOnly: { kind: 'refuse', error: 'AccessDeniedException', status: 400 },
  throttled: { kind: 'refuse', error: 'ThrottlingException', status: 400 },
} as const satisfies Record<Exclude<Trouble, 'hanging'>, CallEffect>;

const HANGING = { effectMs: Number.POSITIVE_INFINITY, answerMs: 0, effect: undefined, isCut: false };

function refusal({ error, status }: Extract<CallEffect, { kind: 'refuse' }>): Answer {
  const body = { __type: `com.amazonaws.dynamodb.v20120810#${error}`, message: `${error}: injected` };
  return { status, body };
}

function lost(code: string | undefined, message: string): Error {
  return Object.assign(new Error(message), { name: 'TimeoutError', ...(code !== undefined && { code }) });
}
