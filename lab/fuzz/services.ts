import { createHash } from 'node:crypto';
import { type Answer, jsonAnswer } from 'aws-on-loopback/dynamodb/answer';
import type { Followers } from '../ledger/followers.ts';
import { UnknownRequestError } from './partiql.ts';
import { bytesOf, type SdkRequest } from './sdk.ts';

/** S3 and the destinations of events: EventBridge, SQS, Kinesis or a function. Each call is reported to a listener. */
export class Services {
  readonly #followers: Pick<Followers, 'stored' | 'published'>;

  constructor(followers: Pick<Followers, 'stored' | 'published'>) {
    this.#followers = followers;
  }

  answer({ hostname, path, body }: SdkRequest, operation: string): Answer {
    const service = serviceOf(hostname);
    if (service === 's3') return this.#put(path, body);
    const text = bytesOf(body).toString();
    if (service === 'events' && operation === 'PutEvents') return this.#putEvents(text);
    if (service === 'sqs' && operation === 'SendMessageBatch') return this.#sendMessages(text);
    if (service === 'kinesis' && operation === 'PutRecords') return this.#putRecords(text);
    if (service === 'lambda') return this.#invoke(text);
    throw new UnknownRequestError(
      `expected a request that the functions send, got ${operation} of ${hostname}`,
    );
  }

  /** Refuses a call during an outage. */
  refuse({ hostname }: SdkRequest): Answer {
    if (serviceOf(hostname) !== 's3')
      return jsonAnswer({ __type: 'ServiceUnavailable', message: 'injected' }, 503);
    const body = Buffer.from('<Error><Code>SlowDown</Code><Message>injected</Message></Error>');
    return { status: 503, headers: { 'content-type': 'application/xml' }, body };
  }

  #put(path: string, body: string | Uint8Array | undefined): Answer {
    const [, bucket = '', ...rest] = path.split('/');
    const key = decodeURIComponent(rest.join('/'));
    this.#followers.stored(`${bucket}/${key}`, bytesOf(body));
    return { status: 200, headers: { etag: '"0"' }, body: Buffer.alloc(0) };
  }

  #putEvents(text: string): Answer {
    const { Entries } = JSON.parse(text) as { Entries: { Detail: string }[] };
    for (const { Detail } of Entries) this.#followers.published(Detail);
    return jsonAnswer({
      FailedEntryCount: 0,
      Entries: Entries.map((_entry, index) => ({ EventId: `${index}` })),
    });
  }

  #sendMessages(text: string): Answer {
    const { Entries } = JSON.parse(text) as { Entries: { Id: string; MessageBody: string }[] };
    for (const { MessageBody } of Entries) this.#followers.published(MessageBody);
    const Successful = Entries.map(({ Id, MessageBody }) => ({
      Id,
      MessageId: Id,
      MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
    }));
    return jsonAnswer({ Successful, Failed: [] });
  }

  #putRecords(text: string): Answer {
    const { Records } = JSON.parse(text) as { Records: { Data: string }[] };
    for (const { Data } of Records) this.#followers.published(Buffer.from(Data, 'base64').toString());
    return jsonAnswer({
      FailedRecordCount: 0,
      Records: Records.map((_record, index) => ({
        SequenceNumber: `${index}`,
        ShardId: 'shardId-000000000000',
      })),
    });
  }

  #invoke(text: string): Answer {
    const { events } = JSON.parse(text) as { events: object[] };
    for (const event of events) this.#followers.published(JSON.stringify(event));
    return jsonAnswer({});
  }
}

/** The host name for Kinesis contains the account of its stream: `123456789012.data-kinesis.us-east-1.amazonaws.com`. */
function serviceOf(hostname: string): string {
  const [first = '', second] = hostname.split('.');
  return second === 'data-kinesis' ? 'kinesis' : first;
}
