import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Body, jsonAnswer, parseBody, withBody } from './answer.ts';
import { keysOf, splitBatch } from './batch.ts';
import type { ProxiedCall } from './proxy.ts';

/** A call of DynamoDB that a function makes. */
export interface DynamoDbCall {
  /** `BatchExecuteStatement` */
  readonly operation: string;
  readonly body: Body;
  /** The keys of a batch of deletes, in its order: a statement's parameters, or a key, as JSON. */
  readonly keys: readonly string[];
  /** Epoch milliseconds. */
  readonly at: number;
}

/** An effect on a call, so that tests and the lab can check how a client handles it. */
export type CallEffect =
  /** The call is refused without asking DynamoDB. */
  | { readonly kind: 'refuse'; readonly error: string; readonly status: number }
  /** Some keys of a batch (by their index) are left out; each is answered with this error, or as unprocessed. */
  | { readonly kind: 'leaveOut'; readonly errors: ReadonlyMap<number, string> }
  | { readonly kind: 'cutBefore' }
  /** @property midAnswer within the body of the answer instead of before its first byte */
  | { readonly kind: 'cutAfter'; readonly midAnswer: boolean }
  | { readonly kind: 'slow'; readonly ms: number };

/** @param at epoch milliseconds */
export function readCall({ operation = '', text }: ProxiedCall, at: number): DynamoDbCall {
  const body = parseBody(text) ?? {};
  return { operation, body, keys: keysOf(operation, body), at };
}

/**
 * Answers a call with an effect; undefined when the connection breaks without an answer.
 * @param forward asks DynamoDB
 */
export async function answerWith(
  effect: CallEffect,
  { operation, body }: DynamoDbCall,
  forward: ProxiedCall['forward'],
): Promise<Answer | undefined> {
  switch (effect.kind) {
    case 'refuse':
      return refusal(effect.error, effect.status);
    case 'cutBefore':
      return undefined;
    case 'cutAfter': {
      const answer = await forward();
      return effect.midAnswer ? { ...answer, cutAt: Math.floor(answer.body.length / 2) } : undefined;
    }
    case 'leaveOut': {
      const { rest, complete } = splitBatch(operation, body, effect.errors);
      const answer = rest === undefined ? jsonAnswer({}) : await forward(JSON.stringify(rest));
      return answer.status === 200 ? withBody(answer, complete(parseBody(answer.body) ?? {})) : answer;
    }
    case 'slow': {
      const answer = await forward();
      // The caller may have ended by then; this timer keeps no process alive.
      await sleep(effect.ms, undefined, { ref: false });
      return answer;
    }
  }
}

/** Builds the error answer of DynamoDB. */
function refusal(error: string, status: number): Answer {
  const body = { __type: `com.amazonaws.dynamodb.v20120810#${error}`, message: `${error}: injected` };
  return jsonAnswer(body, status);
}
