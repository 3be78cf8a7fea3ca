import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SFNClient } from '@aws-sdk/client-sfn';
import { type AwsClient, awsClient } from './client.ts';
import { type Environment, isLocal, isThisMachine, type Service } from './endpoint.ts';

/** The clients that a change works with. Each is created at its first use. */
export interface Clients {
  readonly dynamoDb: DynamoDBClient;
  readonly sfn: SFNClient;
  readonly cloudWatch: CloudWatchClient;
  /**
   * The origin that gets the first service's requests, whatever the environment and the profiles say. Before the first request it is
   * the region.
   */
  where(): string;
  /** Whether that origin is this machine; false before the first request. */
  isLocal(): boolean;
  /** Whether a service is in the same place as the first one. If not, it may be somebody else's and must not be called. */
  isBeside(service: Service): boolean;
  destroy(): void;
}

/** The clients of a change. */
export interface With<Name extends keyof Clients> {
  readonly clients: Pick<Clients, Name>;
}

export interface ClientsOptions {
  /** The service that the change begins with. */
  readonly first: Service;
  /** Services whose answer a user waits for: calls to them fail sooner. @default none */
  readonly quick?: readonly Service[] | undefined;
}

/**
 * Creates the clients. @param region @default the SDK finds it
 * @throws {InputError} when the environment names an invalid endpoint
 */
export function clientsOf(
  region: string | undefined,
  environment: Environment,
  { first, quick = [] }: ClientsOptions,
): Clients {
  const made = new Map<Service, { readonly client: AwsClient; readonly endpoint: () => URL | undefined }>();
  const get = <Client extends AwsClient & Parameters<typeof noteEndpoint>[0]>(
    service: Service,
    create: Parameters<typeof awsClient<Client>>[0],
  ): Client => {
    const known = made.get(service);
    if (known !== undefined) return known.client as Client;
    const client = awsClient(create, service, region, environment, {
      quick: quick.includes(service),
    });
    made.set(service, { client, endpoint: noteEndpoint(client) });
    return client;
  };
  const endpoint = () => made.get(first)?.endpoint();
  const isHere = () => isThisMachine(endpoint()?.hostname ?? '');
  return {
    get dynamoDb() {
      return get('DYNAMODB', config => new DynamoDBClient(config));
    },
    get sfn() {
      return get('SFN', config => new SFNClient(config));
    },
    get cloudWatch() {
      return get('CLOUDWATCH', config => new CloudWatchClient(config));
    },
    where: () => endpoint()?.origin ?? region ?? 'AWS',
    isLocal: isHere,
    isBeside: service => !isHere() || isLocal(environment, service),
    destroy() {
      for (const { client } of made.values()) client.destroy();
    },
  };
}

type Middleware = <Args extends { request?: unknown }, Result>(
  next: (args: Args) => Result,
) => (args: Args) => Result;

/** The part of every SDK client that is needed here. */
interface NotedClient {
  readonly middlewareStack: {
    add(middleware: Middleware, options: { readonly step: 'build'; readonly name: string }): void;
  };
}

/**
 * Notes the host that gets a client's requests, whatever the environment and the profiles say.
 *
 * @returns a function that gives the URL of the host; undefined before the first request
 */
export function noteEndpoint(client: NotedClient): () => URL | undefined {
  let endpoint: URL | undefined;
  const note: Middleware = next => args => {
    const { protocol, hostname, port } = args.request as {
      protocol: string;
      hostname: string;
      port?: number;
    };
    endpoint = new URL(`${protocol}//${hostname}${port ? `:${port}` : ''}`);
    return next(args);
  };
  client.middlewareStack.add(note, { step: 'build', name: 'noteEndpoint' });
  return () => endpoint;
}
