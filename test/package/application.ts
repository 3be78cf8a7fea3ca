/**
 * An application, as the tests of this folder compile, bundle and run it with the packed package: under every module
 * setting, by old and new compilers, without the SDK's types. Prints what it got as JSON.
 */
import {
  type ExpiryModel,
  type ExpiryOptions,
  expiryAttributes,
  expiryModel,
  isExpired,
  notExpired,
  PreciseTtlError,
  type TableModels,
  unlessExpired,
  withExpiry,
  withoutExpired,
} from 'precise-ttl';
import { InvalidTtlError, windowKey } from 'precise-ttl/data-model';

declare const console: { log(text: string): void };

interface Session {
  UserName: string;
  SessionId: string;
  ttl?: number;
}

/** As the document client has it. */
interface UpdateInput {
  TableName: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: as the document client has it
  Key: Record<string, any> | undefined;
  UpdateExpression?: string | undefined;
  ExpressionAttributeNames?: Record<string, string> | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: as the document client has it
  ExpressionAttributeValues?: Record<string, any> | undefined;
}

/** As the low-level client has it. */
type AttributeValue = { S: string; N?: never } | { S?: never; N: string };

const nowMs = 1658266020500;
const now = Math.floor(nowMs / 1000);
const sessions: ExpiryModel = expiryModel({ partitionKey: 'UserName', sortKey: 'SessionId', shards: 7 });
const session: Session = { UserName: 'alice', SessionId: 'a' };
const options: ExpiryOptions = { ttlSeconds: 60, nowMs };

const update: UpdateInput = { TableName: 't', Key: session };
const renewed: UpdateInput = withExpiry(sessions, update, options);
const live: Session | undefined = unlessExpired(sessions, { ...session, ttl: now + 1 }, { nowMs });
const image: Record<string, AttributeValue> = { UserName: { S: 'alice' }, ttl: { N: String(now) } };

/** As the SDK's clients are: what they send can have an answer. */
class Client {
  readonly middlewareStack = {
    names: [] as string[],
    add(_middleware: unknown, { name }: { name: string }) {
      this.names.push(name);
    },
    clone() {
      return { ...this, names: [...this.names] };
    },
  };
  send(): string {
    return 'sent';
  }
}
const tables: TableModels = { Sessions: sessions, Users: null };
const reader: Client = withoutExpired(new Client(), tables, { now: () => nowMs });

const refused = (attempt: () => unknown): string => {
  try {
    attempt();
    return 'not refused';
  } catch (error) {
    return error instanceof PreciseTtlError && error instanceof InvalidTtlError
      ? error.message
      : 'by another error';
  }
};

export function misuse(): void {
  // @ts-expect-error: many items
  expiryAttributes(sessions, [session]);
  // @ts-expect-error: the props are not the model
  expiryAttributes({ partitionKey: 'UserName' }, session);
  // @ts-expect-error: the output of a Get instead of its Item
  unlessExpired(sessions, { $metadata: {}, Item: session });
  // @ts-expect-error: a Put reads nothing
  notExpired(sessions, { TableName: 't', Item: session });
  // @ts-expect-error: the input of a Put
  withExpiry(sessions, { TableName: 't', Item: session });
  // @ts-expect-error: a model belongs to a table
  withoutExpired(new Client(), sessions);
  // @ts-expect-error: no client
  withoutExpired({ TableName: 't' }, tables);
  // @ts-expect-error: a field that a model does not have
  expiryModel({ partitionKey: 'id', ttlAtribute: 'x' });
}

console.log(
  JSON.stringify({
    stamped: expiryAttributes(sessions, session, options),
    renewed,
    filtered: notExpired(sessions, { TableName: 't' }, { nowMs }),
    live,
    expired: unlessExpired(sessions, image, { nowMs }) ?? null,
    isExpired: isExpired({ N: String(now) }, now),
    reader: { middleware: reader.middlewareStack.names, sent: reader.send() },
    window: windowKey(now - (now % 60), 60),
    refused: refused(() => expiryAttributes(sessions, session, { expiresAt: nowMs, nowMs })),
  }),
);
