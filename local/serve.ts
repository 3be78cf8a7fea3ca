import { ApiServer } from 'stepfunctions-emulator';
import { LocalCloud, type LocalCloudOptions } from './cloud.ts';
import { startDynamoDbProxy } from './dynamodb/proxy.ts';
import { isFree, requireFree } from './ports.ts';

export interface ServeOptions
  extends Omit<LocalCloudOptions, 'dynamoDb' | 'functionsDynamoDbEndpoint' | 'warm'> {
  readonly dynamoDbPort: number;
  readonly sfnPort: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface ServedCloud {
  readonly cloud: LocalCloud;
  /** DynamoDB endpoint for the user's programs: a proxy on 127.0.0.1 if `serve` started DynamoDB, else the DynamoDB that ran already. */
  readonly dynamoDbEndpoint: string;
  readonly endpoint: string;
  readonly region: string;
  stop(): Promise<void>;
}

/**
 * Starts a local cloud for a user. After an error nothing is left running.
 * @throws {LocalCloudError}; {NotLoopbackError} when AWS_ENDPOINT_URL_DYNAMODB names another computer
 */
export async function serve(options: ServeOptions): Promise<ServedCloud> {
  const environment = await environmentFor(options);
  await requireFree(options.sfnPort, '--sfn-port');
  // The port must be free only if `serve` starts DynamoDB: a DynamoDB that already runs has its own port.
  if (!environment['AWS_ENDPOINT_URL_DYNAMODB']) await requireFree(options.dynamoDbPort, '--dynamodb-port');
  const undo: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const cloud = await LocalCloud.start({ ...options, environment, warm: true });
    undo.push(() => cloud.stop());
    const { dynamoDb } = cloud;
    const proxy = dynamoDb.startedHere
      ? await startDynamoDbProxy(dynamoDb.endpoint, { port: options.dynamoDbPort })
      : undefined;
    undo.push(async () => proxy?.stop());
    const server = await ApiServer.start(cloud.stepFunctions, { port: options.sfnPort });
    undo.push(() => server.stop());
    const dynamoDbEndpoint = proxy?.endpoint ?? dynamoDb.endpoint;
    return {
      cloud,
      dynamoDbEndpoint,
      endpoint: server.endpoint,
      region: cloud.stepFunctions.region,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The environment without the DynamoDB endpoint of an earlier run: the user's shell may still have it, but nothing listens there. */
async function environmentFor({
  environment,
  dynamoDbPort,
}: ServeOptions): Promise<ServeOptions['environment']> {
  const named = environment['AWS_ENDPOINT_URL_DYNAMODB'];
  const ours = [`http://127.0.0.1:${dynamoDbPort}`, `http://localhost:${dynamoDbPort}`];
  const isStale = named && ours.includes(named.replace(/\/$/, '')) && (await isFree(dynamoDbPort));
  return isStale ? { ...environment, AWS_ENDPOINT_URL_DYNAMODB: undefined } : environment;
}
