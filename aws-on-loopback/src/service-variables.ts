import { requireLoopback } from 'stepfunctions-emulator/loopback';

/** The account of every ARN in the local cloud: the one AWS uses in its examples. */
export const LOCAL_ACCOUNT = '123456789012';

/** Local endpoints of the AWS services besides DynamoDB that functions use. */
export interface ServiceEndpoints {
  readonly s3?: string | undefined;
  readonly sqs?: string | undefined;
  readonly eventBridge?: string | undefined;
  readonly kinesis?: string | undefined;
  readonly lambda?: string | undefined;
}

/** The variables that an AWS SDK reads. Source: AWS SDKs and Tools Reference Guide, "Service-specific endpoints". */
export const SERVICE_VARIABLES = {
  s3: 'AWS_ENDPOINT_URL_S3',
  sqs: 'AWS_ENDPOINT_URL_SQS',
  eventBridge: 'AWS_ENDPOINT_URL_EVENTBRIDGE',
  kinesis: 'AWS_ENDPOINT_URL_KINESIS',
  lambda: 'AWS_ENDPOINT_URL_LAMBDA',
} as const satisfies Readonly<Record<keyof ServiceEndpoints, string>>;

/** Port "discard", on which nothing listens: a call of a service that is not run here fails, and does not leave this machine. */
const NOWHERE = 'http://127.0.0.1:9';

/** Environment variables from which an SDK reads the endpoints. */
export function endpointVariables(endpoints: ServiceEndpoints): Readonly<Record<string, string>> {
  const given = Object.entries(SERVICE_VARIABLES).flatMap(([service, variable]) => {
    const endpoint = endpoints[service as keyof ServiceEndpoints];
    return endpoint === undefined ? [] : [[variable, endpoint] as const];
  });
  return Object.fromEntries(given);
}

/** @throws {NotLoopbackError} for an endpoint that is not on this machine */
export function serviceVariables(endpoints: ServiceEndpoints = {}): Readonly<Record<string, string>> {
  const given = Object.entries(endpointVariables(endpoints)).map(([variable, endpoint]) => [
    variable,
    requireLoopback(endpoint, variable),
  ]);
  return { AWS_ENDPOINT_URL: NOWHERE, ...Object.fromEntries(given) };
}

const QUEUE_URL = /^https:\/\/sqs\.[a-z0-9-]+\.[a-z.]+\/\d{12}\/([A-Za-z0-9_-]{1,80}(?:\.fifo)?)$/;
const BUS_ARN = /^arn:[a-z0-9-]+:events:[a-z0-9-]+:\d{12}:event-bus\/(.+)$/;

/** Returns the queue in a URL of SQS; undefined for any other text. */
export const queueIn = (text: string): string | undefined => QUEUE_URL.exec(text)?.[1];

const STREAM_ARN = /^arn:aws[a-z-]*:kinesis:[a-z0-9-]+:\d{12}:stream\/([A-Za-z0-9_.-]{1,128})$/;

/** Returns the Kinesis stream in an ARN; undefined for any other text. */
export const streamIn = (text: string): string | undefined => STREAM_ARN.exec(text)?.[1];

/** Returns the bus in a name or an ARN. */
export const busIn = (text: string): string => BUS_ARN.exec(text)?.[1] ?? text;

/**
 * Replaces the URLs and ARNs of queues and buses in the environment by their local ones, as there is one account and region here. An SDK
 * sends a message to the host in the queue's URL, whatever its endpoint is.
 */
export function withLocalNames(
  environment: Readonly<Record<string, string>>,
  sqsEndpoint: string | undefined,
): Readonly<Record<string, string>> {
  const local = (value: string): string => {
    const queue = queueIn(value);
    return queue === undefined ? busIn(value) : localQueueUrl(sqsEndpoint ?? NOWHERE, queue);
  };
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, local(value)]));
}

export function localQueueUrl(sqsEndpoint: string, queue: string): string {
  return `${sqsEndpoint}/${LOCAL_ACCOUNT}/${queue}`;
}
