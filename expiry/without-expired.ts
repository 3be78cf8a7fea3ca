import { clockSeconds } from './clock.ts';
import { InvalidArgumentError, InvalidRequestError } from './errors.ts';
import { checkOptions, isObject } from './fields.ts';
import { filteredRead, type Tables, tableNameOf } from './filtered-reads.ts';
import { checkModel, type ExpiryModel } from './model.ts';
import type { Fields } from './requests.ts';

/** The document client or the low-level client of the AWS SDK for JavaScript v3. */
export interface SdkClient {
  readonly middlewareStack: object;
  readonly send: unknown;
}

/** The model of each table by the table's name; null for a table whose items do not expire. */
export type TableModels = Readonly<Record<string, ExpiryModel | null>>;

export interface FilterOptions {
  /** Returns the current time, epoch milliseconds. @default Date.now */
  readonly now?: () => number;
}

const OPTIONS = ['now'] as const satisfies (keyof FilterOptions)[];

interface Stack {
  clone(): Stack;
  /** Lists the stack's middleware: texts that begin with a name. Missing in SDKs before 2023. Source: @smithy/types, MiddlewareStack. */
  identify?(): readonly string[];
  add(middleware: Middleware, options: Readonly<Record<string, string>>): void;
}
interface Call {
  readonly input: Fields;
}
interface Result {
  readonly output: Fields;
}
type Next = (call: Call) => Promise<Result>;
type Middleware = (next: Next, context: { readonly commandName?: string }) => Next;

const FILTER_NAME = 'preciseTtlWithoutExpired';

/**
 * Makes a client whose Query, Scan, Get, BatchGet and TransactGet return no expired items. The given client does not change. A page of
 * results can be empty although more pages follow. A read of a secondary index without the TTL fails or returns expired items.
 * @param models each table that is read, e.g. `{ Sessions: expiryModel({ partitionKey: 'id' }), Users: null }`
 * @throws InvalidArgumentError for a wrong argument, and for a client that this function returned; InvalidModelError for a wrong model.
 * A read that cannot be filtered (by PartiQL, or of a table that is not in `models`) fails with an InvalidRequestError before it is sent
 */
export function withoutExpired<Client extends SdkClient>(
  client: Client,
  models: TableModels,
  options: FilterOptions = {},
): Client {
  checkClient(client);
  checkModels(models);
  checkOptions(options, OPTIONS);
  const { now = Date.now } = options;
  if (typeof now !== 'function') {
    throw new InvalidArgumentError({
      field: 'now',
      expected: 'a function that gives epoch milliseconds',
      got: now,
      remedy: 'Pass Date.now, or leave it out.',
    });
  }
  const stack = (client.middlewareStack as Stack).clone();
  addFilter(stack, {
    ttlAttributeOf: tableName => ttlAttributeOf(models, tableName),
    cutoff: () => clockSeconds(now(), 'now()'),
  });
  // Cached handlers contain the middleware of the old stack: with these handlers, the new client would not filter.
  return Object.assign(Object.create(Object.getPrototypeOf(client)), client, {
    middlewareStack: stack,
    handlers: undefined,
  }) as Client;
}

function addFilter(stack: Stack, tables: Tables): void {
  stack.add(
    (next, { commandName }) =>
      async call => {
        const read = filteredRead(commandName, call.input, tables);
        if (read === undefined) return next(call);
        const result = await next({ ...call, input: read.request });
        return { ...result, output: read.answer(result.output) };
      },
    { step: 'initialize', priority: 'high', name: FILTER_NAME },
  );
  // Other middleware may have removed the TTL attribute from the request. Without the TTL an expired item would not be recognized.
  stack.add(
    (next, { commandName }) =>
      async call => {
        const read = filteredRead(commandName, call.input, tables);
        if (read === undefined || !read.isAdded) return next(call);
        throw new InvalidRequestError({
          field: 'request',
          expected: 'the TTL attribute among what is read, as it was added',
          got: call.input,
          remedy:
            'Update @aws-sdk/lib-dynamodb to 3.778.0 or later, which sends what a middleware adds; if it is, look for another ' +
            'middleware that replaces the request.',
        });
      },
    { step: 'build', name: 'preciseTtlAsksForTtl' },
  );
}

function ttlAttributeOf(models: TableModels, tableName: unknown): string | null {
  const name = typeof tableName === 'string' ? tableNameOf(tableName) : '';
  const model = Object.hasOwn(models, name) ? models[name] : undefined;
  if (model !== undefined) return model?.ttlAttribute ?? null;
  throw new InvalidRequestError({
    field: 'TableName',
    expected: `one of the tables that withoutExpired was given (${Object.keys(models).join(', ')})`,
    got: tableName,
    remedy: 'Add it there with its model, or with null if its items do not expire.',
  });
}

function checkClient(client: unknown): void {
  const stack = isObject(client) ? client['middlewareStack'] : undefined;
  const isClient =
    isObject(client) &&
    typeof client['send'] === 'function' &&
    isObject(stack) &&
    typeof stack['clone'] === 'function' &&
    typeof stack['add'] === 'function';
  const refuse = (expected: string, got: unknown, remedy: string): never => {
    throw new InvalidArgumentError({ field: 'client', expected, got, remedy });
  };
  if (!isClient) {
    // The error shows only the class of `client`, because the fields can contain credentials.
    const got = isObject(client) ? `an object of ${client.constructor?.name ?? 'no class'}` : client;
    refuse(
      'a DynamoDBDocumentClient of the AWS SDK for JavaScript v3',
      got,
      'Pass DynamoDBDocumentClient.from(client).',
    );
  }
  if ((stack as unknown as Stack).identify?.().some(name => name.startsWith(FILTER_NAME))) {
    refuse(
      'a client whose reads are not filtered yet',
      'one that withoutExpired has returned, or one that was made from it',
      'Name all tables in one call.',
    );
  }
}

function checkModels(models: unknown): void {
  if (!isObject(models) || Object.keys(models).length === 0 || 'granularitySeconds' in models) {
    throw new InvalidArgumentError({
      field: 'models',
      expected: 'the models of the tables by their names',
      got: models,
      remedy: 'Write { Sessions: model }, with the name of your table.',
    });
  }
  for (const [name, model] of Object.entries(models)) {
    if (name !== tableNameOf(name)) {
      throw new InvalidArgumentError({
        field: `models[${JSON.stringify(name)}]`,
        expected: 'the name of a table',
        got: name,
        remedy: `Write ${tableNameOf(name)}: it also stands for the ARN.`,
      });
    }
    if (model !== null) checkModel(model, `models.${name}`);
  }
}
