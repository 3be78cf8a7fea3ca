import { randomUUID } from 'node:crypto';
import {
  DeleteTableCommand,
  DescribeTableCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import { localDynamoDb } from '../../local/dynamodb/clients.ts';
import type { DynamoDbEndpoint } from '../../local/dynamodb/dynamodb-local.ts';
import { TableMismatchError } from '../../local/errors.ts';

/** Leaves room for the rest of the name: DynamoDB takes 255 characters. */
const MAX_PREFIX_LENGTH = 220;

/** A name for the table of one run. It is unique, so the sweep cannot delete items of anybody else. */
export function ownTableName(tableName: string): string {
  return `${tableName.slice(0, MAX_PREFIX_LENGTH)}-demo-${randomUUID().slice(0, 8)}`;
}

/**
 * The table of one run in a DynamoDB that may belong to somebody else: it did not exist before, and is removed after the run with its items
 * and its stream. If the process ends before that, a message says so.
 */
export class OwnTable {
  readonly #dynamoDb: DynamoDbEndpoint;
  readonly #name: string;
  readonly #client: ReturnType<typeof localDynamoDb>;
  /** Tables of this process that are not removed yet: one listener for all of them, since Node warns of more than ten. */
  static readonly #reserved = new Set<OwnTable>();
  static readonly #sayLeft = () => {
    for (const own of OwnTable.#reserved)
      console.error(own.#left('this was stopped before it could remove it'));
  };

  private constructor(dynamoDb: DynamoDbEndpoint, name: string, region: string) {
    this.#dynamoDb = dynamoDb;
    this.#name = name;
    this.#client = localDynamoDb(dynamoDb.endpoint, region);
  }

  /**
   * Makes sure that no table has this name. It does not create the table.
   * @throws {TableMismatchError} if there is such a table
   */
  static async reserve(dynamoDb: DynamoDbEndpoint, name: string, region: string): Promise<OwnTable> {
    const own = new OwnTable(dynamoDb, name, region);
    try {
      await own.#client.send(new DescribeTableCommand({ TableName: name }));
    } catch (error) {
      if (error instanceof ResourceNotFoundException) {
        // A DynamoDB Local of our own is stopped as a whole.
        if (!dynamoDb.startedHere) {
          if (OwnTable.#reserved.size === 0) process.on('exit', OwnTable.#sayLeft);
          OwnTable.#reserved.add(own);
        }
        return own;
      }
      own.#client.destroy();
      throw error;
    }
    own.#client.destroy();
    throw new TableMismatchError(
      `table "${name}": expected none at ${dynamoDb.endpoint}, where this run makes its own, got one; nothing was touched, run it again`,
    );
  }

  /**
   * Deletes the table. Safe to call more than once.
   * @returns a sentence if it could not be deleted
   */
  async remove(): Promise<string | undefined> {
    OwnTable.#reserved.delete(this);
    if (OwnTable.#reserved.size === 0) process.off('exit', OwnTable.#sayLeft);
    try {
      if (!this.#dynamoDb.startedHere) {
        await this.#client.send(new DeleteTableCommand({ TableName: this.#name }));
      }
    } catch (error) {
      // The table may not have been created yet.
      if (!(error instanceof ResourceNotFoundException)) return this.#left(String(error));
    } finally {
      this.#client.destroy();
    }
    return undefined;
  }

  #left(why: string): string {
    return (
      `the table "${this.#name}" of this run is left at ${this.#dynamoDb.endpoint} (${why}); remove it: ` +
      `aws dynamodb delete-table --table-name ${this.#name} --endpoint-url ${this.#dynamoDb.endpoint}`
    );
  }
}
