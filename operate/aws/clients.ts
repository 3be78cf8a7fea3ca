import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SFNClient } from '@aws-sdk/client-sfn';
import { type TimeLimit, untilAborted } from '../time-limit.ts';
import {
  type ConfiguredEndpoint,
  type Environment,
  isLocal,
  isThisMachine,
  localEndpoint,
  type Service,
} from './endpoint.ts';
import { ANSWER_MS, CONNECTION_MS, isThrottled, NoAnswerError, type Silence, silenceOf } from './errors.ts';

/** Dummy credentials: every emulator accepts them, and no AWS account does. */
const DUMMY_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

/** Attempts at a throttled call, which take about a minute: a replay of many pieces shares its quota with all other callers. */
const MAX_ATTEMPTS = 8;
/** Attempts on this machine: no service throttles here, and a port that is closed will not open a moment later. */
const MAX_LOCAL_ATTEMPTS = 2;

/**
 * The configuration of a service's client. For an endpoint on this machine only the environment is searched for credentials, so
 * that a local trial needs none.
 *
 * @param region @default the SDK finds it
 * @throws {InputError} when the environment names an invalid endpoint
 */
export function clientConfig(service: Service, region: string | undefined, environment: Environment) {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = environment;
  const fromEnvironment = id && secret;
  const local = localEndpoint(environment, service);
  return {
    ...(region !== undefined && { region }),
    maxAttempts: local ? MAX_LOCAL_ATTEMPTS : MAX_ATTEMPTS,
    ...(local && {
      // The SDK would read this variable from the process; this way it comes from the given environment, as does `local`.
      endpoint: local.value,
      credentials: fromEnvironment
        ? { accessKeyId: id, secretAccessKey: secret, ...(token && { sessionToken: token }) }
        : DUMMY_CREDENTIALS,
    }),
  };
}

/** Attempts at a call that gets no answer, when a user waits. */
const UNANSWERED_ATTEMPTS = 2;
/** Attempts at a throttled call, when a user waits: the pauses between them take 3.5 seconds at most. */
const QUICK_ATTEMPTS = 4;

export interface ClientOptions {
  /**
   * Sets short limits for a command with a waiting user: a call fails after two attempts without an answer, in about ten seconds.
   * @default long work retries for about a minute, for example while a network restarts
   */
  readonly quick?: boolean;
  /** Time limit of the whole command. @default none */
  readonly limit?: TimeLimit | undefined;
}

/** The part that every client of the SDK has. */
export interface AwsClient {
  destroy(): void;
  readonly middlewareStack: {
    add(middleware: Middleware, options: { readonly step: 'initialize'; readonly name: string }): void;
    add(middleware: Middleware, options: { readonly step: 'deserialize'; readonly name: string }): void;
  };
}

type Middleware = <Args extends object, Result extends object>(
  next: (args: Args) => Promise<Result>,
  context: object,
) => (args: Args) => Promise<Result>;

/**
 * Makes a client of AWS. All clients of the commands are made here, so that none waits forever for a silent service. Such a call
 * throws {NoAnswerError}, which says how the service failed to answer; all other errors are the SDK's.
 *
 * @param make creates a client of the SDK with this configuration
 * @param region @default the SDK finds it
 * @throws {InputError} when the environment names an invalid endpoint
 */
export function awsClient<Client extends AwsClient>(
  make: (config: ReturnType<typeof boundedConfig>) => Client,
  service: Service,
  region: string | undefined,
  environment: Environment,
  { quick = false, limit }: ClientOptions = {},
): Client {
  const client = make(boundedConfig(clientConfig(service, region, environment), quick));
  bound(client, { service, local: localEndpoint(environment, service), quick, limit });
  return client;
}

function boundedConfig(config: ReturnType<typeof clientConfig>, quick: boolean) {
  return {
    ...config,
    ...(quick && { maxAttempts: Math.min(config.maxAttempts, QUICK_ATTEMPTS) }),
    // A call without socketTimeout would wait forever for the rest of an incomplete answer.
    requestHandler: {
      connectionTimeout: CONNECTION_MS,
      requestTimeout: ANSWER_MS,
      socketTimeout: ANSWER_MS,
      throwOnRequestTimeout: true,
    },
  };
}

/** Failures of the attempts at one call. */
interface Met {
  unanswered: number;
  last: 'throttled' | Silence | undefined;
}

interface Bounds {
  readonly service: Service;
  readonly local: ConfiguredEndpoint | undefined;
  readonly quick: boolean;
  readonly limit: TimeLimit | undefined;
}

function bound(client: AwsClient, { service, local, quick, limit }: Bounds): void {
  const calls = new WeakMap<object, Met>();
  const call: Middleware = (next, context) => async args => {
    const met: Met = { unanswered: 0, last: undefined };
    calls.set(context, met);
    // A later look has a signal of its own.
    const signal = limit?.signal;
    try {
      if (signal?.aborted) throw OVER;
      return signal === undefined ? await next(args) : await untilAborted(signal, next(args));
    } catch (error) {
      if (limit !== undefined && (error === OVER || error === signal?.reason)) {
        throw new NoAnswerError(
          service,
          { kind: 'out of time', seconds: limit.seconds, last: met.last },
          local,
        );
      }
      const silence = silenceOf(error);
      throw silence === undefined ? error : new NoAnswerError(service, silence, local);
    }
  };
  const attempt: Middleware = (next, context) => async args => {
    const met = calls.get(context);
    if (limit?.signal.aborted) throw OVER;
    try {
      return await next(args);
    } catch (error) {
      const silence = silenceOf(error);
      if (met !== undefined) met.last = silence ?? (isThrottled(error) ? 'throttled' : undefined);
      if (silence === undefined || met === undefined) throw error;
      met.unanswered += 1;
      // The SDK does not retry errors that it does not know.
      throw quick && met.unanswered >= UNANSWERED_ATTEMPTS
        ? new NoAnswerError(service, silence, local)
        : error;
    }
  };
  client.middlewareStack.add(call, { step: 'initialize', name: 'boundCall' });
  client.middlewareStack.add(attempt, { step: 'deserialize', name: 'boundAttempt' });
}

/** The time limit of the command is over. */
const OVER = new Error('the time of the command is over');

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

type BuildMiddleware = <Args extends { request?: unknown }, Result>(
  next: (args: Args) => Result,
) => (args: Args) => Result;

/** The part of every SDK client that is needed here. */
interface NotedClient {
  readonly middlewareStack: {
    add(middleware: BuildMiddleware, options: { readonly step: 'build'; readonly name: string }): void;
  };
}

/**
 * Notes the host that gets a client's requests, whatever the environment and the profiles say.
 *
 * @returns a function that gives the URL of the host; undefined before the first request
 */
export function noteEndpoint(client: NotedClient): () => URL | undefined {
  let endpoint: URL | undefined;
  const note: BuildMiddleware = next => args => {
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
