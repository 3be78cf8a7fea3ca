import { SFNClient } from '@aws-sdk/client-sfn';
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

export const API_ACCOUNT = '123456789012';
export const ROLE_ARN = `arn:aws:iam::${API_ACCOUNT}:role/test`;

/** The Step Functions API on a port of its own, and the SDK's client for it. */
export interface StepFunctionsApi {
  readonly endpoint: string;
  readonly client: SFNClient;
  /** As the client's. */
  readonly send: SFNClient['send'];
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
  let client: SFNClient | undefined;
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
    // Bound late: the client is there inside tests only.
    send: ((command: Parameters<SFNClient['send']>[0]) => ready(client).send(command)) as SFNClient['send'],
  };
}

export const sfnClient = (endpoint: string): SFNClient =>
  new SFNClient({
    endpoint,
    region: 'us-east-1',
    // `sync-127.0.0.1` is no host.
    disableHostPrefix: true,
    credentials: {
      accessKeyId: 'local',
      secretAccessKey: 'local',
    },
  });
