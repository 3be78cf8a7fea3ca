import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  type DescribeExecutionOutput,
  paginateGetExecutionHistory,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import type { FunctionInvoker, FunctionResult, Json } from '../../src/interpreter/index.ts';
import {
  available,
  type Behaviour,
  cases,
  type Ended,
  judge,
  type RecordedCase,
} from '../support/recorded-cases.ts';
import { ROLE_ARN, useStepFunctionsApi } from '../support/step-functions-api.ts';

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
  const { stateMachineArn } = await client.send(
    new CreateStateMachineCommand({
      name,
      definition: JSON.stringify(recorded.definition),
      roleArn: ROLE_ARN,
    }),
  );
  const input = JSON.stringify(recorded.input);
  const { executionArn } = await client.send(new StartExecutionCommand({ stateMachineArn, input }));
  let described: DescribeExecutionOutput;
  do {
    await new Promise(resolve => setTimeout(resolve, 5));
    described = await client.send(new DescribeExecutionCommand({ executionArn }));
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
        return { name: recorded.name, got, ...judge(recorded, got) };
      }),
    );
  // Where a task has a second or two to answer, it does not share them with fifty others.
  const isTimed = ({ definition }: RecordedCase) =>
    /"(Timeout|Heartbeat)Seconds/.test(JSON.stringify(definition));
  const [timed, others] = [cases.filter(isTimed), cases.filter(each => !isTimed(each))];
  const results = [...(await all(others, 'case')), ...(await all(timed, 'timed'))];
  expect(results.filter(one => !one.outcome || !one.cause || !one.events)).toEqual([]);
  expect(results.filter(one => one.silentlyWrong)).toEqual([]);
  console.info(
    `conformance over the API: ${results.length}/${cases.length} statuses, outputs, errors, causes and event sequences`,
  );
});
