import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DescribeExecutionOutput, paginateGetExecutionHistory } from '@aws-sdk/client-sfn';
import type { FunctionInvoker, FunctionResult, Json } from '../../src/interpreter/index.ts';
import { ROLE_ARN, useStepFunctionsApi } from './support.ts';

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

/** How an execution ended here. */
interface Ended {
  readonly status: string;
  readonly output: Json | undefined;
  readonly error: string | undefined;
  readonly cause: string | undefined;
  readonly events: readonly string[];
}

/** Whether an execution ended as it did on AWS, in each respect. */
function compare({ expected }: RecordedCase, { output, error, cause, events, ...ended }: Ended) {
  const status = STATUS[ended.status];
  return {
    outcome:
      status === expected.status &&
      (status === 'Succeeded'
        ? sameOutput(expected.output ?? null, output ?? null)
        : (error ?? null) === (expected.error ?? null)),
    cause: isOfFunction(expected.cause) || (cause ?? null) === (expected.cause ?? null),
    events: JSON.stringify(events) === JSON.stringify(expected.events),
  };
}

const available = existsSync(CASES);
const cases = available ? (JSON.parse(readFileSync(CASES, 'utf8')) as RecordedCase[]) : [];

if (!available) console.warn(`No recorded executions at ${CASES}: the conformance test is skipped.`);

const failure = (errorType: string, errorMessage: string): FunctionResult => ({
  ok: false,
  ...{ errorType, errorMessage },
  cause: { errorMessage, errorType, requestId: 'request', stackTrace: [] },
});
const BEHAVIOURS: Record<Behaviour, (event: unknown) => FunctionResult | Promise<never>> = {
  echo: payload => ({ ok: true, payload }),
  raise: () => failure('Exception', 'Some exception was raised.'),
  'raise-custom': () => failure('CustomException', 'Some exception was raised.'),
  hang: () => new Promise(() => {}),
  'large-output': () => ({ ok: true, payload: 'a'.repeat(257 * 1024) }),
  bytes: () => ({ ok: true, payload: new Uint8Array([1, 2, 3]) }),
};

const behaviourOf = new Map(cases.flatMap(one => Object.entries(one.functions)));
const invoker: FunctionInvoker = {
  async invoke(arn, event) {
    const behaviour = behaviourOf.get(arn.split(':')[6] ?? '');
    if (behaviour !== undefined) return BEHAVIOURS[behaviour](event);
    return { ok: false, errorType: 'Lambda.ResourceNotFoundException', errorMessage: 'not found' };
  },
};
const api = useStepFunctionsApi({ invoker });

/** Creates, starts, waits and reads the history as any client of AWS would. */
async function runOverApi(recorded: RecordedCase, name: string): Promise<Ended> {
  const { client } = api;
  const { stateMachineArn } = await client.createStateMachine({
    name,
    definition: JSON.stringify(recorded.definition),
    roleArn: ROLE_ARN,
  });
  const input = JSON.stringify(recorded.input);
  const { executionArn } = await client.startExecution({ stateMachineArn, input });
  let described: DescribeExecutionOutput;
  do {
    await new Promise(resolve => setTimeout(resolve, 5));
    described = await client.describeExecution({ executionArn });
  } while (described.status === 'RUNNING');
  const events: string[] = [];
  for await (const page of paginateGetExecutionHistory({ client, pageSize: 7 }, { executionArn })) {
    events.push(...(page.events ?? []).map(event => event.type ?? ''));
  }
  return {
    status: described.status ?? '',
    output: described.output === undefined ? undefined : (JSON.parse(described.output) as Json),
    error: described.error,
    cause: described.cause,
    events,
  };
}

(available ? test : test.skip)('executions recorded on AWS, run through the API', async () => {
  const all = (some: readonly RecordedCase[], prefix: string) =>
    Promise.all(
      some.map(async (recorded, index) => {
        const got = await runOverApi(recorded, `${prefix}-${index}`);
        return { name: recorded.name, got, ...compare(recorded, got) };
      }),
    );
  // Where a task has a second or two to answer, it does not share them with fifty others.
  const isTimed = ({ definition }: RecordedCase) =>
    /"(Timeout|Heartbeat)Seconds/.test(JSON.stringify(definition));
  const [timed, others] = [cases.filter(isTimed), cases.filter(each => !isTimed(each))];
  const results = [...(await all(others, 'case')), ...(await all(timed, 'timed'))];
  expect(results.filter(one => !one.outcome || !one.cause || !one.events)).toEqual([]);
  console.info(
    `conformance over the API: ${results.length}/${cases.length} statuses, outputs, errors, causes and event sequences`,
  );
});
