import {
  type DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { LambdaClient, paginateListEventSourceMappings } from '@aws-sdk/client-lambda';
import {
  DeleteBucketPolicyCommand,
  GetBucketPolicyCommand,
  ListBucketsCommand,
  ListObjectVersionsCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import {
  GetQueueAttributesCommand,
  ListQueuesCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { HOLDINGS } from '../../../config/holdings.ts';
import { type EmulatedAws, emulatedClient } from './proof.ts';

/** As the list of what holds something calls them. */
export type HoldingName = keyof typeof HOLDINGS;

/** What something holds, in a form that can be compared; undefined when it holds nothing. */
type Held = string | undefined;

/** How all things of a kind in an account are found, filled, and looked at. */
interface Kind {
  /** Their names. */
  list(): Promise<readonly string[]>;
  look(name: string): Promise<Held>;
  /** Puts something in. Without it, it holds something as soon as it is there. */
  fill?(name: string): Promise<void>;
}

/** Something that holds something. */
export interface HeldThing {
  readonly kind: HoldingName;
  readonly name: string;
  readonly held: string;
}

/** All that is not there any more, or holds something else. */
export function lost(before: readonly HeldThing[], after: readonly HeldThing[]): HeldThing[] {
  return before.filter(
    one => !after.some(({ kind, name, held }) => kind === one.kind && name === one.name && held === one.held),
  );
}

/** Everything in an emulated account that holds something, whoever made it, and whether Terraform still knows it or not. */
export class HeldThings {
  readonly #kinds: Readonly<Record<HoldingName, Kind>>;
  readonly #clients: readonly { destroy(): void }[];

  constructor(aws: EmulatedAws) {
    const config = {
      endpoint: aws.endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    };
    const dynamoDb = emulatedClient(aws);
    const s3 = new S3Client({ ...config, forcePathStyle: true });
    const sqs = new SQSClient(config);
    const lambda = new LambdaClient(config);
    this.#clients = [dynamoDb, s3, sqs, lambda];
    this.#kinds = {
      table: tablesOf(dynamoDb, name => !isJournal(name), KEY),
      journal: tablesOf(dynamoDb, isJournal, { ...KEY, at: { S: KEPT } }),
      bucket: bucketsOf(s3),
      queue: queuesOf(sqs, aws),
      topic: topicsOf(aws),
      logs: logsOf(aws),
      position: positionsOf(lambda),
    };
  }

  /** Puts something into all that is empty. @returns everything that holds something then */
  async fill(): Promise<HeldThing[]> {
    for (const { list, look, fill } of Object.values(this.#kinds)) {
      if (fill === undefined) continue;
      for (const name of await list()) if ((await look(name)) === undefined) await fill(name);
    }
    return this.inventory();
  }

  async inventory(): Promise<HeldThing[]> {
    const inventory: HeldThing[] = [];
    for (const [kind, { list, look }] of Object.entries(this.#kinds) as [HoldingName, Kind][]) {
      for (const name of await list()) {
        const held = await look(name);
        if (held !== undefined) inventory.push({ kind, name, held });
      }
    }
    return inventory;
  }

  destroy(): void {
    for (const client of this.#clients) client.destroy();
  }
}

const KEPT = 'kept';
const KEY = { id: { S: KEPT } };
/** The emulator's. */
const ACCOUNT = '123456789012';

const tableNames = async (dynamoDb: DynamoDBClient) =>
  (await dynamoDb.send(new ListTablesCommand({}))).TableNames ?? [];

const isJournal = (name: string) => name.endsWith('-journal');

/** @param Key that each of these has */
function tablesOf(
  dynamoDb: DynamoDBClient,
  isOne: (name: string) => boolean,
  Key: Readonly<Record<string, { readonly S: string }>>,
): Kind {
  return {
    list: async () => (await tableNames(dynamoDb)).filter(isOne),
    async look(TableName) {
      const { Item } = await dynamoDb.send(new GetItemCommand({ TableName, Key }));
      return Item && JSON.stringify(Item);
    },
    async fill(TableName) {
      await dynamoDb.send(new PutItemCommand({ TableName, Item: Key }));
    },
  };
}

function bucketsOf(s3: S3Client): Kind {
  return {
    list: async () =>
      ((await s3.send(new ListBucketsCommand({}))).Buckets ?? []).map(({ Name = '' }) => Name),
    look: async Bucket => (await s3.send(new ListObjectVersionsCommand({ Bucket }))).Versions?.[0]?.VersionId,
    async fill(Bucket) {
      // The emulator reads no conditions: what is denied without TLS it denies to all.
      const Policy = await policyOf(s3, Bucket);
      await s3.send(new DeleteBucketPolicyCommand({ Bucket }));
      await s3.send(new PutObjectCommand({ Bucket, Key: KEPT, Body: KEPT }));
      if (Policy !== undefined) await s3.send(new PutBucketPolicyCommand({ Bucket, Policy }));
    },
  };
}

async function policyOf(s3: S3Client, Bucket: string): Promise<string | undefined> {
  try {
    return (await s3.send(new GetBucketPolicyCommand({ Bucket }))).Policy;
  } catch (error) {
    if ((error as Error).name === 'NoSuchBucketPolicy') return undefined;
    throw error;
  }
}

function queuesOf(sqs: SQSClient, { endpoint }: EmulatedAws): Kind {
  const urlOf = (name: string) => `${endpoint}/${ACCOUNT}/${name}`;
  return {
    async list() {
      const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
      return QueueUrls.map(url => url.slice(urlOf('').length));
    },
    async look(name) {
      const AttributeNames = ['ApproximateNumberOfMessages' as const];
      const asked = new GetQueueAttributesCommand({ QueueUrl: urlOf(name), AttributeNames });
      const count = (await sqs.send(asked)).Attributes?.['ApproximateNumberOfMessages'];
      return count === '0' ? undefined : count;
    },
    async fill(name) {
      await sqs.send(new SendMessageCommand({ QueueUrl: urlOf(name), MessageBody: KEPT }));
    },
  };
}

/** By SNS's query protocol: this project has no client of it. */
function topicsOf(aws: EmulatedAws): Kind {
  const arnOf = (name: string) => `arn:aws:sns:us-east-1:${ACCOUNT}:${name}`;
  const sns = async (Action: string, parameters: Readonly<Record<string, string>> = {}) =>
    call(aws, 'sns', { body: new URLSearchParams({ Action, Version: '2010-03-31', ...parameters }) });
  const texts = (xml: string, element: string) =>
    [...xml.matchAll(new RegExp(`<${element}>([^<]*)<`, 'g'))].map(([, text = '']) => text);
  return {
    list: async () => texts(await sns('ListTopics'), 'TopicArn').map(arn => arn.slice(arnOf('').length)),
    look: async name =>
      texts(await sns('ListSubscriptionsByTopic', { TopicArn: arnOf(name) }), 'SubscriptionArn')[0],
    async fill(name) {
      await sns('Subscribe', { TopicArn: arnOf(name), Protocol: 'email', Endpoint: 'on-call@example.com' });
    },
  };
}

/** By the JSON protocol of CloudWatch Logs: this project has no client of it. */
function logsOf(aws: EmulatedAws): Kind {
  const logs = async <Answer>(action: string, parameters: object): Promise<Answer> => {
    const headers = {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `Logs_20140328.${action}`,
    };
    return JSON.parse((await call(aws, 'logs', { headers, body: JSON.stringify(parameters) })) || '{}');
  };
  return {
    async list() {
      const { logGroups } = await logs<{ logGroups: { logGroupName: string }[] }>('DescribeLogGroups', {});
      return logGroups.map(({ logGroupName }) => logGroupName);
    },
    async look(logGroupName) {
      const { events } = await logs<{ events: { eventId: string }[] }>('FilterLogEvents', { logGroupName });
      return events[0]?.eventId;
    },
    async fill(logGroupName) {
      const stream = { logGroupName, logStreamName: KEPT };
      await logs('CreateLogStream', stream);
      await logs('PutLogEvents', { ...stream, logEvents: [{ timestamp: Date.now(), message: KEPT }] });
    },
  };
}

/** By the functions that are called. Another reader of a stream begins anew. */
function positionsOf(lambda: LambdaClient): Kind {
  const readers = async () => {
    const found = new Map<string, string>();
    for await (const page of paginateListEventSourceMappings({ client: lambda }, {})) {
      for (const { FunctionArn = '', UUID = '' } of page.EventSourceMappings ?? []) {
        found.set(FunctionArn.split(':')[6] ?? '', UUID);
      }
    }
    return found;
  };
  return { list: async () => [...(await readers()).keys()], look: async name => (await readers()).get(name) };
}

/** The emulator finds the service in the scope of a signature, and looks at nothing else of it. */
async function call(
  { endpoint }: EmulatedAws,
  service: string,
  { headers = {}, body = null }: RequestInit,
): Promise<string> {
  const scope = `local/20260101/us-east-1/${service}/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none`;
  const answer = await fetch(endpoint, { method: 'POST', headers: { ...headers, authorization }, body });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${service}: ${answer.status} ${text}`);
  return text;
}
