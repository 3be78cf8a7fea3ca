import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { DeleteTableCommand, type DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { VALIDATION_ERRORS } from 'aws-on-loopback/api-input';
import type { LocalCloudWatch } from 'aws-on-loopback/cloudwatch/cloudwatch';
import { serveCloudWatch } from 'aws-on-loopback/cloudwatch/serve-cloudwatch';
import { jsonAnswer } from 'aws-on-loopback/dynamodb/answer';
import { localDynamoDb } from 'aws-on-loopback/dynamodb/clients';
import type { DynamoDbEndpoint } from 'aws-on-loopback/dynamodb/dynamodb-local';
import { type CallHandler, DynamoDbProxy } from 'aws-on-loopback/dynamodb/proxy';
import { startLambda } from 'aws-on-loopback/lambda/lambda-api';
import { type JsonService, jsonProtocol, startServer } from 'aws-on-loopback/service';
import { ApiServer, type Clock, type EngineOptions, type Execution } from 'stepfunctions-emulator';
import { stateMachine } from 'stepfunctions-emulator/testing';
import { VERIFY_NAME, verifiedProps, verifyConfig } from '../../cli/verify/configuration.ts';
import { type Deployer, runVerify, type VerifyOptions } from '../../cli/verify/job.ts';
import type { VerifyClients } from '../../cli/verify/observe.ts';
import { replayName } from '../../config/names.ts';
import { journalName } from '../../functions/journal/layout.ts';
import { LocalCloud, type LocalCloudOptions } from '../../local/cloud.ts';
import type { InvokeWrapper } from '../../local/functions/local-functions.ts';
import { cloudWatchOf } from '../../local/serve.ts';
import { deploymentClients } from '../../operate/deployment/clients.ts';
import { plainStack } from '../../stacks/plain-stack.ts';

const REGION = 'us-east-1';

/** What is wrong with an account. */
export interface Sabotage {
  readonly skewMs?: number;
  readonly deliveries?: NonNullable<LocalCloudOptions['deliveries']>;
  readonly expressDeliveries?: NonNullable<EngineOptions['expressDeliveries']>;
  readonly wrap?: InvokeWrapper;
  /** Gets the functions' calls of DynamoDB. */
  readonly functionsCall?: CallHandler;
  /** Gets the calls of the command: of DynamoDB, of Step Functions. */
  readonly dynamoDbCall?: CallHandler;
  readonly sfnCall?: CallHandler;
  /** Until a first call of a function is answered, milliseconds. */
  readonly coldMs?: number;
  /** What an execution is said to take more, MB. */
  readonly moreMemoryMb?: number;
}

export interface VerifiedCloudOptions {
  readonly dynamoDb: DynamoDbEndpoint;
  readonly clock: Clock;
  readonly sabotage?: Sabotage;
  readonly name?: string;
}

/** Verifies the local cloud, as the command does an account: Terraform's place is taken by the stack in memory. */
export async function verifyLocalCloud(
  { dynamoDb, clock, sabotage = {}, name = VERIFY_NAME }: VerifiedCloudOptions,
  options: Pick<VerifyOptions, 'minutes' | 'print'> & Partial<VerifyOptions>,
): ReturnType<typeof runVerify> {
  const client = localDynamoDb(dynamoDb.endpoint, REGION);
  const undo: (() => unknown)[] = [() => client.destroy()];
  const deployed = new LocalDeployer({ dynamoDb, clock, sabotage, name, client });
  try {
    const signal = options.signal ?? new AbortController().signal;
    return await clock.busy(() =>
      runVerify({
        ...{ deployer: deployed, region: REGION, onProgress: () => {}, signal },
        time: { now: () => clock.now(), sleep: ms => clock.sleep(ms, signal) },
        ...options,
        // They are there once it is deployed.
        clients: new Proxy({} as VerifyClients, {
          get: (_target, key) => Reflect.get(deployed.clients, key),
        }),
      }),
    );
  } finally {
    for (const step of undo.reverse()) await step();
  }
}

export const tablesOf = (name: string): string[] => [name, journalName(name)];

class LocalDeployer implements Deployer {
  clients = {} as VerifyClients;
  readonly #given: Required<VerifiedCloudOptions> & { readonly client: DynamoDBClient };
  readonly #undo: (() => unknown)[] = [];
  /** What runs on in the cloud is no part of what the clock waits for. */
  readonly #outside = AsyncLocalStorage.snapshot();

  constructor(given: Required<VerifiedCloudOptions> & { readonly client: DynamoDBClient }) {
    this.#given = given;
  }

  async removeLeft(): Promise<boolean> {
    const { client, name } = this.#given;
    const { TableNames = [] } = await client.send(new ListTablesCommand({}));
    const left = tablesOf(name).filter(each => TableNames.includes(each));
    for (const TableName of left) await client.send(new DeleteTableCommand({ TableName }));
    return left.length > 0;
  }

  deploy() {
    return this.#outside(() => this.#deploy());
  }

  async #deploy() {
    const { dynamoDb, clock, sabotage, name } = this.#given;
    const undo = this.#undo;
    const config = verifyConfig(REGION, `arn:aws:sqs:${REGION}:123456789012:${name}-events`, name);
    const through = async (target: string, handle: CallHandler | undefined, now?: () => number) => {
      const proxy = await DynamoDbProxy.start(target, { ...(handle && { handle }), now });
      undo.push(() => proxy.stop());
      return proxy.endpoint;
    };
    let watch: LocalCloudWatch | undefined;
    const queue = new EventQueue();
    const cloud = await LocalCloud.start({
      ...{ stack: plainStack(config), dynamoDb, clock, environment: {} },
      ...(sabotage.skewMs !== undefined && { skewMs: sabotage.skewMs }),
      ...(sabotage.deliveries && { deliveries: sabotage.deliveries }),
      ...(sabotage.expressDeliveries && { expressDeliveries: sabotage.expressDeliveries }),
      pipes: { onExpiry: ({ event }) => queue.add(JSON.stringify(event), clock.now()) },
      functionsDynamoDbEndpoint: endpoint => through(endpoint, sabotage.functionsCall),
      functions: {
        onLog: (_name, line) => watch?.addLine(line),
        async wrap(call, next) {
          const began = clock.now();
          const result = await (sabotage.wrap?.(call, next) ?? next());
          watch?.addInvocation(call.functionName, clock.now() - began);
          return result;
        },
      },
      onExecutionStart: execution => watch?.executionStarted(execution),
      onExecution: execution => watch?.executionEnded(withMore(execution, sabotage.moreMemoryMb)),
    });
    undo.push(() => cloud.stop());
    watch = cloudWatchOf(cloud.synthesized, clock);
    const cloudWatch = await serveCloudWatch(watch, undefined);
    undo.push(() => cloudWatch.stop());
    const sfn = await ApiServer.start(cloud.stepFunctions, { port: 0 });
    undo.push(() => sfn.stop());
    const invoke = (functionName: string, payload: unknown) => cloud.functions.invoke(functionName, payload);
    const lambda = await startLambda({ invoke });
    undo.push(() => lambda.stop());
    const sqs = await startServer(jsonProtocol(SQS, queue));
    undo.push(() => sqs.stop());
    const dated = await through(dynamoDb.endpoint, undefined, () => clock.now());
    const clients = deploymentClients(REGION, {
      AWS_ENDPOINT_URL_DYNAMODB: await through(dated, sabotage.dynamoDbCall),
      AWS_ENDPOINT_URL_SFN: await through(await through(sfn.endpoint, withTestState), sabotage.sfnCall),
      AWS_ENDPOINT_URL_SQS: sqs.endpoint,
      AWS_ENDPOINT_URL_LAMBDA: lambda.endpoint,
      AWS_ENDPOINT_URL_CLOUDWATCH: cloudWatch.endpoint,
    });
    undo.push(() => clients.destroy());
    const { coldMs = 0 } = sabotage;
    clients.lambda?.middlewareStack.add(
      next => async args => {
        await clock.sleep(coldMs);
        return next(args);
      },
      { step: 'initialize', name: 'coldStart' },
    );
    this.clients = clients as VerifyClients;
    const arnOf = (machine: string) => cloud.machines.find(each => each.name === machine)?.arn ?? '';
    return {
      ...{ props: verifiedProps(config), region: REGION },
      ...{ stateMachineArn: arnOf(name), replayStateMachineArn: arnOf(replayName(name)) },
      queueUrl: `https://sqs.${REGION}.amazonaws.com/123456789012/${name}-events`,
      deployment: { notChecked: { reason: 'nothing is deployed by Terraform', isLocal: true } },
    };
  }

  async remove(): Promise<void> {
    for (const step of this.#undo.splice(0).reverse()) await step();
    await this.removeLeft();
  }
}

/** A queue that gives each message once. */
class EventQueue {
  readonly #messages: object[] = [];

  /** @param sentAt epoch milliseconds */
  add(Body: string, sentAt: number): void {
    const MD5OfBody = createHash('md5').update(Body).digest('hex');
    const Attributes = { SentTimestamp: String(sentAt) };
    this.#messages.push({ Body, MD5OfBody, Attributes, MessageId: Body, ReceiptHandle: Body });
  }

  receive(): object {
    const Messages = this.#messages.splice(0, 10);
    return Messages.length > 0 ? { Messages } : {};
  }
}

/** The calls of a queue that the command makes. */
const SQS: JsonService<EventQueue> = {
  target: 'AmazonSQS',
  errors: VALIDATION_ERRORS,
  operations: {
    ReceiveMessage: {
      fields: ['QueueUrl', 'MaxNumberOfMessages', 'MessageSystemAttributeNames'],
      answer: queue => queue.receive(),
    },
    DeleteMessageBatch: {
      fields: ['QueueUrl', 'Entries'],
      answer: (_queue, input) => ({
        Successful: input
          .objects('Entries', ['Id', 'ReceiptHandle'])
          .map(entry => ({ Id: entry.text('Id') })),
        Failed: [],
      }),
    },
  },
};

/** Answers TestState as far as the command asks for it: one state without input, which ends. */
const withTestState: CallHandler = async ({ operation, text, forward }) => {
  if (operation !== 'TestState') return forward();
  const { QueryLanguage, ...state } = JSON.parse((JSON.parse(text) as { definition: string }).definition);
  const { status } = await stateMachine.from({ QueryLanguage, StartAt: 'A', States: { A: state } }).run();
  return jsonAnswer({ status });
};

function withMore(execution: Execution, more = 0): Parameters<LocalCloudWatch['executionEnded']>[0] {
  const { machine, status, startDate, stopDate, memoryMb } = execution;
  return {
    machine,
    status,
    startDate,
    stopDate,
    memoryMb: memoryMb === undefined ? undefined : memoryMb + more,
  };
}
