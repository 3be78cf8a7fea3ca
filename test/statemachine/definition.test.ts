import aslValidator from 'asl-validator';
import jsonata from 'jsonata';
import { LAST_STEP_SECONDS, MAX_CHILD_SECONDS } from '../../statemachine/contract/limits.ts';
import {
  childTimeouts,
  FUNCTION_TIMEOUT_SECONDS,
  MACHINES,
  REFUSED,
  TICK_TIMEOUT_SECONDS,
} from '../../statemachine/contract/machines.ts';
import {
  addCounts,
  CALL_COUNTS,
  CHILD_COUNTS,
  CHUNK_COUNTS,
  COUNT_LIST,
  EXECUTION_COUNTS,
  noCounts,
  sumOfFates,
} from '../../statemachine/counts.ts';
import { replayDefinition, tickDefinition } from '../../statemachine/definition.ts';
import { carriedOf, FUNCTION_ARNS, SESSION_DATA } from '../support/configs.ts';

const tables = [carriedOf(SESSION_DATA)];
const definitions = {
  tick: tickDefinition(FUNCTION_ARNS, { tables }),
  replay: replayDefinition(FUNCTION_ARNS, { tables }),
};

const child = definitions.tick.States.SweepGroups.ItemProcessor.States.SweepShards.ItemProcessor;

describe.each(MACHINES)('the definition of the %s', machine => {
  const definition = JSON.stringify(definitions[machine]);

  test('passes asl-validator, and holds nothing that Terraform would take for a template', () => {
    expect(aslValidator(JSON.parse(definition))).toMatchObject({ isValid: true, errors: [] });
    expect(definition).not.toMatch(/\$\{|%\{/);
  });

  test('decides and adds up nothing: its expressions route, and check answers', () => {
    const expressions = [...definition.matchAll(/"\{% (?:[^"\\]|\\.)* %\}"/g)].map(([text]) =>
      String(JSON.parse(text)),
    );
    expect(expressions.length).toBeGreaterThan(30);
    // A group-by is as deep as it has keys, and AWS stops at a depth of about a hundred.
    for (const expression of expressions) expect(expression).not.toMatch(/\$sum|\$reduce|\$map|\w\s*\{/);
    // Those that look at what a function said begin with a bracket: of a start, a step, a chunk, a result, a record, and settings.
    const routing = expressions.filter(expression => !expression.includes('( $'));
    expect(expressions.length - routing.length).toBeLessThanOrEqual(7);
    expect(Math.max(...routing.map(expression => expression.length))).toBeLessThanOrEqual(200);
  });
});

test('what a child has under way when its time is up ends before Step Functions ends the execution', () => {
  const { QueryExpired: query, DeleteChunk: deletes, RecordMetrics: record } = FUNCTION_TIMEOUT_SECONDS;
  const retries = child.States.QueryExpired.Retry;
  // A call that Lambda refuses takes no time of its own.
  const calls = retries
    .filter(({ ErrorEquals }) => ErrorEquals[0] !== REFUSED)
    .reduce((sum, { MaxAttempts }) => sum + MaxAttempts, 1);
  const queries = calls * query + secondsOfWaits(retries);
  // One call that is under way when its time is up, and does not hang, is added up.
  const { Retry: refused } = child.States.DeleteChunks.ItemProcessor.States.DeleteChunk;
  expect(refused.map(({ ErrorEquals }) => ErrorEquals)).toEqual([[REFUSED]]);
  const deleting = deletes + secondsOfWaits(refused);
  expect(MAX_CHILD_SECONDS + Math.max(query, deleting)).toBeLessThan(LAST_STEP_SECONDS);
  // One that hangs in each attempt keeps no tick from recording what all others came to.
  expect(LAST_STEP_SECONDS + queries + record).toBeLessThanOrEqual(TICK_TIMEOUT_SECONDS);
  // Nothing else of a child is retried by Step Functions, which knows nothing of its age.
  expect(JSON.stringify(child).match(/"Retry"/g)).toHaveLength(2);
  const precise = childTimeouts(0);
  expect(precise.QueryExpired).toBeLessThanOrEqual(query);
  expect(precise.DeleteChunk).toBeLessThanOrEqual(deletes);
});

interface Retry {
  readonly MaxAttempts: number;
  readonly IntervalSeconds: number;
  readonly BackoffRate: number;
  readonly MaxDelaySeconds: number;
}

/** The longest waits of a Retry. */
function secondsOfWaits(retries: readonly Retry[]): number {
  const waits = retries.flatMap(retry =>
    Array.from({ length: retry.MaxAttempts }, (_unused, attempt) =>
      Math.min(retry.MaxDelaySeconds, retry.IntervalSeconds * retry.BackoffRate ** attempt),
    ),
  );
  return waits.reduce((sum, wait) => sum + wait, 0);
}

// AWS shows milliseconds; should it leave them out when there are none, a chunk is left up to a second early, never late.
test.each([
  ['10.399Z', '10.400Z', false],
  ['10.400Z', '10.400Z', true],
  ['09Z', '10.400Z', false],
  ['10Z', '10.400Z', true],
  ['11Z', '10.400Z', true],
])('a chunk entered at %s, with the deadline %s: too late is %p', async (entered, deadline, tooLate) => {
  const context = {
    State: { EnteredTime: `2026-11-20T09:00:${entered}` },
    Execution: { StartTime: '2026-11-20T09:00:00.000Z' },
  };
  const states = { context, input: { deadline: `2026-11-20T09:00:${deadline}` } };
  const [begins] = child.States.DeleteChunks.ItemProcessor.States['AnyUnprocessed?'].Choices;
  const condition = begins && 'Condition' in begins ? begins.Condition : '';
  // In the version of JSONata that Step Functions runs.
  const expression = jsonata(condition.replace(/^\{% | %\}$/g, ''));
  expect(await expression.evaluate(undefined, { states })).toBe(tooLate);
});

test('each level counts what the one below it counts, and more', () => {
  for (const [less, more] of [
    [CALL_COUNTS, CHUNK_COUNTS],
    [CHUNK_COUNTS, CHILD_COUNTS],
    [CHILD_COUNTS, EXECUTION_COUNTS],
  ] as const) {
    expect(more).toEqual(expect.arrayContaining([...less]));
    expect(more.length).toBeGreaterThan(less.length);
  }
  expect(EXECUTION_COUNTS).toEqual(COUNT_LIST.map(([name]) => name));
});

test('counts are added name by name, and one that came with a deployment is 0 in an execution that began before', () => {
  const one = { ...noCounts(CHUNK_COUNTS), deleted: 1, retries: 2, found: 7 };
  const { retries: _retries, ...older } = { ...one, deleted: 4 };
  const sum = { ...noCounts(CHUNK_COUNTS), deleted: 5, retries: 2 };
  expect(addCounts(CHUNK_COUNTS, one, older as typeof one)).toEqual(sum);
  expect(addCounts(CHUNK_COUNTS, older as typeof one, one)).toEqual(sum);
  expect(sumOfFates({ ...one, ...older, failed: 2 })).toBe(6);
});

test('no two counts share a metric', () => {
  const metrics = COUNT_LIST.flatMap(([, { metric }]) => metric?.name ?? []);
  expect(new Set(metrics).size).toBe(metrics.length);
});
