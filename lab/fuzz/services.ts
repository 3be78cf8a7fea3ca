import { createHash } from 'node:crypto';
import type { ArchiveLine } from '../../functions/archive/archive-line.ts';
import type { CopyLine, MarkLine } from '../../functions/delete-chunk/copies.ts';
import type { ItemImage } from '../../functions/stream/event.ts';
import { type Answer, jsonAnswer } from '../../local/dynamodb/answer.ts';
import { linesOf } from '../archive/archived-objects.ts';
import { itemText } from '../archive/item-text.ts';
import { lifeId } from '../archive/life.ts';
import { UnknownRequestError } from './partiql.ts';
import { bytesOf, type SdkRequest } from './sdk.ts';

/** An image that lies in S3, before the item's deletion. */
export interface StoredCopy {
  /** When S3 had it, among everything that happens in a run. */
  readonly turn: number;
  readonly item: ItemImage;
  readonly text: string;
}

/** An event as its destination got it. */
export interface Published {
  readonly id: string;
  readonly key: ItemImage;
  readonly expiredAt: string | null;
  readonly oldImage?: ItemImage;
}

export interface Archived {
  readonly key: string;
  readonly text: string;
  readonly removal: string;
}

/** S3, and where events go: EventBridge, SQS, Kinesis or a function. Keeps what reaches it. */
export class Services {
  /** By the stream's event id. */
  readonly archived = new Map<string, Archived[]>();
  readonly copies = new Map<string, StoredCopy[]>();
  readonly published: Published[] = [];
  /** Lines that are no JSON, and other things that nobody should have stored; each a sentence. */
  readonly unreadable: string[] = [];
  readonly #nextTurn: () => number;
  readonly #objects = new Set<string>();

  constructor(nextTurn: () => number) {
    this.#nextTurn = nextTurn;
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

  /** Too busy. */
  refuse({ hostname }: SdkRequest): Answer {
    if (serviceOf(hostname) !== 's3')
      return jsonAnswer({ __type: 'ServiceUnavailable', message: 'injected' }, 503);
    const body = Buffer.from('<Error><Code>SlowDown</Code><Message>injected</Message></Error>');
    return { status: 503, headers: { 'content-type': 'application/xml' }, body };
  }

  #put(path: string, body: string | Uint8Array | undefined): Answer {
    const [, bucket = '', ...rest] = path.split('/');
    const key = decodeURIComponent(rest.join('/'));
    // An object that is put again is the same: its name is made of what is in it.
    if (!this.#objects.has(key)) this.#take(`${bucket}/${key}`, bytesOf(body));
    this.#objects.add(key);
    return { status: 200, headers: { etag: '"0"' }, body: Buffer.alloc(0) };
  }

  #take(key: string, body: Uint8Array): void {
    try {
      if (key.includes('/before_deletion/')) this.#takeCopies(key, body);
      else if (key.includes('/kept/')) linesOf<MarkLine>(key, body);
      else this.#takeRemovals(key, body);
    } catch (error) {
      this.unreadable.push(`${key}: ${error}`);
    }
  }

  #takeCopies(object: string, body: Uint8Array): void {
    const turn = this.#nextTurn();
    for (const { line } of linesOf<CopyLine>(object, body)) {
      push(this.copies, lifeId(line.key, line.expiredAt), {
        turn,
        item: line.item,
        text: itemText(line.item),
      });
    }
  }

  #takeRemovals(object: string, body: Uint8Array): void {
    for (const { line } of linesOf<ArchiveLine>(object, body)) {
      const archived = { key: itemText(line.key), text: itemText(line.item), removal: line.removal };
      push(this.archived, line.id, archived);
    }
  }

  #putEvents(text: string): Answer {
    const { Entries } = JSON.parse(text) as { Entries: { Detail: string }[] };
    for (const { Detail } of Entries) this.published.push(JSON.parse(Detail) as Published);
    return jsonAnswer({
      FailedEntryCount: 0,
      Entries: Entries.map((_entry, index) => ({ EventId: `${index}` })),
    });
  }

  #sendMessages(text: string): Answer {
    const { Entries } = JSON.parse(text) as { Entries: { Id: string; MessageBody: string }[] };
    for (const { MessageBody } of Entries) this.published.push(JSON.parse(MessageBody) as Published);
    const Successful = Entries.map(({ Id, MessageBody }) => ({
      Id,
      MessageId: Id,
      MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
    }));
    return jsonAnswer({ Successful, Failed: [] });
  }

  #putRecords(text: string): Answer {
    const { Records } = JSON.parse(text) as { Records: { Data: string }[] };
    for (const { Data } of Records)
      this.published.push(JSON.parse(Buffer.from(Data, 'base64').toString()) as Published);
    return jsonAnswer({
      FailedRecordCount: 0,
      Records: Records.map((_record, index) => ({
        SequenceNumber: `${index}`,
        ShardId: 'shardId-000000000000',
      })),
    });
  }

  #invoke(text: string): Answer {
    const { events } = JSON.parse(text) as { events: Published[] };
    this.published.push(...events);
    return jsonAnswer({});
  }
}

/** Kinesis is asked by the account of its stream: `123456789012.data-kinesis.us-east-1.amazonaws.com`. */
function serviceOf(hostname: string): string {
  const [first = '', second] = hostname.split('.');
  return second === 'data-kinesis' ? 'kinesis' : first;
}

function push<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}
