/** @jest-environment ./test/support/dynamodb-environment.ts */
import {
  BatchExecuteStatementCommand,
  type BatchExecuteStatementCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import type { PutObject } from '../../../functions/archive/s3.ts';
import type { CopyArchive } from '../../../functions/delete-chunk/archive-first.ts';
import type { CopyLine } from '../../../functions/delete-chunk/copies.ts';
import { deleteChunk } from '../../../functions/delete-chunk/handler.ts';
import { retryChunk } from '../../../functions/retry/chunk-retry.ts';
import type { ItemImage } from '../../../functions/stream/event.ts';
import type { Documents } from '../../../functions/table/dynamodb.ts';
import { copyFaults, type DeletedItem, linesOf, storedLines } from '../../../lab/ledger/copies.ts';
import type { Chunk } from '../../../statemachine/contract/chunks.ts';
import { addCounts, CHUNK_COUNTS, noCounts, sumOfFates } from '../../../statemachine/counts.ts';
import { useCopyArchive } from '../../support/copy-archive.ts';
import { createExpiringTable, type ExpiringTable } from '../../support/expiring-table.ts';
import { useLocalDynamoDb } from '../../support/local-dynamodb.ts';

const dynamo = useLocalDynamoDb();
const s3 = useCopyArchive();

const CUTOFF = Date.parse('2026-11-20T09:00:30Z') / 1000;
const clock = () => CUTOFF * 1000 + 250;
const IDS = ['a', 'b', 'c'];

/** What an application does to an item. */
const CHANGES = {
  renew: (table: ExpiringTable, id: string) => update(table, id, 'SET #name = :value', 'ttl', CUTOFF + 60),
  change: (table: ExpiringTable, id: string) => update(table, id, 'SET #name = :value', 'n', 2),
  /** Expired still, as of another day. */
  predate: (table: ExpiringTable, id: string) =>
    update(table, id, 'SET #name = :value', 'ttl', CUTOFF - 90_000),
  add: (table: ExpiringTable, id: string) => update(table, id, 'SET #name = :value', 'added', 1),
  remove: (table: ExpiringTable, id: string) =>
    table.documents.send(new DeleteCommand({ TableName: table.settings.tableName, Key: { id } })),
  writeAgain: (table: ExpiringTable, id: string) =>
    table.documents.send(
      new PutCommand({ TableName: table.settings.tableName, Item: { id, ttl: CUTOFF + 60, n: 3 } }),
    ),
} as const;
type ChangeName = keyof typeof CHANGES;

async function update(
  table: ExpiringTable,
  id: string,
  UpdateExpression: string,
  name: string,
  value: unknown,
) {
  const request = new UpdateCommand({
    TableName: table.settings.tableName,
    Key: { id },
    UpdateExpression,
    // What somebody has removed stays away.
    ConditionExpression: 'attribute_exists(id)',
    ExpressionAttributeNames: { '#name': name },
    ExpressionAttributeValues: { ':value': value },
  });
  await table.documents.send(request).catch((error: Error) => {
    if (error.name !== 'ConditionalCheckFailedException') throw error;
  });
}

interface Story {
  /** Boundaries of calls, counted over all attempts, at which the process dies. */
  readonly kills: readonly number[];
  readonly changes: readonly { readonly at: number; readonly id: string; readonly change: ChangeName }[];
}

interface Deleted extends DeletedItem {
  /** Objects whose put S3 had answered when the delete was sent. */
  readonly answered: readonly string[];
  /** The process died before the call was over. */
  wasKilled: boolean;
}

class Killed extends Error {}

/** The calls of one story: before and behind each of them the process may die, and something may happen to an item. */
class Boundaries {
  readonly deleted: Deleted[] = [];
  isKilled = false;
  #count = 0;
  readonly #story: Story;
  readonly #change: (id: string, change: ChangeName) => Promise<unknown>;

  constructor(story: Story, change: (id: string, change: ChangeName) => Promise<unknown>) {
    this.#story = story;
    this.#change = change;
  }

  /** A process that is dead makes no further call, whatever its code would do about errors. */
  async pass(): Promise<void> {
    if (this.isKilled) throw new Killed();
    const at = this.#count;
    this.#count += 1;
    for (const each of this.#story.changes) if (each.at === at) await this.#change(each.id, each.change);
    if (!this.#story.kills.includes(at)) return;
    this.isKilled = true;
    for (const deleted of this.deleted) deleted.wasKilled = true;
    throw new Killed();
  }

  documents(real: Documents): Documents {
    const send = async (...args: Parameters<Documents['send']>) => {
      await this.pass();
      const answered = [...s3.answered];
      const answer = await real.send(...args);
      if (args[0] instanceof BatchExecuteStatementCommand) {
        const { Responses = [] } = answer as unknown as BatchExecuteStatementCommandOutput;
        for (const { Error: error, Item } of Responses) {
          if (error !== undefined || Item === undefined) continue;
          const item = Item as ItemImage;
          const expiredAt = new Date(Number((item['ttl'] as { N: string }).N) * 1000).toISOString();
          this.deleted.push({
            key: { id: item['id'] } as ItemImage,
            expiredAt,
            item,
            answered,
            wasKilled: false,
          });
        }
      }
      await this.pass();
      return answer;
    };
    return { send: send as Documents['send'] };
  }

  put(real: PutObject): PutObject {
    return async (object, options) => {
      await this.pass();
      await real(object, options);
      await this.pass();
    };
  }
}

let stories = 0;

/** Plays a story as the state machine does, and says what it came to. */
async function play(table: ExpiringTable, story: Story) {
  stories += 1;
  const names = IDS.map(id => `${stories}-${id}`);
  await table.put(names.map(id => ({ id, ttl: CUTOFF, n: 1 })));
  const boundaries = new Boundaries(story, (id, change) => CHANGES[change](table, `${stories}-${id}`));
  const folder = `story-${stories}/`;
  const { settings, put } = s3.archive;
  const archive: CopyArchive = { settings: { ...settings, archivePrefix: folder }, put: boundaries.put(put) };
  const runtime = { ...table.runtime, clock, documents: boundaries.documents(table.documents) };

  let counts = noCounts(CHUNK_COUNTS);
  let chunk: Chunk = {
    next: 'delete',
    until: null,
    timeoutSeconds: 15,
    deadline: new Date(clock() + 60_000).toISOString(),
    cutoff: CUTOFF,
    once: false,
    keys: names.map(id => ({ key: { id: { S: id } }, ttl: CUTOFF })),
    progress: null,
  };
  for (let calls = 0; chunk.next !== 'done' && calls < 10; calls += 1) {
    const given = chunk;
    const call = deleteChunk({ chunk: given, now: new Date(clock()).toISOString() }, runtime, archive);
    const answer = await call.catch((error: unknown) => {
      if (!boundaries.isKilled) throw error;
    });
    if (answer !== undefined && !boundaries.isKilled) {
      chunk = answer;
      continue;
    }
    // The machine has the chunk as it was; QueryExpired counts what it had come to, and lets it be tried again.
    boundaries.isKilled = false;
    if (given.progress !== null) counts = addCounts(CHUNK_COUNTS, counts, given.progress);
    const error = 'Runtime.ExitError';
    chunk = retryChunk({ ...given, error }, clock(), table.settings, () => 0) as Chunk;
  }
  if (chunk.progress !== null) counts = addCounts(CHUNK_COUNTS, counts, chunk.progress);
  return { counts, left: chunk.keys, deleted: boundaries.deleted, objects: await s3.objects(folder) };
}

const withoutAdded = ({ item, ...each }: DeletedItem): DeletedItem => {
  const { added: _added, ...rest } = item as Record<string, never>;
  return { ...each, item: rest };
};

/** What no story may break. */
async function check(table: ExpiringTable, story: Story): Promise<void> {
  const { counts, left, deleted, objects } = await play(table, story);
  expect(left).toEqual([]);
  expect(sumOfFates({ ...counts, failed: 0 })).toBe(IDS.length);
  for (const each of deleted) {
    // Nothing is deleted that was not in the archive when the delete was sent; what no condition can see may be missing there.
    const before = [...objects].filter(([key]) => each.answered.includes(key));
    const missing = [each, withoutAdded(each)].map(
      item => copyFaults(storedLines(before), [item]).deletedWithoutCopy.length,
    );
    expect({ key: each.key, missing: Math.min(...missing) }).toEqual({ key: each.key, missing: 0 });
  }
  const faults = copyFaults(storedLines(objects), deleted);
  // What the application deleted itself stands in the stream. A copy with a TTL that was set back in between has another time of expiry
  // than the index had, by which the retry marks: docs/archive-and-events.md says so.
  const excused = (key: CopyLine['key']) => has(story, 'remove', key) || has(story, 'predate', key);
  expect(faults.keptWithoutMark.filter(({ key }) => !excused(key))).toEqual([]);
  expect(faults.deletedWithoutCopy.filter(each => !(each as Deleted).wasKilled)).toEqual([]);
}

function has({ changes }: Story, wanted: ChangeName, key: CopyLine['key']): boolean {
  const { S: name } = key['id'] as { S: string };
  return changes.some(({ id, change }) => change === wanted && name.endsWith(`-${id}`));
}

let table: ExpiringTable;
beforeEach(async () => {
  table = await createExpiringTable(dynamo.client);
});

/** A read, a put, a delete and a mark, each with a boundary before and behind it; then a retry begins. */
const BOUNDARIES = 8;
const EACH = Array.from({ length: BOUNDARIES + 1 }, (_unused, at) => at);

test.each(EACH)(
  'killed at boundary %i, with an item renewed after the read, the put and the delete',
  async kill => {
    for (const at of [1, 3, 5])
      await check(table, { kills: [kill], changes: [{ at, id: 'a', change: 'renew' }] });
  },
);

test('marks what two calls copied, each with other items beside it', async () => {
  const changes = [
    { at: 1, id: 'b', change: 'predate' },
    { at: 10, id: 'a', change: 'writeAgain' },
  ] as const;
  await check(table, { kills: [3], changes });
});

test('killed up to three times, with whatever an application does meanwhile', async () => {
  const story = fc.record<Story>({
    kills: fc.uniqueArray(fc.nat(2 * BOUNDARIES), { maxLength: 3 }),
    changes: fc.array(
      fc.record({
        at: fc.nat(2 * BOUNDARIES),
        id: fc.constantFrom(...IDS),
        change: fc.constantFrom(...(Object.keys(CHANGES) as ChangeName[])),
      }),
      { maxLength: 4 },
    ),
  });
  await fc.assert(
    fc.asyncProperty(story, each => check(table, each)),
    { numRuns: 40 },
  );
});

test('an order of calls that is wrong is seen', async () => {
  const { deleted, objects } = await play(table, { kills: [], changes: [] });
  expect(deleted).toHaveLength(IDS.length);
  expect(linesOf([...objects.values()][0] as Buffer)).toHaveLength(IDS.length);
  const early = deleted.map(each => ({ ...each, answered: [] }));
  for (const each of early) {
    const before = [...objects].filter(([key]) => each.answered.some(name => name === key));
    expect(copyFaults(storedLines(before), [each]).deletedWithoutCopy).toEqual([each]);
  }
});
