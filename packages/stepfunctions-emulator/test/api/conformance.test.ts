import {
  CreateStateMachineCommand,
  DescribeExecutionCommand,
  type DescribeExecutionOutput,
  paginateGetExecutionHistory,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import type { FunctionInvoker, Json } from '../../src/interpreter/index.ts';
import { LambdaEndpoint } from '../../src/lambda-endpoint.ts';
import { functionError, type LambdaAnswer, useFakeLambda } from '../support/fake-lambda.ts';
import {
  available,
  type Behaviour,
  cases,
  type Ended,
  judge,
  type RecordedCase,
} from '../support/recorded-cases.ts';
import { ROLE_ARN, useStepFunctionsApi } from '../support/step-functions-api.ts';

const BEHAVIOURS: Record<Behaviour, (event: string) => LambdaAnswer> = {
  echo: event => ({ body: event }),
  raise: () => functionError('Exception', 'Some exception was raised.'),
  'raise-custom': () => functionError('CustomException', 'Some exception was raised.'),
  hang: () => undefined,
  'large-output': () => ({ body: JSON.stringify('a'.repeat(257 * 1024)) }),
  bytes: () =>
    functionError(
      'Runtime.MarshalError',
      'Unable to marshal response: Object of type bytes is not JSON serializable',
    ),
};

const behaviourOf = new Map(cases.flatMap(one => Object.entries(one.functions)));
const lambda = useFakeLambda(({ functionName, body }) => {
  const behaviour = behaviourOf.get(functionName);
  if (behaviour !== undefined) return BEHAVIOURS[behaviour](body);
  return { status: 404, headers: { 'x-amzn-errortype': 'ResourceNotFoundException' }, body: '{}' };
});
// The endpoint is known once the fake listens.
const invoker: FunctionInvoker = {
  invoke: (...call) => new LambdaEndpoint(lambda.endpoint).invoke(...call),
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

(available ? test : test.skip)(
  'executions recorded on AWS, run through the API with functions behind the Lambda API',
  async () => {
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
  },
);

test('a definition in JSONPath is refused when it is created', async () => {
  const definition = JSON.stringify({ StartAt: 'A', States: { A: { Type: 'Pass', End: true } } });
  const creation = api.client.send(
    new CreateStateMachineCommand({ name: 'jsonpath', definition, roleArn: ROLE_ARN }),
  );
  await expect(creation).rejects.toThrow(
    /^Invalid State Machine Definition: 'SCHEMA_VALIDATION_FAILED: .*JSONPath/,
  );
  await expect(creation).rejects.toHaveProperty('name', 'InvalidDefinition');
});
