import { InvalidFieldError, PreciseTtlError } from '../expiry/errors.ts';

export const SERVICES = {
  DYNAMODB: 'DynamoDB',
  SFN: 'Step Functions',
  CLOUDWATCH: 'CloudWatch',
  SCHEDULER: 'EventBridge Scheduler',
  SNS: 'SNS',
  SQS: 'SQS',
  PIPES: 'EventBridge Pipes',
  LAMBDA: 'Lambda',
} as const;
export type Service = keyof typeof SERVICES;

export class NoAnswerError extends PreciseTtlError {
  override readonly name = 'NoAnswerError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

export type Answer<Is> = { readonly is: Is } | { readonly not: string };

/** Undefined for AWS, or another host. @throws {InvalidFieldError} when the variable is no URL */
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

export const isLocal = (service: Service): boolean => localEndpoint(service) !== undefined;

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

const REFUSED = /^E(ADDRNOTAVAIL|AI_AGAIN|CONN[A-Z]+|HOST[A-Z]+|NETUNREACH|NOTFOUND|PIPE)$/;

export const ANSWER_MS = 5_000;

/** Undefined for an error that is an answer of the service. */
export function silenceOf(error: Error & { readonly code?: unknown }, service: Service): string | undefined {
  const [title, { name, code }] = [SERVICES[service], error];
  if (name === 'TimeoutError' || code === 'ETIMEDOUT') return `${title}: no answer in ${ANSWER_MS / 1_000} s`;
  return typeof code === 'string' && REFUSED.test(code) ? `${title} cannot be reached (${code})` : undefined;
}

const causeOf = (thrown: unknown): Error => ((thrown as Error).cause ?? thrown) as Error;

const THROTTLED = /Throttl|TooManyRequests|ThroughputExceeded|RequestLimitExceeded|SlowDown/;

export const isThrottled = (thrown: unknown): boolean => THROTTLED.test(causeOf(thrown).name);

/** Undefined for a bug of ours, and for Ctrl-C. IAM's own message names the action and the resource. */
export function reasonOf(thrown: unknown, service: Service): string | undefined {
  const error = causeOf(thrown);
  const title = SERVICES[service];
  if (error instanceof NoAnswerError) return error.message;
  // Ctrl-C: the SDK adds its metadata to this error, too.
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

export async function noneIfMissing<Is>(question: () => Promise<Is>): Promise<Is | undefined> {
  try {
    return await question();
  } catch (error) {
    if (/NotFound|NonExistent|DoesNotExist/.test(causeOf(error).name)) return undefined;
    throw error;
  }
}

/** This text tells the user where an answer was expected, what came, and what to do. Undefined for a bug of ours. */
export function describeSilence(thrown: unknown, service: Service): string | undefined {
  const reason = reasonOf(thrown, service);
  if (reason === undefined) return undefined;
  const title = SERVICES[service];
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
