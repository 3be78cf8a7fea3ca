import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { ExpiryEvent } from '../../expiry/expiry-event.ts';

/** One event in a call, as its service got it. */
export interface ReceivedEntry {
  readonly event: ExpiryEvent;
  /** The event as it came. */
  readonly text: string;
  /** An entry of PutEvents, SendMessageBatch or PutRecords; empty for a function. */
  readonly entry: Readonly<Record<string, string>>;
}

export interface ReceivedCall {
  readonly service: 'EventBridge' | 'SQS' | 'Lambda' | 'Kinesis';
  readonly entries: readonly ReceivedEntry[];
}

/** What a call is answered with. */
export type Reaction =
  | 'take'
  /** No answer at all. */
  | 'hang'
  /** The connection is closed before an answer, though the events are taken. */
  | 'take and cut'
  /** The whole call fails. */
  | { readonly status: number; readonly error: string }
  /** This is the answer; nothing is taken. */
  | { readonly answer: unknown }
  /** Lambda only: the function throws. */
  | { readonly thrown: string }
  /** Single events are refused. */
  | { readonly refuse: (entry: ReceivedEntry) => Refused | undefined };

export interface Refused {
  readonly code: string;
  readonly message?: string;
}

/** Answers as EventBridge, SQS, Kinesis and Lambda do, on loopback. */
export interface LoopbackDestinations {
  readonly endpoint: string;
  /** Calls since the test began. */
  readonly calls: ReceivedCall[];
  /** Events that were taken, in their order. */
  readonly taken: ReceivedEntry[];
  /** Decides about each call. */
  react: (call: ReceivedCall) => Reaction;
}

export function useLoopbackDestinations(): LoopbackDestinations {
  let server: Server | undefined;
  const destinations: LoopbackDestinations = {
    get endpoint() {
      if (server === undefined) throw new Error('the server is there inside tests and hooks only');
      return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
    },
    calls: [],
    taken: [],
    react: () => 'take',
  };
  beforeAll(async () => {
    server = createServer((request, response) => void answer(request, response, destinations));
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  beforeEach(() => {
    destinations.calls.length = 0;
    destinations.taken.length = 0;
    destinations.react = () => 'take';
  });
  afterAll(() => {
    server?.closeAllConnections();
    server?.close();
  });
  return destinations;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  destinations: LoopbackDestinations,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const call = receive(request, Buffer.concat(chunks).toString());
  destinations.calls.push(call);
  const reaction = destinations.react(call);
  if (reaction === 'hang') return;
  if (typeof reaction === 'object' && 'status' in reaction) {
    response.writeHead(reaction.status, { 'x-amzn-errortype': reaction.error });
    response.end(JSON.stringify({ __type: reaction.error, message: `refused: ${reaction.error}` }));
    return;
  }
  const refused = call.entries.map(entry =>
    typeof reaction === 'object' && 'refuse' in reaction ? reaction.refuse(entry) : undefined,
  );
  const isFunctionsOwn = typeof reaction === 'object' && ('answer' in reaction || 'thrown' in reaction);
  if (!isFunctionsOwn) {
    destinations.taken.push(...call.entries.filter((_entry, index) => refused[index] === undefined));
  }
  if (reaction === 'take and cut') {
    response.destroy();
    return;
  }
  if (typeof reaction === 'object' && 'thrown' in reaction) {
    response.writeHead(200, { 'x-amz-function-error': 'Unhandled' });
    response.end(JSON.stringify({ errorType: 'Error', errorMessage: reaction.thrown }));
    return;
  }
  const body =
    typeof reaction === 'object' && 'answer' in reaction
      ? reaction.answer
      : ANSWERS[call.service](call, refused);
  response.writeHead(200).end(JSON.stringify(body));
}

function receive({ headers, url = '' }: IncomingMessage, body: string): ReceivedCall {
  const target = String(headers['x-amz-target'] ?? '');
  if (target === 'AWSEvents.PutEvents') {
    const { Entries } = JSON.parse(body) as { Entries: Record<string, string>[] };
    return { service: 'EventBridge', entries: Entries.map(entry => received(entry['Detail'] ?? '', entry)) };
  }
  if (target === 'AmazonSQS.SendMessageBatch') {
    const { Entries } = JSON.parse(body) as { Entries: Record<string, string>[] };
    return { service: 'SQS', entries: Entries.map(entry => received(entry['MessageBody'] ?? '', entry)) };
  }
  if (target === 'Kinesis_20131202.PutRecords') {
    const { Records } = JSON.parse(body) as { Records: Record<string, string>[] };
    const textOf = (entry: Record<string, string>) => Buffer.from(entry['Data'] ?? '', 'base64').toString();
    return { service: 'Kinesis', entries: Records.map(entry => received(textOf(entry), entry)) };
  }
  if (/^\/2015-03-31\/functions\/[^/]+\/invocations$/.test(url)) {
    const { events } = JSON.parse(body) as { events: ExpiryEvent[] };
    return { service: 'Lambda', entries: events.map(event => received(JSON.stringify(event), {})) };
  }
  throw new Error(`not expected: ${target} ${url}`);
}

function received(text: string, entry: Record<string, string>): ReceivedEntry {
  return { event: JSON.parse(text) as ExpiryEvent, text, entry };
}

const ANSWERS: Readonly<
  Record<ReceivedCall['service'], (call: ReceivedCall, refused: readonly (Refused | undefined)[]) => object>
> = {
  EventBridge: ({ entries }, refused) => ({
    FailedEntryCount: refused.filter(each => each !== undefined).length,
    Entries: entries.map(({ event }, index) => {
      const why = refused[index];
      return why === undefined
        ? { EventId: event.id }
        : { ErrorCode: why.code, ErrorMessage: why.message ?? why.code };
    }),
  }),
  SQS: ({ entries }, refused) => ({
    Successful: entries.flatMap(({ text, entry: { Id } }, index) =>
      refused[index] === undefined
        ? [{ Id, MessageId: `m${Id}`, MD5OfMessageBody: createHash('md5').update(text).digest('hex') }]
        : [],
    ),
    Failed: entries.flatMap(({ entry: { Id } }, index) => {
      const why = refused[index];
      return why === undefined
        ? []
        : [{ Id, Code: why.code, Message: why.message ?? why.code, SenderFault: true }];
    }),
  }),
  Kinesis: ({ entries }, refused) => ({
    FailedRecordCount: refused.filter(each => each !== undefined).length,
    Records: entries.map((_entry, index) => {
      const why = refused[index];
      return why === undefined
        ? { SequenceNumber: `${index}`, ShardId: 'shardId-000000000000' }
        : { ErrorCode: why.code, ErrorMessage: why.message ?? why.code };
    }),
  }),
  Lambda: ({ entries }, refused) => ({
    batchItemFailures: entries.flatMap(({ event: { id } }, index) =>
      refused[index] === undefined ? [] : [{ itemIdentifier: id }],
    ),
  }),
};
