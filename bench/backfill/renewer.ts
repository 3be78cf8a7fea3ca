import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteCommand, type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { seededRandom } from 'stepfunctions-emulator';
import { withExpiry } from '../../expiry/update.ts';
import { type Filled, TABLE } from './filled.ts';

/** Between two of its writes. */
const PAUSE_MS = 2;
/** It deletes one item of so many, and renews the others. */
const DELETES = 10;

/** An application that goes on using its items: what it wrote last is what must be there. */
export class Renewer {
  renewed = 0;
  deleted = 0;
  readonly #documents: DynamoDBDocumentClient;
  readonly #table: Filled;
  #running = true;

  constructor(documents: DynamoDBDocumentClient, table: Filled) {
    this.#documents = documents;
    this.#table = table;
  }

  stop(): void {
    this.#running = false;
  }

  async run(): Promise<void> {
    const random = seededRandom(1);
    const { ttls, model } = this.#table;
    const ids = [...ttls.keys()];
    for (let turn = 1; this.#running; turn += 1) {
      const id = ids[Math.floor(random.next() * ids.length)] ?? '';
      const ttl = ttls.get(id);
      const key = { TableName: TABLE.tableName, Key: { id } };
      if (ttl !== undefined && turn % DELETES === 0) {
        await this.#documents.send(new DeleteCommand(key));
        ttls.delete(id);
        this.deleted += 1;
      } else if (ttl !== undefined) {
        const expiresAt = ttl + 3600;
        await this.#documents.send(new UpdateCommand(withExpiry(model, key, { expiresAt })));
        ttls.set(id, expiresAt);
        this.renewed += 1;
      }
      await sleep(PAUSE_MS);
    }
  }
}
