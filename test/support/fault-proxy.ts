import { setTimeout as sleep } from 'node:timers/promises';
import type { CallEffect } from '../../bench/fuzz/faults.ts';
import { type Answer, type Body, jsonAnswer, parseBody, withBody } from '../../local/dynamodb/answer.ts';
import { DynamoDbProxy, type ProxiedCall } from '../../local/dynamodb/proxy.ts';
import { keysOf, splitBatch } from './split-batch.ts';

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

/** Decides what happens to a call; undefined lets it through. */
export type ChooseEffect = (call: DynamoDbCall) => CallEffect | undefined;

/** Starts a proxy between the functions and DynamoDB Local, which itself neither throttles nor breaks. */
export function startFaultProxy(target: string, choose: ChooseEffect): Promise<DynamoDbProxy> {
  return DynamoDbProxy.start(target, {
    async handle(proxied) {
      const call = readCall(proxied);
      const effect = choose(call);
      return effect === undefined ? proxied.forward() : answerWith(effect, call, proxied.forward);
    },
  });
}

function readCall({ operation = '', text }: ProxiedCall): DynamoDbCall {
  const body = parseBody(text) ?? {};
  return { operation, body, keys: keysOf(operation, body), at: Date.now() };
}

/** Answers a call with an effect; undefined when the connection breaks without an answer. */
async function answerWith(
  effect: CallEffect,
  { operation, body }: DynamoDbCall,
  forward: ProxiedCall['forward'],
): Promise<Answer | undefined> {
  switch (effect.kind) {
    case 'refuse': {
      const { error, status } = effect;
      const refusal = {
        __type: `com.amazonaws.dynamodb.v20120810#${error}`,
        message: `${error}: injected`,
      };
      return jsonAnswer(refusal, status);
    }
    case 'cutBefore':
      return undefined;
    case 'cutAfter':
      await forward();
      return undefined;
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
