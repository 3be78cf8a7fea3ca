import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SFNClient } from '@aws-sdk/client-sfn';
import { type AwsClient, awsClient } from './client.ts';
import type { Credentials } from './client-config.ts';
import { type Environment, isLocal, isThisMachine, type Service } from './endpoint.ts';
import { noteEndpoint } from './note-endpoint.ts';

/** The clients that a change works with. Each is made when it is first used. */
export interface Clients {
  readonly dynamoDb: DynamoDBClient;
  readonly sfn: SFNClient;
  readonly cloudWatch: CloudWatchClient;
  /** Where the requests of the first service go, whatever the environment and the profiles say; known once one was made. */
  where(): string;
  /** Whether that is this machine. */
  isLocal(): boolean;
  /** Whether a service is in the same place as the first one. One that is not may be somebody else's: it must not be asked. */
  isBeside(service: Service): boolean;
  destroy(): void;
}

/** The clients of a change. */
export interface With<Name extends keyof Clients> {
  readonly clients: Pick<Clients, Name>;
}

export interface ClientsOptions {
  /** The service that is changed first. */
  readonly first: Service;
  /** The services of which somebody waits for an answer. @default none */
  readonly quick?: readonly Service[] | undefined;
  /** @default the SDK finds them */
  readonly credentials?: Credentials | undefined;
}

/**
 * @param region the SDK finds it where it is not given
 * @throws {InputError} when the environment names an endpoint that is none
 */
export function clientsOf(
  region: string | undefined,
  environment: Environment,
  { first, quick = [], credentials }: ClientsOptions,
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
      credentials,
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
