import { SFN } from '@aws-sdk/client-sfn';
import {
  type ApiContext,
  ApiServer,
  Executions,
  type KeptExecutions,
  nestedExecutions,
  StateMachines,
} from '../../src/api/index.ts';
import { type Clock, realClock } from '../../src/clock.ts';
import { Engine, type Execution, type FunctionInvoker } from '../../src/interpreter/index.ts';
import { graphOf, machineOf, mapOf, pass, wait } from '../interpreter/run-definition.ts';

export const API_ACCOUNT = '123456789012';
export const ROLE_ARN = `arn:aws:iam::${API_ACCOUNT}:role/test`;

/** The Step Functions API on a port of its own, and the SDK's client for it. */
export interface StepFunctionsApi {
  readonly endpoint: string;
  readonly client: SFN;
  readonly context: ApiContext;
  readonly server: ApiServer;
  /** Every execution that was started, in order. */
  readonly started: readonly Execution[];
  /** The faults that the server reported of itself. */
  readonly errors: readonly unknown[];
}

export interface StepFunctionsApiOptions {
  readonly invoker?: FunctionInvoker;
  readonly clock?: Clock;
  readonly kept?: Partial<KeptExecutions>;
}

const NO_FUNCTIONS: FunctionInvoker = {
  async invoke(arn) {
    throw new Error(`no function ${arn} in this test`);
  },
};

/** Starts the API before the tests of the calling file and stops it after them; use it inside tests and hooks only. */
export function useStepFunctionsApi(options: StepFunctionsApiOptions = {}): StepFunctionsApi {
  const { clock = realClock, invoker = NO_FUNCTIONS, kept } = options;
  const started: Execution[] = [];
  const resources = nestedExecutions(() => context);
  const engine = new Engine({
    invoker,
    clock,
    resources,
    onStart: execution => started.push(execution),
  });
  const place = { account: API_ACCOUNT, region: 'us-east-1', partition: 'aws' };
  const context: ApiContext = {
    ...place,
    stateMachines: new StateMachines(() => clock.now()),
    executions: new Executions(engine, kept),
  };
  const errors: unknown[] = [];
  let server: ApiServer | undefined;
  let client: SFN | undefined;
  beforeAll(async () => {
    server = await ApiServer.start(context, { onError: error => errors.push(error) });
    client = sfnClient(server.endpoint);
  });
  afterAll(async () => {
    client?.destroy();
    await server?.stop();
  });
  const ready = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('the API is there inside tests and hooks only');
    return value;
  };
  return {
    context,
    errors,
    started,
    get server() {
      return ready(server);
    },
    get endpoint() {
      return ready(server).endpoint;
    },
    get client() {
      return ready(client);
    },
  };
}

/** The JSON text of a definition of these states, the first of which is the start. */
export const jsonata = (states: Record<string, object>): string => JSON.stringify(machineOf(states));

export const PASS = jsonata({ A: pass });
export const FAIL = jsonata({ A: { Type: 'Fail', Error: 'E', Cause: 'C' } });
/** Until it is stopped. */
export const WAIT = jsonata({ A: wait(3600) });
/** A child for each of the input's items; fails in those that are `false`. */
export const mapRun = (executionType: 'STANDARD' | 'EXPRESS'): string =>
  jsonata({
    M: mapOf(pass, {
      ...{ Label: 'Each', Items: '{% $states.input %}', MaxConcurrency: 5, ToleratedFailurePercentage: 50 },
      ItemProcessor: {
        ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: executionType },
        ...graphOf({
          C: {
            Type: 'Choice',
            Choices: [{ Condition: '{% $states.input = false %}', Next: 'F' }],
            Default: 'P',
          },
          P: pass,
          F: { Type: 'Fail', Error: 'False' },
        }),
      },
    }),
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
  const { stateMachineArn } = await client.createStateMachine({ name, definition, type, roleArn: ROLE_ARN });
  return stateMachineArn ?? '';
}

/** @returns the execution's ARN */
export async function start(
  { client }: StepFunctionsApi,
  stateMachineArn: string,
  rest: { readonly name?: string; readonly input?: unknown } = {},
): Promise<string> {
  const { executionArn } = await client.startExecution({
    stateMachineArn,
    ...rest,
    input: JSON.stringify(rest.input ?? {}),
  });
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

export const sfnClient = (endpoint: string): SFN =>
  new SFN({
    endpoint,
    region: 'us-east-1',
    // `sync-127.0.0.1` is no host.
    disableHostPrefix: true,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
