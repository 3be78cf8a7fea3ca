import { CreateStateMachineCommand, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { ROLE_ARN, type StepFunctionsApi } from '../support/step-functions-api.ts';

/** The JSON text of a definition of these states, the first of which is the start. */
export const jsonata = (states: Record<string, object>): string =>
  JSON.stringify({ QueryLanguage: 'JSONata', StartAt: Object.keys(states)[0], States: states });

export const PASS = jsonata({ A: { Type: 'Pass', End: true } });
export const FAIL = jsonata({ A: { Type: 'Fail', Error: 'E', Cause: 'C' } });
/** Until it is stopped. */
export const WAIT = jsonata({ A: { Type: 'Wait', Seconds: 3600, End: true } });
/** A child for each of the input's items; fails in those that are `false`. */
export const mapRun = (executionType: 'STANDARD' | 'EXPRESS'): string =>
  jsonata({
    M: {
      Type: 'Map',
      Label: 'Each',
      Items: '{% $states.input %}',
      MaxConcurrency: 5,
      ToleratedFailurePercentage: 50,
      ItemProcessor: {
        ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: executionType },
        StartAt: 'C',
        States: {
          C: {
            Type: 'Choice',
            Choices: [{ Condition: '{% $states.input = false %}', Next: 'F' }],
            Default: 'P',
          },
          P: { Type: 'Pass', End: true },
          F: { Type: 'Fail', Error: 'False' },
        },
      },
      End: true,
    },
  });

let created = 0;

/** A state machine of its own for a test. @returns its ARN */
export async function create(
  { client }: StepFunctionsApi,
  definition: string,
  type: 'STANDARD' | 'EXPRESS' = 'STANDARD',
): Promise<string> {
  created += 1;
  const name = `machine-${created}`;
  const { stateMachineArn } = await client.send(
    new CreateStateMachineCommand({ name, definition, type, roleArn: ROLE_ARN }),
  );
  return stateMachineArn ?? '';
}

/** @returns the execution's ARN */
export async function start(
  { client }: StepFunctionsApi,
  stateMachineArn: string,
  rest: { readonly name?: string; readonly input?: unknown } = {},
): Promise<string> {
  const { executionArn } = await client.send(
    new StartExecutionCommand({ stateMachineArn, ...rest, input: JSON.stringify(rest.input ?? {}) }),
  );
  return executionArn ?? '';
}

/** Starts an execution and waits until it has ended. @returns its ARN */
export async function runToEnd(
  api: StepFunctionsApi,
  stateMachineArn: string,
  rest: { readonly name?: string; readonly input?: unknown } = {},
): Promise<string> {
  const arn = await start(api, stateMachineArn, rest);
  await api.started.find(execution => execution.arn === arn)?.done;
  return arn;
}

/** One request as bytes, as no SDK would send it. */
export async function post(
  endpoint: string,
  target: string | undefined,
  body: string | Uint8Array,
): Promise<{
  readonly status: number;
  readonly answer: Record<string, unknown>;
  readonly requestId: string | null;
}> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      ...(target !== undefined && { 'x-amz-target': target }),
    },
    body,
  });
  return {
    status: response.status,
    answer: (await response.json()) as Record<string, unknown>,
    requestId: response.headers.get('x-amzn-requestid'),
  };
}
