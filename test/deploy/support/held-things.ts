import {
  DescribeTimeToLiveCommand,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { LambdaClient, paginateListEventSourceMappings, paginateListFunctions } from '@aws-sdk/client-lambda';
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
import type { HOLDINGS } from '../../../stacks/holdings.ts';
import { type EmulatedAws, emulatedClient } from './proof.ts';

/** As the list of what holds something calls them. */
export type HoldingName = keyof typeof HOLDINGS;

/** What something holds, in a form that can be compared; undefined when it holds nothing yet. */
type Held = string | undefined;

/** Something in an account that can hold something: how it is found, filled, and looked at. */
interface Kind {
  /** All that there are. */
  list(): Promise<readonly string[]>;
  look(id: string): Promise<Held>;
  /** Puts something in. Without it, it holds something as soon as it is there. */
  fill?(id: string): Promise<void>;
}

/** Something that holds something. */
export interface HeldThing {
  readonly kind: HoldingName;
  readonly id: string;
  readonly held: string;
}

/** All that is not there any more, or holds something else. */
export function lost(before: readonly HeldThing[], after: readonly HeldThing[]): HeldThing[] {
  return before.filter(
    one => !after.some(({ kind, id, held }) => kind === one.kind && id === one.id && held === one.held),
  );
}

const KEPT = 'kept';
const KEY = { id: { S: KEPT } };

/** Everything in an emulated account that holds something, whoever made it, and whether Terraform still knows it or not. */
export class HeldThings {
  readonly #kinds: Readonly<Record<HoldingName, Kind>>;
  readonly #clients: readonly { destroy(): void }[];
  readonly #endpoint: string;
  /** Tables and the attributes that their items were ever held by. */
  readonly #holds = new Set<string>();

  constructor(aws: EmulatedAws) {
    const config = {
      endpoint: aws.endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    };
    this.#endpoint = aws.endpoint;
    const dynamoDb = emulatedClient(aws);
    const s3 = new S3Client({ ...config, forcePathStyle: true });
    const sqs = new SQSClient(config);
    const lambda = new LambdaClient(config);
    this.#clients = [dynamoDb, s3, sqs, lambda];

    /** Event source mappings by the functions that they call. */
    const readers = async () => {
      const found = new Map<string, string>();
      for await (const page of paginateListEventSourceMappings({ client: lambda }, {})) {
        for (const { FunctionArn = '', UUID = '' } of page.EventSourceMappings ?? []) {
          found.set(FunctionArn.split(':')[6] ?? '', UUID);
        }
      }
      return found;
    };
    /** By table that is swept: the attribute that holds its items; empty without one. */
    const deletesOf = async () => {
      const found = new Map<string, string>();
      for await (const { Functions = [] } of paginateListFunctions({ client: lambda }, {})) {
        for (const { FunctionName = '', Environment } of Functions) {
          const { TABLE_NAME: table = '', HOLD_ATTRIBUTE: attribute = '' } = Environment?.Variables ?? {};
          if (FunctionName.endsWith('-delete-chunk')) found.set(table, attribute);
        }
      }
      return found;
    };

    this.#kinds = {
      table: {
        list: async () => (await dynamoDb.send(new ListTablesCommand({}))).TableNames ?? [],
        look: async TableName => {
          const { Item } = await dynamoDb.send(new GetItemCommand({ TableName, Key: KEY }));
          return Item && JSON.stringify(Item);
        },
        fill: async TableName => {
          const Item = { ...KEY, legalHold: { S: 'case 4711' } };
          await dynamoDb.send(new PutItemCommand({ TableName, Item }));
        },
      },
      bucket: {
        list: async () =>
          ((await s3.send(new ListBucketsCommand({}))).Buckets ?? []).map(({ Name }) => Name ?? ''),
        look: async Bucket =>
          (await s3.send(new ListObjectVersionsCommand({ Bucket }))).Versions?.[0]?.VersionId,
        fill: async Bucket => {
          // The emulator reads no conditions: what is denied without TLS it denies to all.
          const { Policy } = await s3.send(new GetBucketPolicyCommand({ Bucket }));
          await s3.send(new DeleteBucketPolicyCommand({ Bucket }));
          await s3.send(new PutObjectCommand({ Bucket, Key: KEPT, Body: KEPT }));
          await s3.send(new PutBucketPolicyCommand({ Bucket, Policy }));
        },
      },
      queue: {
        list: async () => (await sqs.send(new ListQueuesCommand({}))).QueueUrls ?? [],
        look: async QueueUrl => {
          const asked = new GetQueueAttributesCommand({
            QueueUrl,
            AttributeNames: ['ApproximateNumberOfMessages'],
          });
          const count = (await sqs.send(asked)).Attributes?.['ApproximateNumberOfMessages'];
          return count === '0' ? undefined : count;
        },
        fill: async QueueUrl => {
          await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: KEPT }));
        },
      },
      topic: {
        list: async () => every(await this.#sns('ListTopics'), 'TopicArn'),
        look: async TopicArn =>
          every(await this.#sns('ListSubscriptionsByTopic', { TopicArn }), 'SubscriptionArn')[0],
        fill: async TopicArn => {
          await this.#sns('Subscribe', { TopicArn, Protocol: 'email', Endpoint: 'on-call@example.com' });
        },
      },
      logs: {
        list: async () => {
          const { logGroups } = await this.#logs<{ logGroups: { logGroupName: string }[] }>(
            'DescribeLogGroups',
            {},
          );
          return logGroups.map(({ logGroupName }) => logGroupName);
        },
        look: async logGroupName => {
          const { events } = await this.#logs<{ events: { message: string; eventId: string }[] }>(
            'FilterLogEvents',
            { logGroupName },
          );
          return events[0] && `${events[0].eventId} ${events[0].message}`;
        },
        fill: async logGroupName => {
          const stream = { logGroupName, logStreamName: KEPT };
          await this.#logs('CreateLogStream', stream);
          await this.#logs('PutLogEvents', {
            ...stream,
            logEvents: [{ timestamp: Date.now(), message: KEPT }],
          });
        },
      },
      position: {
        list: async () => [...(await readers()).keys()],
        // Another reader begins anew.
        look: async name => (await readers()).get(name),
      },
      hold: {
        list: async () => {
          for (const [table, attribute] of await deletesOf()) {
            if (attribute !== '') this.#holds.add(`${table} by ${attribute}`);
          }
          return [...this.#holds];
        },
        // Neither a sweep nor native TTL deletes what has the attribute; without a function nothing sweeps.
        look: async hold => {
          const [TableName = '', attribute = ''] = hold.split(' by ');
          const { TimeToLiveDescription: ttl } = await dynamoDb.send(
            new DescribeTimeToLiveCommand({ TableName }),
          );
          const isSwept = ((await deletesOf()).get(TableName) ?? attribute) !== attribute;
          return isSwept || ttl?.TimeToLiveStatus !== 'DISABLED' ? undefined : 'held';
        },
      },
    };
  }

  /** Puts something into all that is empty. @returns everything that holds something then */
  async fill(): Promise<HeldThing[]> {
    for (const { list, look, fill } of Object.values(this.#kinds)) {
      if (fill === undefined) continue;
      for (const id of await list()) if ((await look(id)) === undefined) await fill(id);
    }
    return this.inventory();
  }

  async inventory(): Promise<HeldThing[]> {
    const inventory: HeldThing[] = [];
    for (const [kind, { list, look }] of Object.entries(this.#kinds) as [HoldingName, Kind][]) {
      for (const id of await list()) {
        const held = await look(id);
        if (held !== undefined) inventory.push({ kind, id, held });
      }
    }
    return inventory;
  }

  destroy(): void {
    for (const client of this.#clients) client.destroy();
  }

  /** SNS in its query protocol. @returns XML */
  async #sns(Action: string, parameters: Readonly<Record<string, string>> = {}): Promise<string> {
    const body = new URLSearchParams({ Action, Version: '2010-03-31', ...parameters });
    return this.#call('sns', { body });
  }

  async #logs<Answer>(action: string, parameters: object): Promise<Answer> {
    const headers = {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `Logs_20140328.${action}`,
    };
    return JSON.parse((await this.#call('logs', { headers, body: JSON.stringify(parameters) })) || '{}');
  }

  /** Of services that this project has no client of. The emulator finds the service in the scope of the signature, and checks no more. */
  async #call(service: string, { headers = {}, body }: RequestInit): Promise<string> {
    const scope = `local/20260101/us-east-1/${service}/aws4_request`;
    const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none`;
    const answer = await fetch(this.#endpoint, {
      method: 'POST',
      headers: { ...headers, authorization },
      body: body ?? null,
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${service}: ${answer.status} ${text}`);
    return text;
  }
}

/** The texts of all elements of a name. */
function every(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text = '']) => text);
}
