import aslValidator from 'asl-validator';
import jsonata from 'jsonata';
import { LAST_STEP_SECONDS, MAX_CHILD_SECONDS } from '../../statemachine/contract/limits.ts';
import {
  childTimeouts,
  FUNCTION_TIMEOUT_SECONDS,
  MACHINES,
  REFUSED,
  TASKS,
  TICK_TIMEOUT_SECONDS,
} from '../../statemachine/contract/machines.ts';
import { replayDefinition, tickDefinition } from '../../statemachine/definition.ts';
import type { FunctionArns } from '../../statemachine/states.ts';
import { SESSION_DATA } from '../support/configs.ts';
import { carriedOf } from '../support/sweep-settings.ts';

const functions = Object.fromEntries(
  Object.entries(TASKS).map(([task, file]) => [
    task,
    `arn:aws:lambda:us-east-1:123456789012:function:${file}`,
  ]),
) as FunctionArns;
const tables = [carriedOf(SESSION_DATA)];
const definitions = {
  tick: tickDefinition(functions, { tables }),
  replay: replayDefinition(functions, { tables }),
};

/** The states of a child. */
const children = {
  tick: definitions.tick.States.SweepGroups.ItemProcessor.States.SweepShards.ItemProcessor,
  replay: definitions.replay.States.SweepShards.ItemProcessor,
};

/** As it comes out of its JSON. */
const aslOf = (machine: keyof typeof definitions) =>
  JSON.parse(JSON.stringify(definitions[machine])) as Record<string, unknown>;

describe.each(MACHINES)('the definition of the %s', machine => {
  const asl = aslOf(machine);
  const definition = JSON.stringify(asl);

  test('passes asl-validator', () => {
    expect(aslValidator(asl)).toMatchObject({ isValid: true, errors: [] });
  });

  test('fails it once a state leads nowhere', () => {
    const broken = definition.replace('"Next":"RecordMetrics"', '"Next":"Nowhere"');
    expect(broken).not.toBe(definition);
    expect(aslValidator(JSON.parse(broken)).isValid).toBe(false);
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

  test('decides and adds up nothing: its expressions route, and check answers', () => {
    const { expressions } = inventory(asl);
    // A group-by is as deep as it has keys, and AWS stops at a depth of about a hundred.
    for (const expression of expressions) expect(expression).not.toMatch(/\$sum|\$reduce|\$map|\w\s*\{/);
    // Those that look at what a function said begin with a bracket: of a plan, a start, a step, a poll, a chunk, a result and a record.
    const routing = expressions.filter(expression => !expression.includes('( $'));
    expect(expressions.length - routing.length).toBeLessThanOrEqual(7);
    expect(Math.max(...routing.map(expression => expression.length))).toBeLessThanOrEqual(200);
  });

  test('has variables only for what an iteration is of: its table, the settings of that, and its sweep', () => {
    expect(definition.match(/"Assign"/g)).toHaveLength(1);
    expect(Object.keys(children[machine].States.BeginShard.Assign)).toEqual(['settings', 'table', 'sweep']);
  });
});

test('both have the same states for a child', () => {
  const child = (machine: keyof typeof definitions) => {
    const { ProcessorConfig: _config, ...states } = children[machine];
    return JSON.stringify(states);
  };
  expect(child('tick')).toBe(child('replay'));
});

test('what a child has under way when its time is up ends before Step Functions ends the execution', () => {
  const { QueryExpired: query, DeleteChunk: deletes, RecordMetrics: record } = FUNCTION_TIMEOUT_SECONDS;
  const retries = children.tick.States.QueryExpired.Retry;
  // A call that Lambda refuses takes no time of its own.
  const calls = retries
    .filter(({ ErrorEquals }) => ErrorEquals[0] !== REFUSED)
    .reduce((sum, { MaxAttempts }) => sum + MaxAttempts, 1);
  const queries = calls * query + secondsOfWaits(retries);
  // One call that is under way when its time is up, and does not hang, is added up.
  const { Retry: refused } = children.tick.States.DeleteChunks.ItemProcessor.States.DeleteChunk;
  expect(refused.map(({ ErrorEquals }) => ErrorEquals)).toEqual([[REFUSED]]);
  const deleting = deletes + secondsOfWaits(refused);
  expect(MAX_CHILD_SECONDS + Math.max(query, deleting)).toBeLessThan(LAST_STEP_SECONDS);
  // One that hangs in each attempt keeps no tick from recording what all others came to.
  expect(LAST_STEP_SECONDS + queries + record).toBeLessThanOrEqual(TICK_TIMEOUT_SECONDS);
  // Nothing else of a child is retried by Step Functions, which knows nothing of its age.
  const child = JSON.stringify(children.tick);
  expect(child.match(/"Retry"/g)).toHaveLength(2);
  const precise = childTimeouts(0);
  expect(precise.QueryExpired).toBeLessThanOrEqual(query);
  expect(precise.DeleteChunk).toBeLessThanOrEqual(deletes);
});

/** The longest waits of a Retry. */
function secondsOfWaits(retries: Retrying['Retry']): number {
  const waits = retries.flatMap(retry =>
    Array.from({ length: retry.MaxAttempts }, (_unused, attempt) =>
      Math.min(retry.MaxDelaySeconds, retry.IntervalSeconds * retry.BackoffRate ** attempt),
    ),
  );
  return waits.reduce((sum, wait) => sum + wait, 0);
}

/** What an expression of the definition comes to, in the version of JSONata that Step Functions runs. */
async function evaluate(expression: string, states: object): Promise<unknown> {
  return jsonata(expression.replace(/^\{% | %\}$/g, '')).evaluate(undefined, { states });
}

const [begins] = children.tick.States.DeleteChunks.ItemProcessor.States['AnyUnprocessed?'].Choices;

describe('a chunk', () => {
  // AWS shows milliseconds; should it leave them out when there are none, a chunk is left up to a second early, never late.
  test.each([
    ['10.399Z', '10.400Z', false],
    ['10.400Z', '10.400Z', true],
    ['10.401Z', '10.400Z', true],
    ['09Z', '10.400Z', false],
    ['10Z', '10.400Z', true],
    ['10Z', '10.000Z', true],
    ['11Z', '10.400Z', true],
  ])('entered at %s, with the deadline %s: too late is %p', async (entered, deadline, tooLate) => {
    const context = {
      State: { EnteredTime: `2026-11-20T09:00:${entered}` },
      Execution: { StartTime: '2026-11-20T09:00:00.000Z' },
    };
    const input = { deadline: `2026-11-20T09:00:${deadline}` };
    expect(
      await evaluate(String(begins && 'Condition' in begins ? begins.Condition : ''), { context, input }),
    ).toBe(tooLate);
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
