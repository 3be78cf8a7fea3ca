import { getLanguageService } from 'amazon-states-language-service';
import aslValidator from 'asl-validator';
import jsonata from 'jsonata';
import { TextDocument } from 'vscode-languageserver-textdocument';
import {
  FUNCTION_TIMEOUT_SECONDS,
  MAX_CHILD_SECONDS,
  PRECISE_TIMEOUT_SECONDS,
  REFUSED,
  TASKS,
} from '../../statemachine/contract.ts';
import { configOf, definitionOf, resources, SESSION_DATA, terraformJson } from '../support/synthesized.ts';

const json = terraformJson(configOf(SESSION_DATA));
const { definition, asl } = definitionOf(json);

async function diagnose(text: string): Promise<string[]> {
  const service = getLanguageService({});
  const document = TextDocument.create('file://sweep.asl.json', 'json', 1, text);
  const found = await service.doValidation(document, service.parseJSONDocument(document));
  return found.map(({ message, range }) => `line ${range.start.line}: ${message}`);
}

describe('the synthesized definition', () => {
  test('passes asl-validator', () => {
    expect(aslValidator(asl)).toMatchObject({ isValid: true, errors: [] });
  });

  test('passes the Amazon States Language service', async () => {
    expect(await diagnose(JSON.stringify(asl, null, 2))).toEqual([]);
  });

  test('fails both once a state leads nowhere', async () => {
    const broken = definition.replace('"Next":"SweepShards"', '"Next":"Nowhere"');
    expect(broken).not.toBe(definition);
    expect(aslValidator(JSON.parse(broken)).isValid).toBe(false);
    expect(await diagnose(broken)).not.toEqual([]);
  });

  test('holds nothing that Terraform would take for a template', () => {
    expect(definition).not.toMatch(/\$\{|%\{/);
  });

  test('has a state of its own name for every function', () => {
    for (const [task, file] of Object.entries(TASKS)) {
      expect(definition).toContain(`"${task}":{"Type":"Task"`);
      expect(definition).toContain(`function:${file}"`);
    }
  });

  test('decides and adds up nothing: it has few states, and expressions that route', () => {
    const { states, expressions } = inventory(asl);
    expect(states.length).toBeLessThanOrEqual(18);
    expect(definition).not.toContain('"Assign"'); // no variables either
    expect(Math.max(...expressions.map(expression => expression.length))).toBeLessThanOrEqual(120);
    // A group-by is as deep as it has keys, and AWS stops at a depth of about a hundred.
    for (const expression of expressions) expect(expression).not.toMatch(/\$sum|\$reduce|\$map|\w\s*\{/);
  });
});

test('what a child has under way when its time is up ends before Step Functions ends the child', () => {
  const timeouts = Object.fromEntries(
    resources(json, 'aws_lambda_function').map(lambda => [
      String(lambda['function_name']).replace('precise-ttl-SessionData-', ''),
      Number(lambda['timeout']),
    ]),
  );
  const { 'query-expired': query = Number.NaN, 'delete-chunk': deletes = Number.NaN } = timeouts;
  const states = asl as {
    States: { SweepShards: { ItemProcessor: { States: { QueryExpired: Retrying } } } };
  };
  const retries = states.States.SweepShards.ItemProcessor.States.QueryExpired.Retry;
  const waits = retries.flatMap(retry =>
    Array.from({ length: retry.MaxAttempts }, (_unused, attempt) =>
      Math.min(retry.MaxDelaySeconds, retry.IntervalSeconds * retry.BackoffRate ** attempt),
    ),
  );
  // A call that Lambda refuses takes no time of its own.
  const calls = retries
    .filter(({ ErrorEquals }) => ErrorEquals[0] !== REFUSED)
    .reduce((sum, { MaxAttempts }) => sum + MaxAttempts, 1);
  const queries = calls * query + waits.reduce((sum, wait) => sum + wait, 0);
  // A query that begins just before and finds chunks, whose time is up then; or a delete that does. Then a query that ends.
  const underWay = Math.max(queries, deletes) + queries;
  expect(MAX_CHILD_SECONDS + underWay).toBeLessThanOrEqual(290);
  // Nothing else of a child is retried by Step Functions, which knows nothing of its age.
  expect(JSON.stringify(asl['States']).match(/"Retry"/g)).toHaveLength(5);
  for (const [task, seconds] of Object.entries(PRECISE_TIMEOUT_SECONDS))
    expect(seconds).toBeLessThanOrEqual(
      FUNCTION_TIMEOUT_SECONDS[task as keyof typeof PRECISE_TIMEOUT_SECONDS],
    );
});

describe('SweepShards', () => {
  const { SweepShards } = asl['States'] as { SweepShards: { Output: { next: string } } };
  const expression = SweepShards.Output.next.replace(/^\{% | %\}$/g, '');
  const complete = { complete: true };
  const interrupted = { complete: false };
  const crashed = { Error: 'States.Timeout' };

  // AWS does not say whether a child that crashed, and is tolerated, leaves anything in the result.
  test.each<[string, boolean, number, readonly object[], string]>([
    ['one child that is complete', true, 1, [complete], 'record'],
    ['children that are all complete', true, 3, [complete, complete, complete], 'record'],
    ['complete ones that are not the last', false, 1, [complete], 'plan'],
    ['one that was interrupted', true, 1, [interrupted], 'plan'],
    ['one of several that was interrupted', true, 2, [complete, interrupted], 'plan'],
    ['one that crashed', true, 2, [complete, crashed], 'plan'],
    ['one that crashed and left nothing', true, 2, [complete], 'plan'],
    ['children that all crashed and left nothing', true, 1, [], 'plan'],
  ])('with %s', async (_name, last, due, result, next) => {
    const input = { last, due: Array.from({ length: due }, () => ({ next: 'query' })) };
    expect(await jsonata(expression).evaluate(undefined, { states: { input, result } })).toBe(next);
  });
});

interface Retrying {
  readonly Retry: readonly {
    readonly ErrorEquals: readonly string[];
    readonly MaxAttempts: number;
    readonly IntervalSeconds: number;
    readonly BackoffRate: number;
    readonly MaxDelaySeconds: number;
  }[];
}

/** Every state, and every JSONata expression, of a definition. */
function inventory(value: unknown): { states: string[]; expressions: string[] } {
  if (typeof value === 'string') return { states: [], expressions: value.startsWith('{%') ? [value] : [] };
  if (typeof value !== 'object' || value === null) return { states: [], expressions: [] };
  const parts = Object.values(value).map(inventory);
  const own = 'States' in value && typeof value.States === 'object' ? Object.keys(value.States ?? {}) : [];
  return {
    states: [...own, ...parts.flatMap(({ states }) => states)],
    expressions: parts.flatMap(({ expressions }) => expressions),
  };
}
