import { once } from 'node:events';
import { InvalidFieldError, PreciseTtlError } from '../expiry/errors.ts';
import type { Documents } from '../functions/table/dynamodb.ts';

/** AWS services that commands call. A command loads only the SDKs of its services. */
export const SERVICES = {
  DYNAMODB: {
    title: 'DynamoDB',
    client: 'dynamoDb',
    load: async () => (await import('@aws-sdk/client-dynamodb')).DynamoDBClient,
  },
  SFN: {
    title: 'Step Functions',
    client: 'sfn',
    load: async () => (await import('@aws-sdk/client-sfn')).SFNClient,
  },
  CLOUDWATCH: {
    title: 'CloudWatch',
    client: 'cloudWatch',
    load: async () => (await import('@aws-sdk/client-cloudwatch')).CloudWatchClient,
  },
  SCHEDULER: {
    title: 'EventBridge Scheduler',
    client: 'scheduler',
    load: async () => (await import('@aws-sdk/client-scheduler')).SchedulerClient,
  },
  SNS: { title: 'SNS', client: 'sns', load: async () => (await import('@aws-sdk/client-sns')).SNSClient },
  SQS: { title: 'SQS', client: 'sqs', load: async () => (await import('@aws-sdk/client-sqs')).SQSClient },
  PIPES: {
    title: 'EventBridge Pipes',
    client: 'pipes',
    load: async () => (await import('@aws-sdk/client-pipes')).PipesClient,
  },
  LAMBDA: {
    title: 'Lambda',
    client: 'lambda',
    load: async () => (await import('@aws-sdk/client-lambda')).LambdaClient,
  },
} as const;
export type Service = keyof typeof SERVICES;

export type Clients = {
  readonly [Name in Service as (typeof SERVICES)[Name]['client']]: InstanceType<
    Awaited<ReturnType<(typeof SERVICES)[Name]['load']>>
  >;
} & { readonly documents: Documents; destroy(): void };

export class NoAnswerError extends PreciseTtlError {
  override readonly name = 'NoAnswerError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

export type Answer<Is> = { readonly is: Is } | { readonly not: string };

/** A service's endpoint from `env`, only if the endpoint is on this machine. @throws {InvalidFieldError} when the variable is no URL */
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
  // `URL` converts every form of an IPv4 address to four decimal numbers, so this pattern matches all forms.
  return /^(localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(new URL(url).hostname) ? { name, url } : undefined;
}

export const regionHere = (): string | undefined =>
  process.env['AWS_REGION'] || process.env['AWS_DEFAULT_REGION'] || undefined;

export const isLocal = (service: Service): boolean => localEndpoint(service) !== undefined;

async function untilAborted<Is>(signal: AbortSignal, work: () => Promise<Is>): Promise<Is> {
  signal.throwIfAborted();
  const done = new AbortController();
  const aborted = once(signal, 'abort', { signal: done.signal }).then(() => Promise.reject(signal.reason));
  return Promise.race([work(), aborted]).finally(() => done.abort());
}

const REFUSED = /^E(ADDRNOTAVAIL|AI_AGAIN|CONN[A-Z]+|HOST[A-Z]+|NETUNREACH|NOTFOUND|PIPE)$/;

const ANSWER_MS = 5_000;

/** Says why a service did not answer; undefined for every other error. */
function silenceOf(error: Error & { readonly code?: unknown }, service: Service): string | undefined {
  const [title, { name, code }] = [SERVICES[service].title, error];
  if (name === 'TimeoutError' || code === 'ETIMEDOUT') return `${title}: no answer in ${ANSWER_MS / 1_000} s`;
  return typeof code === 'string' && REFUSED.test(code) ? `${title} cannot be reached (${code})` : undefined;
}

const causeOf = (thrown: unknown): Error => ((thrown as Error).cause ?? thrown) as Error;

const THROTTLED = /Throttl|TooManyRequests|ThroughputExceeded|RequestLimitExceeded|SlowDown/;

export const isThrottled = (thrown: unknown): boolean => THROTTLED.test(causeOf(thrown).name);

/** Says why a request to a service failed; undefined for a bug of precise-ttl, and for Ctrl-C. */
function reasonOf(thrown: unknown, service: Service): string | undefined {
  const error = causeOf(thrown);
  const title = SERVICES[service].title;
  if (error instanceof NoAnswerError) return error.message;
  // Ctrl-C is checked before `$metadata`, because the SDK adds `$metadata` also to the error of Ctrl-C.
  if (error.name === 'AbortError') return undefined;
  const silence = silenceOf(error, service);
  if (silence !== undefined) return silence;
  const [, action, on = ''] = /perform: (\S+)( on resource: \S+)?/.exec(error.message) ?? [];
  if (action !== undefined) return `IAM does not allow ${action}${on}`;
  if (isThrottled(error)) return `${title} throttles`;
  if (error.name === 'CredentialsProviderError') return 'there are no AWS credentials';
  return '$metadata' in error
    ? `${title} answered ${error.name}: ${error.message.split('\n')[0]}`
    : undefined;
}

export async function ask<Is>(service: Service, question: () => Promise<Is>): Promise<Answer<Is>> {
  try {
    return { is: await question() };
  } catch (error) {
    const not = reasonOf(error, service);
    if (not === undefined) throw error;
    return { not };
  }
}

export function readable<Is>(answer: Answer<Is>): Is {
  if ('not' in answer) throw new NoAnswerError(answer.not);
  return answer.is;
}

type Asked = Readonly<Record<string, Answer<unknown> | Promise<Answer<unknown>>>>;
type AnswersOf<A extends Asked> = {
  readonly [Name in keyof A & string]: Extract<Awaited<A[Name]>, { readonly is: unknown }>['is'];
};

/** Returns a copy of `known` with the answers as further properties. Reading a missing answer throws, so callers need no check. */
export async function seenOf<Known extends object, A extends Asked>(known: Known, asked: A) {
  const names = Object.keys(asked);
  const answers = await Promise.all(Object.values(asked));
  const seen = { ...known };
  for (const [at, answer] of answers.entries())
    Object.defineProperty(seen, names[at] ?? '', { get: () => readable(answer), enumerable: true });
  return seen as Known & AnswersOf<A>;
}

export async function noneIfMissing<Is>(question: () => Promise<Is>): Promise<Is | undefined> {
  try {
    return await question();
  } catch (error) {
    if (/NotFound|NonExistent|DoesNotExist/.test(causeOf(error).name)) return undefined;
    throw error;
  }
}

/** Message for the user: where an answer was expected, what came, and what to do. Undefined for a bug of precise-ttl, and for Ctrl-C. */
export function describeSilence(thrown: unknown, service: Service): string | undefined {
  const reason = reasonOf(thrown, service);
  if (reason === undefined) return undefined;
  const title = SERVICES[service].title;
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

const CONNECTION_MS = 2_000;
/** Attempts at a request. While a service throttles, four attempts pause for at most 3.5 s in all, and eight for at most a minute. */
const ATTEMPTS = { quick: 4, patient: 8 } as const;

interface ClientOptions {
  /** Services that get a client. If one has an endpoint on this machine, calls to services without such an endpoint fail. */
  readonly services: readonly Service[];
  readonly region: string | undefined;
  readonly signal: () => AbortSignal;
  /** Whether a person waits for the command: then a call has fewer `ATTEMPTS`, and fails after two that get no answer. */
  readonly quick: boolean;
  readonly environment?: Environment;
}

export async function clientsOf(options: ClientOptions): Promise<Clients> {
  const loading = options.services.map(async service => {
    const { client, load } = SERVICES[service];
    return [client, bound((await load()) as unknown as ClientClass, service, options)] as const;
  });
  const clients: Record<string, BoundClient> = Object.fromEntries(await Promise.all(loading));
  const { dynamoDb } = clients as unknown as Partial<Clients>;
  const unmarshallOptions = { wrapNumbers: true };
  const documents =
    dynamoDb &&
    (await import('@aws-sdk/lib-dynamodb')).DynamoDBDocumentClient.from(dynamoDb, { unmarshallOptions });
  const destroy = () => Object.values(clients).forEach(client => void client.destroy());
  return { ...clients, documents, destroy } as unknown as Clients;
}

type Step = (next: (args: object) => Promise<object>, context: object) => (args: object) => Promise<object>;
interface BoundClient {
  readonly middlewareStack: { add(step: Step, options: object): void };
  destroy(): void;
}
type ClientClass = new (config: object) => BoundClient;

function bound(made: ClientClass, service: Service, options: ClientOptions): BoundClient {
  const { services, region, signal, quick, environment = process.env } = options;
  const local = localEndpoint(service, environment);
  const isHere = services.some(each => localEndpoint(each, environment) !== undefined);
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  const client = new made({
    ...(region !== undefined && { region }),
    maxAttempts: ATTEMPTS[quick ? 'quick' : 'patient'],
    // Without socketTimeout a call would wait for ever for the rest of an answer.
    requestHandler: {
      connectionTimeout: CONNECTION_MS,
      requestTimeout: ANSWER_MS,
      socketTimeout: ANSWER_MS,
      throwOnRequestTimeout: true,
    },
    ...(local && {
      endpoint: local.url,
      ...{ disableHostPrefix: true, useQueueUrlAsEndpoint: false },
      // Access keys in environment variables are used, because DynamoDB Local may have separate tables for each access key.
      credentials:
        accessKeyId && secretAccessKey
          ? { accessKeyId, secretAccessKey }
          : { accessKeyId: 'local', secretAccessKey: 'local' },
    }),
  });
  const silences = new WeakMap<object, number>();
  const call: Step = next => async args => {
    // For a deployment on this machine, an answer of a real AWS account would be wrong.
    if (isHere && !local) throw new NoAnswerError(`${SERVICES[service].title} is not on this machine`);
    return untilAborted(signal(), () => next(args));
  };
  // An abort of the signal ends each attempt, too. Otherwise the SDK would make further attempts, and keep the process running.
  const attempt: Step = (next, context) => async args => {
    try {
      return await untilAborted(signal(), () => next(args));
    } catch (error) {
      const silence = silenceOf(error as Error, service);
      if (silence === undefined || !(quick || local)) throw error;
      silences.set(context, (silences.get(context) ?? 0) + 1);
      // The first error is thrown unchanged, because the SDK retries only errors that it knows. NoAnswerError ends the retries.
      throw silences.get(context) === 2 ? new NoAnswerError(silence) : error;
    }
  };
  client.middlewareStack.add(call, { step: 'initialize', name: 'boundCall' });
  // This step surrounds the SDK's step that reads the answer, because the answer may stop in the middle.
  client.middlewareStack.add(attempt, { step: 'deserialize', priority: 'high', name: 'boundAttempt' });
  return client;
}
