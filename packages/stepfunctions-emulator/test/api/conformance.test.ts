import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DescribeExecutionOutput, paginateGetExecutionHistory } from '@aws-sdk/client-sfn';
import { realClock, type VirtualClock } from '../../src/clock.ts';
import type { Json } from '../../src/interpreter/index.ts';
import { invokerOf, type TestFunction } from '../interpreter/run-definition.ts';
import { create, runToEnd, useStepFunctionsApi } from './support.ts';

/** Executions recorded on AWS; see the README beside them. They are no part of this repository. */
const CASES = join(import.meta.dirname, '../../../../../shared/conformance/asl-jsonata-cases.json');

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
    readonly cause?: string | null;
    readonly events: readonly string[];
  };
}

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

/** Lambda's JSON about what a function threw names the file and the line, which are others here. */
const isOfFunction = (cause: string | null | undefined): boolean => cause?.startsWith('{') ?? false;

type Ended = DescribeExecutionOutput & { readonly events: readonly string[] };

/** Whether an execution ended as it did on AWS, in each respect. */
function compare({ expected }: RecordedCase, { output, error, cause, events, ...ended }: Ended) {
  const status = STATUS[ended.status ?? ''];
  return {
    outcome:
      status === expected.status &&
      (status === 'Succeeded'
        ? sameOutput(expected.output ?? null, JSON.parse(output ?? 'null'))
        : (error ?? null) === (expected.error ?? null)),
    cause: isOfFunction(expected.cause) || (cause ?? null) === (expected.cause ?? null),
    events: JSON.stringify(events) === JSON.stringify(expected.events),
  };
}

const available = existsSync(CASES);
const cases = available ? (JSON.parse(readFileSync(CASES, 'utf8')) as RecordedCase[]) : [];

if (!available) console.warn(`No recorded executions at ${CASES}: the conformance test is skipped.`);

const failing = (name: string) => () => {
  throw Object.assign(new Error('Some exception was raised.'), { name });
};
const BEHAVIOURS: Record<Behaviour, TestFunction> = {
  echo: event => event,
  raise: failing('Exception'),
  'raise-custom': failing('CustomException'),
  hang: () => new Promise(() => {}),
  'large-output': () => 'a'.repeat(257 * 1024),
  bytes: () => new Uint8Array([1, 2, 3]),
};

const functions = Object.fromEntries(
  cases
    .flatMap(one => Object.entries(one.functions))
    .map(([name, behaviour]) => [name, BEHAVIOURS[behaviour]]),
);
const api = useStepFunctionsApi({ invoker: invokerOf(functions, realClock as VirtualClock) });

/** Creates, runs and reads the history as any client of AWS would. */
async function runOverApi({ definition, input }: RecordedCase): Promise<Ended> {
  const stateMachineArn = await create(api, JSON.stringify(definition));
  const executionArn = await runToEnd(api, stateMachineArn, { input });
  const described = await api.client.describeExecution({ executionArn });
  const events: string[] = [];
  for await (const page of paginateGetExecutionHistory(
    { client: api.client, pageSize: 7 },
    { executionArn },
  )) {
    events.push(...(page.events ?? []).map(event => event.type ?? ''));
  }
  return { ...described, events };
}

(available ? test : test.skip)('executions recorded on AWS, run through the API', async () => {
  const all = (some: readonly RecordedCase[]) =>
    Promise.all(
      some.map(async recorded => {
        const got = await runOverApi(recorded);
        return { name: recorded.name, got, ...compare(recorded, got) };
      }),
    );
  // Where a task has a second or two to answer, it does not share them with fifty others.
  const isTimed = ({ definition }: RecordedCase) =>
    /"(Timeout|Heartbeat)Seconds/.test(JSON.stringify(definition));
  const [timed, others] = [cases.filter(isTimed), cases.filter(each => !isTimed(each))];
  const results = [...(await all(others)), ...(await all(timed))];
  expect(results.filter(one => !one.outcome || !one.cause || !one.events)).toEqual([]);
  console.info(
    `conformance over the API: ${results.length}/${cases.length} statuses, outputs, errors, causes and event sequences`,
  );
});
