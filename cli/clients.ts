/** AWS's clients, none of which waits for long; and why something is not known, in words. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { InvalidFieldError, PreciseTtlError } from '../expiry/errors.ts';
import type { Documents } from '../functions/table/dynamodb.ts';

/** The services that commands ask, by the end of the variable with their endpoint. A client is loaded only where it is needed. */
export const SERVICES = {
  DYNAMODB: {
    title: 'DynamoDB',
    client: 'dynamoDb',
    load: async () => exportsOf(await import('@aws-sdk/client-dynamodb')).DynamoDBClient,
  },
  SFN: {
    title: 'Step Functions',
    client: 'sfn',
    load: async () => exportsOf(await import('@aws-sdk/client-sfn')).SFNClient,
  },
  CLOUDWATCH: {
    title: 'CloudWatch',
    client: 'cloudWatch',
    load: async () => exportsOf(await import('@aws-sdk/client-cloudwatch')).CloudWatchClient,
  },
  SCHEDULER: {
    title: 'EventBridge Scheduler',
    client: 'scheduler',
    load: async () => exportsOf(await import('@aws-sdk/client-scheduler')).SchedulerClient,
  },
  SQS: {
    title: 'SQS',
    client: 'sqs',
    load: async () => exportsOf(await import('@aws-sdk/client-sqs')).SQSClient,
  },
  PIPES: {
    title: 'EventBridge Pipes',
    client: 'pipes',
    load: async () => exportsOf(await import('@aws-sdk/client-pipes')).PipesClient,
  },
  LAMBDA: {
    title: 'Lambda',
    client: 'lambda',
    load: async () => exportsOf(await import('@aws-sdk/client-lambda')).LambdaClient,
  },
} as const;
type Services = typeof SERVICES;
export type Service = keyof Services;

export type Clients = {
  readonly [Name in Service as Services[Name]['client']]: InstanceType<
    Awaited<ReturnType<Services[Name]['load']>>
  >;
} & {
  /** Numbers are wrapped, so that none loses digits. */
  readonly documents: Documents;
  destroy(): void;
};

/** A service gave no answer that could be used; the message is for the user. */
export class NoAnswerError extends PreciseTtlError {
  override readonly name = 'NoAnswerError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The answer to a question, or why there is none. */
export type Answer<Is> = { readonly is: Is } | { readonly not: string };

/**
 * The endpoint on this machine that the SDK will call, and the variable that names it; undefined for AWS, or another host.
 *
 * @throws {InvalidFieldError} when the variable is no URL
 */
export function localEndpoint(
  service: Service,
  env: Environment = process.env,
): { readonly name: string; readonly url: string } | undefined {
  if (env['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'] === 'true') return undefined;
  const name = env[`AWS_ENDPOINT_URL_${service}`] ? `AWS_ENDPOINT_URL_${service}` : 'AWS_ENDPOINT_URL';
  const url = env[name];
  if (!url) return undefined;
  if (!URL.canParse(url)) {
    const expected = 'a URL such as http://127.0.0.1:8000';
    throw new InvalidFieldError({ field: name, expected, got: url, remedy: 'Unset it for AWS.' });
  }
  // URL converts every spelling of an IPv4 address to four decimals.
  return /^(localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(new URL(url).hostname) ? { name, url } : undefined;
}

/** Whether a command that begins with this service works on this machine. */
export const isLocal = (service: Service): boolean => localEndpoint(service) !== undefined;

const CONNECTION_MS = 2_000;
const ANSWER_MS = 5_000;
/** Attempts at a throttled call: the pauses between four take 3.5 s at most, between eight a minute. */
const ATTEMPTS = { quick: 4, patient: 8 } as const;

export interface ClientOptions {
  /** @default the SDK finds it */
  readonly region: string | undefined;
  /** The signal that ends all calls; another one for each look. */
  readonly signal: () => AbortSignal;
  /** Whether a person waits for the answer: a call that gets none is tried twice. */
  readonly quick: boolean;
  /** @default process.env */
  readonly environment?: Environment;
}

/** Makes the clients of these services. On this machine those without an endpoint on it refuse each call. */
export async function clientsOf(services: readonly Service[], options: ClientOptions): Promise<Clients> {
  const all: Record<string, unknown> = {};
  const { environment = process.env } = options;
  const isHere = services.some(service => localEndpoint(service, environment));
  for (const service of services) {
    const Client = (await SERVICES[service].load()) as unknown as Constructor;
    all[SERVICES[service].client] = boundClient(Client, service, isHere, options);
  }
  const made = Object.values(all) as AwsClient[];
  if (all['dynamoDb'] !== undefined) {
    const { DynamoDBDocumentClient } = exportsOf(await import('@aws-sdk/lib-dynamodb'));
    const wrapped = { unmarshallOptions: { wrapNumbers: true } };
    all['documents'] = DynamoDBDocumentClient.from(all['dynamoDb'] as DynamoDBClient, wrapped);
  }
  const destroy = () => made.forEach(client => void client.destroy());
  return Object.assign(all, { destroy }) as unknown as Clients;
}

type Step = (next: (args: object) => Promise<object>, context: object) => (args: object) => Promise<object>;
interface AwsClient {
  readonly middlewareStack: { add(step: Step, options: object): void };
  destroy(): void;
}
type Constructor = new (config: object) => AwsClient;

function boundClient(Client: Constructor, service: Service, isHere: boolean, options: ClientOptions) {
  const { region, signal, quick, environment = process.env } = options;
  const local = localEndpoint(service, environment);
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = environment;
  const own = id &&
    secret && { accessKeyId: id, secretAccessKey: secret, ...(token && { sessionToken: token }) };
  const client = new Client({
    ...(region !== undefined && { region }),
    maxAttempts: ATTEMPTS[quick ? 'quick' : 'patient'],
    // Without socketTimeout a call would wait for ever for the rest of an answer.
    requestHandler: {
      connectionTimeout: CONNECTION_MS,
      requestTimeout: ANSWER_MS,
      socketTimeout: ANSWER_MS,
      throwOnRequestTimeout: true,
    },
    // No credentials are looked for: on this machine every service takes these.
    ...(local && {
      endpoint: local.url,
      // Neither the name of an operation nor a queue's URL changes the host.
      ...{ disableHostPrefix: true, useQueueUrlAsEndpoint: false },
      credentials: own || { accessKeyId: 'local', secretAccessKey: 'local' },
    }),
  });
  const silences = new WeakMap<object, number>();
  const call: Step = next => async args => {
    // The real account's answer about a deployment on this machine would be false.
    if (isHere && !local) throw new NoAnswerError(`${SERVICES[service].title} is not on this machine`);
    return untilAborted(signal(), () => next(args));
  };
  // Around each attempt too: a retry would keep the process running.
  const attempt: Step = (next, context) => async args => {
    try {
      return await untilAborted(signal(), () => next(args));
    } catch (error) {
      if (silenceOf(error as Error) === undefined || !(quick || local)) throw error;
      silences.set(context, (silences.get(context) ?? 0) + 1);
      // The SDK tries no error again that it does not know.
      throw silences.get(context) === 2 ? new SilentError(error as Error) : error;
    }
  };
  client.middlewareStack.add(call, { step: 'initialize', name: 'boundCall' });
  // Before the SDK's own step, which reads the answer: one may stop in its middle.
  client.middlewareStack.add(attempt, { step: 'deserialize', priority: 'high', name: 'boundAttempt' });
  return client;
}

/** Two attempts got no answer. The SDK's error is no `cause`: the SDK would find it there, and try again. */
class SilentError extends Error {
  readonly met: Error;

  constructor(met: Error) {
    super('no answer');
    this.met = met;
  }
}

/** Waits for work, but throws the signal's reason once it aborts; then the work is not begun. */
export async function untilAborted<Is>(signal: AbortSignal, work: () => Promise<Is>): Promise<Is> {
  signal.throwIfAborted();
  const working = work();
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  return Promise.race([working, aborted]).finally(() => signal.removeEventListener('abort', stop));
}

/** The system's codes for a connection that was refused or cut. */
const REFUSED = /^E(ADDRNOTAVAIL|AI_AGAIN|CONN[A-Z]+|HOST[A-Z]+|NETUNREACH|NOTFOUND|PIPE)$/;

/** How a service failed to answer at all; undefined for an answer. */
function silenceOf({ name, code }: Error & { readonly code?: unknown }): string | undefined {
  if (name === 'TimeoutError' || code === 'ETIMEDOUT') return `no answer in ${ANSWER_MS / 1_000} s`;
  return typeof code === 'string' && REFUSED.test(code) ? code : undefined;
}

/** The SDK's error, which the functions' code and the limits above may have wrapped. */
function causeOf(thrown: unknown): Error {
  const error = ((thrown as Error).cause ?? thrown) as Error;
  return error instanceof SilentError ? error.met : error;
}

const THROTTLED = /Throttl|TooManyRequests|ThroughputExceeded|RequestLimitExceeded|SlowDown/;

export const isThrottled = (thrown: unknown): boolean => THROTTLED.test(causeOf(thrown).name);

/** Why a service gave no answer, in words; undefined for a bug of ours, and for Ctrl-C. IAM's own message names action and resource. */
export function reasonOf(thrown: unknown, service: Service): string | undefined {
  const error = causeOf(thrown);
  const { title } = SERVICES[service];
  if (error instanceof NoAnswerError) return error.message;
  // After Ctrl-C. The SDK adds its metadata to this error too.
  if (error.name === 'AbortError') return undefined;
  const silence = silenceOf(error);
  if (silence !== undefined)
    return silence.startsWith('E') ? `${title} cannot be reached (${silence})` : `${title}: ${silence}`;
  const [, action, on = ''] = /perform: (\S+)( on resource: \S+)?/.exec(error.message) ?? [];
  if (action !== undefined) return `IAM does not allow ${action}${on}`;
  if (isThrottled(error)) return `${title} throttles`;
  if (error.name === 'CredentialsProviderError') return 'there are no AWS credentials';
  return '$metadata' in error
    ? `${title} answered ${error.name}: ${error.message.split('\n')[0]}`
    : undefined;
}

/** Asks; a service that gives no answer is an answer of its own. @throws a bug of ours */
export async function ask<Is>(service: Service, question: () => Promise<Is>): Promise<Answer<Is>> {
  try {
    return { is: await question() };
  } catch (error) {
    const not = reasonOf(error, service);
    if (not === undefined) throw error;
    return { not };
  }
}

/** Undefined for what does not exist: a table, a schedule, a queue. */
export async function noneIfMissing<Is>(question: () => Promise<Is>): Promise<Is | undefined> {
  try {
    return await question();
  } catch (error) {
    if (/NotFound|NonExistent|DoesNotExist/.test(causeOf(error).name)) return undefined;
    throw error;
  }
}

/** What ends a command that needs an answer: where it was expected, what came, and what to do; undefined for a bug of ours. */
export function describeSilence(thrown: unknown, service: Service): string | undefined {
  const reason = reasonOf(thrown, service);
  if (reason === undefined) return undefined;
  const { title } = SERVICES[service];
  const local = localEndpoint(service);
  if (reason.endsWith('credentials'))
    return `AWS credentials: expected some for the account, got none. Set AWS_PROFILE or log in, or set AWS_ENDPOINT_URL_${service} for npx precise-ttl local.`;
  if (local !== undefined)
    return `${local.name}: expected ${title} at ${local.url}, got: ${reason}. Start npx precise-ttl local, or unset it for AWS.`;
  const remedy = reason.startsWith('IAM')
    ? 'Allow it, or take other credentials.'
    : isThrottled(thrown)
      ? 'Run it again later.'
      : 'Look at the network, and whether account, region and endpoint are the right ones.';
  return `${title}: expected an answer, got: ${reason}. ${remedy}`;
}

/** The exports of a CommonJS package: in a bundle with chunks a dynamic import has them as `default` only. */
function exportsOf<M extends object>(module: M): M {
  return 'default' in module ? (module.default as M) : module;
}
