import { getLanguageService } from 'amazon-states-language-service';
import aslValidator from 'asl-validator';
import {
  descendants,
  Engine,
  type Execution,
  loadDefinition,
  seededRandom,
  VirtualClock,
} from 'stepfunctions-emulator';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { expiryModel } from '../../expiry/model.ts';
import { backfillSegment } from '../../functions/backfill-segment/segment.ts';
import { planBackfill } from '../../functions/plan-backfill/handler.ts';
import {
  BACKFILL_INCOMPLETE,
  BACKFILL_TASKS,
  BACKFILL_TIMEOUT_SECONDS,
  type BackfillReport,
  type BackfillSegmentInput,
  MAX_CALL_SECONDS,
  MAX_SEGMENT_STEPS,
  MAX_SEGMENTS,
  type PlanBackfillInput,
  SEGMENTS_AT_ONCE,
  type SegmentProgress,
  type SegmentResult,
} from '../../statemachine/backfill-contract.ts';
import { type BackfillCounts, NO_BACKFILL_COUNTS, sumOfItems } from '../../statemachine/backfill-counts.ts';
import { configOf, SESSION_DATA } from '../support/configs.ts';
import { BackfillTable } from '../support/simulation/backfill-table.ts';
import { definitionOf, terraformJson } from '../support/synthesized.ts';

const json = terraformJson(configOf({ ...SESSION_DATA, index: { backfill: true } }));
const { definition, asl } = definitionOf(json, { of: 'backfill' });
const loaded = loadDefinition(definition);

const START = Date.parse('2026-11-20T09:00:00Z');
const TTL = START / 1000 + 3600;
const ARN = 'arn:aws:states:us-east-1:123456789012:stateMachine:backfill';

type Name = (typeof BACKFILL_TASKS)[keyof typeof BACKFILL_TASKS];

interface World {
  readonly table: BackfillTable;
  /** Before each call of a function; throws what the function, or Lambda, throws. */
  readonly before?: (name: Name, input: { readonly progress?: SegmentProgress }) => void;
  /** After it: the work is done, and only the answer is lost. */
  readonly after?: (name: Name, input: { readonly progress?: SegmentProgress }) => void;
  readonly onStart?: (execution: Execution, clock: VirtualClock) => void;
}

/** Runs the synthesized definition on a virtual clock, with all that the functions decide. */
async function run(world: World, input: unknown = { segments: 4, ratePerSecond: 100 }) {
  const clock = new VirtualClock(START);
  const random = seededRandom(1);
  const { table, before, after } = world;
  const functions = {
    'plan-backfill': (payload: PlanBackfillInput) => planBackfill(payload),
    'backfill-segment': (payload: BackfillSegmentInput) =>
      backfillSegment(payload, {
        model: expiryModel({ partitionKey: 'id' }),
        settings: { backoffBaseSeconds: 1, backoffCapSeconds: 20, deleteAttempts: 20 },
        scanPage: table.reader(payload.progress),
        writeWindow: (item, window) => table.write(item, window, clock.now()),
        clock: () => clock.now(),
        random: () => random.next(),
        sleep: ms => clock.sleep(ms),
      }),
  };
  const engine = new Engine({
    clock,
    random,
    invoker: {
      async invoke(arn, payload) {
        const name = arn.split(':').at(-1) as Name;
        try {
          before?.(name, payload as never);
          const answer = await functions[name](payload as never);
          after?.(name, payload as never);
          return { ok: true, payload: answer };
        } catch (error) {
          const { name: errorType, message } = error as Error;
          return { ok: false, errorType, errorMessage: message };
        }
      },
    },
  });
  const machine = {
    arn: ARN,
    name: 'backfill',
    roleArn: 'arn',
    type: 'STANDARD',
    definition: loaded,
  } as const;
  const execution = engine.start(machine, { input });
  world.onStart?.(execution, clock);
  await execution.done;
  const { status, output, error, cause } = execution;
  const report = (status === 'SUCCEEDED' ? output : parse(cause)) as unknown as BackfillReport;
  return { execution, status, error, cause, report, seconds: (clock.now() - START) / 1000 };
}

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return text;
  }
}

const tableOf = (count: number) =>
  new BackfillTable(
    Array.from({ length: count }, (_unused, index) => ({ id: `${index}`, ttl: TTL + index })),
  );

const thrown = (name: string) => Object.assign(new Error(name), { name });

describe('the synthesized definition', () => {
  test('passes asl-validator and the Amazon States Language service', async () => {
    expect(aslValidator(asl)).toMatchObject({ isValid: true, errors: [] });
    const service = getLanguageService({});
    const document = TextDocument.create('file://b.asl.json', 'json', 1, JSON.stringify(asl, null, 2));
    expect(await service.doValidation(document, service.parseJSONDocument(document))).toEqual([]);
  });

  test('holds nothing that Terraform would take for a template, and a state for each function', () => {
    expect(definition).not.toMatch(/\$\{|%\{/);
    for (const [task, file] of Object.entries(BACKFILL_TASKS)) {
      expect(definition).toContain(`"${task}":{"Type":"Task"`);
      expect(definition).toContain(`function:${file}"`);
    }
  });
});

describe('limits', () => {
  const most = (value: unknown): unknown =>
    typeof value === 'number'
      ? 9_999_999_999
      : value !== null && typeof value === 'object'
        ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, most(inner)]))
        : value;

  test('the results of all segments fit into what a Map may hand on', () => {
    const result: SegmentResult = {
      complete: false,
      counts: most(NO_BACKFILL_COUNTS) as BackfillCounts,
      interruptedBy: 'x'.repeat(128),
    };
    expect(JSON.stringify(result).length).toBeLessThan(700);
    expect(JSON.stringify(Array(MAX_SEGMENTS).fill(result)).length).toBeLessThan(256 * 1024);
  });

  test('so do the segments that are planned', async () => {
    const planned = await planBackfill({ executionInput: { segments: MAX_SEGMENTS } });
    expect(JSON.stringify(planned).length).toBeLessThan(256 * 1024);
  });

  test('a call ends before its function, and a child before its history is full', () => {
    // A last write of five seconds, and a margin.
    expect(MAX_CALL_SECONDS + 5 + 10).toBeLessThanOrEqual(BACKFILL_TIMEOUT_SECONDS.BackfillSegment);
    // The last call may have all of its retries; the first and the last states of a child write few events.
    expect(7 * MAX_SEGMENT_STEPS + 3 * 25 + 20).toBeLessThan(25_000);
  });

  test('a call writes seven events with the choice that follows', async () => {
    const { execution } = await run({ table: tableOf(2000) }, { segments: 1, ratePerSecond: 10 });
    const [{ history } = execution] = [...descendants(execution)];
    const calls = history.filter(({ type }) => type === 'TaskScheduled').length;
    expect(calls).toBeGreaterThan(2);
    expect(history.length).toBeLessThanOrEqual(7 * calls + 5);
  });
});

test('every item is stamped, the counts add up, and the second time all is right', async () => {
  const table = tableOf(500);
  const first = await run({ table });
  expect(first).toMatchObject({
    status: 'SUCCEEDED',
    report: { dryRun: false, segments: 4, segmentsIncomplete: 0, scanned: 500, stamped: 500, failed: 0 },
  });
  expect(sumOfItems(first.report)).toBe(500);
  expect(table.unstamped()).toBe(0);
  const second = await run({ table });
  expect(second.report).toMatchObject({ scanned: 500, stamped: 0, rightAlready: 500 });
  expect(table.writes).toHaveLength(500);
});

test('a dry run counts and writes nothing', async () => {
  const table = tableOf(100);
  const { status, report } = await run({ table }, { segments: 3, dryRun: true });
  expect({ status, report }).toMatchObject({
    status: 'SUCCEEDED',
    report: { dryRun: true, toStamp: 100, stamped: 0 },
  });
  expect(table.writes).toEqual([]);
});

test.each([1, 4, 25])('the rate holds for all of %d segments together', async segments => {
  const table = tableOf(3000);
  const { report } = await run({ table }, { segments, ratePerSecond: 40 });
  expect(report).toMatchObject({ stamped: 3000 });
  const ends = Math.max(...table.writes);
  // While all of them run: with ten at once the last ones leave some of the rate unused.
  const steady = segments > SEGMENTS_AT_ONCE ? 10_000 : ends - START - 15_000;
  for (let from = 0; from + 10_000 <= ends - START; from += 2500) {
    const within = table.writes.filter(at => at >= START + from && at < START + from + 10_000).length;
    expect(within).toBeLessThanOrEqual(400 * 1.1);
    if (from > 0 && from + 10_000 <= steady) expect(within).toBeGreaterThanOrEqual(400 * 0.9);
  }
});

test.each([{ segments: 0 }, { rate: 5 }, [], 'x'])(
  'the input %p fails the execution in PlanBackfill',
  async input => {
    const { status, error, cause } = await run({ table: tableOf(1) }, input);
    expect({ status, error }).toEqual({ status: 'FAILED', error: 'InvalidExecutionInputError' });
    expect(cause).toContain('Nothing was written');
  },
);

test('a call that fails is tried again from the last position, and what was stamped is right already', async () => {
  const table = tableOf(3000);
  const positions: string[] = [];
  const { status, report } = await run(
    {
      table,
      // The work is done, and the answer is lost: the call ran out of time.
      after: (name, { progress }) => {
        if (name !== 'backfill-segment' || progress?.position == null) return;
        positions.push(JSON.stringify(progress.position));
        if (positions.length <= 2) throw thrown('Sandbox.Timedout');
      },
    },
    { segments: 1, ratePerSecond: 10 },
  );
  expect(status).toBe('SUCCEEDED');
  expect(new Set(positions.slice(0, 3)).size).toBe(1);
  expect(new Set(positions).size).toBeGreaterThan(1);
  expect(report.scanned).toBe(3000);
  expect(report.stamped + report.rightAlready).toBe(3000);
  expect(report.rightAlready).toBeGreaterThan(0);
  expect(table.unstamped()).toBe(0);
});

test('a segment that cannot be read fails the execution, the others are done; the next execution does the rest', async () => {
  const table = tableOf(400);
  const before: World['before'] = (name, { progress }) => {
    if (name === 'backfill-segment' && progress?.segment === 2) throw thrown('AccessDeniedException');
  };
  const { status, error, report } = await run({ table, before });
  expect({ status, error }).toEqual({ status: 'FAILED', error: BACKFILL_INCOMPLETE });
  expect(report).toMatchObject({ segments: 4, segmentsIncomplete: 1, scanned: 300, stamped: 300 });
  expect(table.unstamped()).toBe(100);
  expect((await run({ table })).report).toMatchObject({ scanned: 400, stamped: 100, rightAlready: 300 });
  expect(table.unstamped()).toBe(0);
});

test('of a segment that fails later, what it had counted is not lost', async () => {
  const table = tableOf(2000);
  const before: World['before'] = (name, { progress }) => {
    if (name === 'backfill-segment' && progress?.position !== null) throw thrown('AccessDeniedException');
  };
  const { report } = await run({ table, before }, { segments: 1, ratePerSecond: 10 });
  expect(report.segmentsIncomplete).toBe(1);
  expect(report.stamped).toBeGreaterThan(500);
  expect(report.stamped).toBe(table.writes.length);
});

test('an item that cannot be written fails the execution', async () => {
  const table = tableOf(10);
  table.refused.add('3');
  const { status, report } = await run({ table });
  expect({ status, report }).toMatchObject({ status: 'FAILED', report: { stamped: 9, failed: 1 } });
});

test('an execution that is stopped, and another one after it, come to the same end', async () => {
  const table = tableOf(2000);
  const stopped = await run({
    table,
    onStart: (execution, clock) => clock.schedule(7000, () => execution.stop('Stopped', 'by the test')),
  });
  expect(stopped.status).toBe('ABORTED');
  const written = table.writes.length;
  expect(written).toBeGreaterThan(100);
  expect(written).toBeLessThan(1900);
  // The calls that were under way go on after the stop, as Lambda's do.
  const { status, report } = await run({ table });
  expect(status).toBe('SUCCEEDED');
  expect(report.scanned).toBe(2000);
  expect(report.stamped + report.rightAlready).toBe(2000);
  expect(report.rightAlready).toBeGreaterThanOrEqual(written);
  expect(table.unstamped()).toBe(0);
});

test('an empty table takes no time worth the name', async () => {
  const { status, report, seconds } = await run({ table: tableOf(0) }, {});
  expect({ status, report }).toMatchObject({ status: 'SUCCEEDED', report: { segments: 100, scanned: 0 } });
  expect(seconds).toBeLessThan(1);
});
