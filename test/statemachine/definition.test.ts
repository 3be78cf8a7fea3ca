import { getLanguageService } from 'amazon-states-language-service';
import aslValidator from 'asl-validator';
import jsonata from 'jsonata';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { LAST_STEP_SECONDS, MAX_CHILD_SECONDS } from '../../statemachine/contract/limits.ts';
import {
  FUNCTION_TIMEOUT_SECONDS,
  MACHINES,
  PRECISE_TIMEOUT_SECONDS,
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
const REPLAY = 'arn:aws:states:us-east-1:123456789012:stateMachine:precise-ttl-replay';
const definitions = {
  tick: tickDefinition(functions, { tables, replayArn: REPLAY }),
  replay: replayDefinition(functions, { tables }),
};

/** As it comes out of its JSON. */
const aslOf = (machine: keyof typeof definitions) =>
  JSON.parse(JSON.stringify(definitions[machine])) as Record<string, unknown>;

async function diagnose(text: string): Promise<string[]> {
  const service = getLanguageService({});
  const document = TextDocument.create('file://sweep.asl.json', 'json', 1, text);
  const found = await service.doValidation(document, service.parseJSONDocument(document));
  return found.map(({ message, range }) => `line ${range.start.line}: ${message}`);
}

describe.each(MACHINES)('the definition of the %s', machine => {
  const asl = aslOf(machine);
  const definition = JSON.stringify(asl);

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

  test('decides and adds up nothing: its expressions route, and check answers', () => {
    const { expressions } = inventory(asl);
    // A group-by is as deep as it has keys, and AWS stops at a depth of about a hundred.
    for (const expression of expressions) expect(expression).not.toMatch(/\$sum|\$reduce|\$map|\w\s*\{/);
    // Those that look at what a function said begin with a bracket: of a plan, a start, a step, a poll, a chunk, a result and a record.
    const routing = expressions.filter(expression => !expression.includes('( $'));
    expect(expressions.length - routing.length).toBeLessThanOrEqual(7);
    expect(Math.max(...routing.map(expression => expression.length))).toBeLessThanOrEqual(200);
  });

  test('has variables only for what an iteration is of: its table and the settings of that', () => {
    expect(definition.match(/"Assign"/g)).toHaveLength(1);
    expect(definitions[machine].States.SweepShards.ItemProcessor.States.BeginShard.Assign).toEqual({
      settings: '{% $states.input.settings %}',
      table: "{% $type($states.input.start.table) = 'string' ? $states.input.start.table : '' %}",
    });
  });
});

test('both have the same states for a child', () => {
  const child = (machine: keyof typeof definitions) => {
    const { ProcessorConfig: _config, ...states } = definitions[machine].States.SweepShards.ItemProcessor;
    // What a child hands back may be larger where fewer are collected.
    return JSON.stringify(states).replaceAll(/> (4500|40000)\b/g, '> N');
  };
  expect(child('tick')).toBe(child('replay'));
});

test('what a child has under way when its time is up ends before Step Functions ends the execution', () => {
  const { QueryExpired: query, DeleteChunk: deletes, RecordMetrics: record } = FUNCTION_TIMEOUT_SECONDS;
  const retries = definitions.tick.States.SweepShards.ItemProcessor.States.QueryExpired.Retry;
  // A call that Lambda refuses takes no time of its own.
  const calls = retries
    .filter(({ ErrorEquals }) => ErrorEquals[0] !== REFUSED)
    .reduce((sum, { MaxAttempts }) => sum + MaxAttempts, 1);
  const queries = calls * query + secondsOfWaits(retries);
  // One call that is under way when its time is up, and does not hang, is added up.
  expect(MAX_CHILD_SECONDS + Math.max(query, deletes)).toBeLessThan(LAST_STEP_SECONDS);
  // One that hangs in each attempt keeps no tick from recording what all others came to.
  expect(LAST_STEP_SECONDS + queries + record).toBeLessThanOrEqual(TICK_TIMEOUT_SECONDS);
  // Nothing else of a child is retried by Step Functions, which knows nothing of its age.
  const child = JSON.stringify(definitions.tick.States.SweepShards.ItemProcessor);
  expect(child.match(/"Retry"/g)).toHaveLength(1);
  for (const [task, seconds] of Object.entries(PRECISE_TIMEOUT_SECONDS))
    expect(seconds).toBeLessThanOrEqual(
      FUNCTION_TIMEOUT_SECONDS[task as keyof typeof PRECISE_TIMEOUT_SECONDS],
    );
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

/** What an Output of expressions comes to. */
async function evaluateEach(output: Readonly<Record<string, string>>, states: object) {
  const fields = Object.entries(output).map(async ([name, expression]) => [
    name,
    await evaluate(expression, states),
  ]);
  return Object.fromEntries(await Promise.all(fields)) as Record<string, unknown>;
}

const { SweepShards } = aslOf('replay')['States'] as unknown as { SweepShards: RoundState };
const { DeleteChunks } = SweepShards.ItemProcessor.States;

interface RoundState {
  readonly Output: { readonly next: string };
  readonly ItemProcessor: { readonly States: { readonly DeleteChunks: ChunksState } };
}

interface ChunksState {
  readonly Output: Readonly<Record<string, string>>;
  readonly ItemProcessor: {
    readonly States: {
      readonly 'AnyUnprocessed?': { readonly Choices: readonly { readonly Condition: string }[] };
    };
  };
}

describe('SweepShards of a replay', () => {
  const complete = { complete: true };
  const interrupted = { complete: false };
  const crashed = { Error: 'States.Timeout' };

  // A child that crashed, and is tolerated, may leave nothing in the result: AWS is not clear about that.
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
    expect(await evaluate(SweepShards.Output.next, { input, result })).toBe(next);
  });
});

describe('DeleteChunks', () => {
  const key = { key: { id: { S: 'alice' } }, ttl: 1 };

  // A sequence of one is its element, and of none is nothing at all.
  test.each<[string, readonly object[], string]>([
    ['one chunk that left nothing', [{ keys: [] }], 'wait'],
    ['chunks that left nothing', [{ keys: [] }, { keys: [] }], 'wait'],
    ['one chunk that left one key', [{ keys: [key] }], 'query'],
    ['chunks of which one left a key', [{ keys: [] }, { keys: [key] }], 'query'],
    ['chunks that left all', [{ keys: [key, key] }, { keys: [key] }], 'query'],
  ])('with %s', async (_name, result, next) => {
    const until = '2026-11-20T09:00:30Z';
    const input = { results: [], upcoming: [{ until, chunks: [] }] };
    expect(await evaluateEach(DeleteChunks.Output, { input, result })).toMatchObject({
      next,
      results: result,
    });
  });

  test('and then what is planned, one step after the other', async () => {
    const at = (second: number) => `2026-11-20T09:00:0${second}.000Z`;
    const chunk = (id: number) => ({ id, keys: [] });
    const upcoming = [
      { until: '2026-11-20T09:00:01Z', chunks: [chunk(1)] },
      { until: '2026-11-20T09:00:02Z', chunks: [chunk(2), chunk(3)] },
      { until: '2026-11-20T09:00:03Z', chunks: [] },
    ];
    let input: object = { results: [], upcoming, progress: {}, timeoutSeconds: 3 };
    const steps: unknown[] = [];
    for (const result of [[], [chunk(1)], [chunk(2), chunk(3)]]) {
      input = await evaluateEach(DeleteChunks.Output, { input, result });
      steps.push(input);
    }
    expect(steps).toEqual([
      { ...input, next: 'wait', until: at(1), chunks: [chunk(1)], upcoming: upcoming.slice(1), results: [] },
      {
        ...input,
        next: 'wait',
        until: at(2),
        chunks: [chunk(2), chunk(3)],
        upcoming: upcoming.slice(2),
        results: [chunk(1)],
      },
      { ...input, next: 'wait', until: at(3), chunks: [], upcoming: [], results: [1, 2, 3].map(chunk) },
    ]);
  });

  const [begins] = DeleteChunks.ItemProcessor.States['AnyUnprocessed?'].Choices;

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
    const context = { State: { EnteredTime: `2026-11-20T09:00:${entered}` } };
    const input = { deadline: `2026-11-20T09:00:${deadline}` };
    expect(await evaluate(begins?.Condition ?? '', { context, input })).toBe(tooLate);
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
