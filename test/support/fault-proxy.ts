import { setTimeout as sleep } from 'node:timers/promises';
import type { CallEffect } from '../../bench/fuzz/faults.ts';
import { type Answer, jsonAnswer } from '../../local/dynamodb/answer.ts';
import { DynamoDbProxy, type ProxiedCall } from '../../local/dynamodb/proxy.ts';
import { type Body, parseBody, withBody } from './answers.ts';

/** A call of DynamoDB that a function makes. */
export interface DynamoDbCall {
  /** `BatchExecuteStatement` */
  readonly operation: string;
}

/** Late answers, and statements that are not executed. */
type Effect = Extract<CallEffect, { kind: 'slow' | 'leaveOut' }>;

/** Decides what happens to a call; undefined lets it through. */
export type ChooseEffect = (call: DynamoDbCall) => Effect | undefined;

/** Starts a proxy between the functions and DynamoDB Local, which itself neither throttles nor breaks. */
export function startFaultProxy(target: string, choose: ChooseEffect): Promise<DynamoDbProxy> {
  return DynamoDbProxy.start(target, {
    async handle({ operation = '', text, forward }) {
      const effect = choose({ operation });
      if (effect === undefined) return forward();
      if (effect.kind === 'leaveOut') return executeSome(parseBody(text) ?? {}, effect.errors, forward);
      const answer = await forward();
      // The caller may have ended by then; this timer keeps no process alive.
      await sleep(effect.ms, undefined, { ref: false });
      return answer;
    },
  });
}

/** Sends on the statements of a batch that have no error, and answers the others with it. @param errors by index of the statement */
async function executeSome(
  body: Body,
  errors: ReadonlyMap<number, string>,
  forward: ProxiedCall['forward'],
): Promise<Answer> {
  const statements = body['Statements'] as readonly unknown[];
  const Statements = statements.filter((_statement, index) => !errors.has(index));
  const answer =
    Statements.length > 0 ? await forward(JSON.stringify({ ...body, Statements })) : jsonAnswer({});
  if (answer.status !== 200) return answer;
  const answered = parseBody(answer.body) ?? {};
  const given = [...((answered['Responses'] as readonly unknown[] | undefined) ?? [])];
  const Responses = statements.map((_statement, index) => {
    const Code = errors.get(index);
    return Code === undefined ? given.shift() : { Error: { Code, Message: `${Code}: injected` } };
  });
  return withBody(answer, { ...answered, Responses });
}
