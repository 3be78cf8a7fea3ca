import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidDefinitionError, type Json } from '../../../local/asl/index.ts';
import { eventTypes, run, type TestFunction } from './run-definition.ts';

/** Executions recorded on AWS; see the README beside them. They are no part of this repository. */
const CASES = join(process.cwd(), '../shared/conformance/asl-jsonata-cases.json');

type Behaviour = 'echo' | 'raise' | 'raise-custom' | 'hang' | 'large-output' | 'bytes';

interface RecordedCase {
  readonly name: string;
  readonly definition: unknown;
  readonly input: Json;
  readonly functions: Record<string, Behaviour>;
  readonly expected: {
    readonly status: string;
    readonly output?: Json;
    readonly error?: string | null;
    readonly events: readonly string[];
  };
}

class PythonError extends Error {
  constructor(name: string) {
    super('Some exception was raised.');
    this.name = name;
  }
}

const BEHAVIOURS: Record<Behaviour, TestFunction> = {
  echo: event => event,
  raise: () => {
    throw new PythonError('Exception');
  },
  'raise-custom': () => {
    throw new PythonError('CustomException');
  },
  hang: (_event, clock) => clock.sleep(60_000),
  'large-output': () => 'a'.repeat(257 * 1024),
  bytes: () => new Uint8Array([1, 2, 3]),
};

const STATUS: Record<string, string> = {
  SUCCEEDED: 'Succeeded',
  FAILED: 'Failed',
  TIMED_OUT: 'TimedOut',
  ABORTED: 'Aborted',
};

/** The recordings put a fixed word where a value differs from run to run: `date`, `RequestId`, `<uuid:1>`. */
const PLACEHOLDERS = new Set(['date', 'RequestId', 'x-amzn-RequestId', 'X-Amzn-Trace-Id']);
/** Not compared, as the README of the cases says. */
const UNCOMPARED = new Set(['SdkHttpMetadata', 'SdkResponseMetadata', 'Cause']);

function matches(expected: Json, got: Json | undefined): boolean {
  if (typeof expected === 'string' && (PLACEHOLDERS.has(expected) || /^<.*>$/.test(expected)))
    return got !== undefined;
  if (expected === null || typeof expected !== 'object') return Object.is(expected, got);
  if (got === null || typeof got !== 'object' || Array.isArray(expected) !== Array.isArray(got)) return false;
  const wanted = Object.entries(expected);
  const found = Object.keys(got);
  return (
    wanted.length === found.length &&
    wanted.every(([key, value]) => UNCOMPARED.has(key) || matches(value, (got as Record<string, Json>)[key]))
  );
}

/** Outputs that aren't objects were recorded as their JSON text. */
function sameOutput(expected: Json, got: Json): boolean {
  if (matches(expected, got)) return true;
  try {
    return typeof expected === 'string' && matches(JSON.parse(expected) as Json, got);
  } catch {
    return false;
  }
}

async function judge(recorded: RecordedCase) {
  const functions = Object.fromEntries(
    Object.entries(recorded.functions).map(([name, behaviour]) => [name, BEHAVIOURS[behaviour]]),
  );
  const { expected } = recorded;
  const execution = await run(JSON.stringify(recorded.definition), { input: recorded.input, functions });
  const status = STATUS[execution.status];
  const outcome =
    status === expected.status &&
    (status === 'Succeeded'
      ? sameOutput(expected.output ?? null, execution.output ?? null)
      : (execution.error ?? null) === (expected.error ?? null));
  return {
    outcome,
    events: JSON.stringify(eventTypes(execution)) === JSON.stringify(expected.events),
    silentlyWrong: status === 'Succeeded' && !outcome,
    got: {
      status,
      output: execution.output,
      error: execution.error,
      cause: execution.cause,
      events: eventTypes(execution),
    },
  };
}

const available = existsSync(CASES);
const cases = available ? (JSON.parse(readFileSync(CASES, 'utf8')) as RecordedCase[]) : [];

if (!available) console.warn(`No recorded executions at ${CASES}: the conformance test is skipped.`);

(available ? describe : describe.skip)('executions recorded on AWS', () => {
  const totals = { cases: cases.length, outcomes: 0, events: 0, silentlyWrong: 0 };

  test.each(cases.map(one => [one.name, one] as const))('%s', async (_name, recorded) => {
    const verdict = await judge(recorded);
    totals.outcomes += Number(verdict.outcome);
    totals.events += Number(verdict.events);
    totals.silentlyWrong += Number(verdict.silentlyWrong);
    if (!verdict.outcome) expect(verdict.got).toEqual(recorded.expected);
    expect(verdict.got.events).toEqual(recorded.expected.events);
  });

  test('are all reproduced', () => {
    console.info(
      `conformance: ${totals.outcomes}/${totals.cases} statuses, outputs and errors; ${totals.events}/${totals.cases} event sequences; ${totals.silentlyWrong} succeeded but wrong`,
    );
    expect(totals).toEqual({
      cases: totals.cases,
      outcomes: totals.cases,
      events: totals.cases,
      silentlyWrong: 0,
    });
  });
});

test('a definition in JSONPath is refused, not run', async () => {
  const definition = { StartAt: 'A', States: { A: { Type: 'Pass', End: true } } };
  await expect(async () => run(definition)).rejects.toThrow(InvalidDefinitionError);
});
