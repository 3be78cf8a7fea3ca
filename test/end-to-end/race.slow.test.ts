/** @jest-environment ./test/support/dynamodb-environment.ts */
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expiryAttributes } from '../../expiry/attributes.ts';
import { withExpiry } from '../../expiry/update.ts';
import { useLocalSweep } from '../support/local-sweep.ts';

const MODES = ['guarded', 'batch'] as const;

/** What happens between the query and the delete; set by each test. */
let meanwhile: () => Promise<void> = async () => undefined;

const local = useLocalSweep(
  MODES.map(deleteMode => ({
    tableName: `Race-${deleteMode}`,
    partitionKey: 'id',
    index: { shards: 1 },
    deleteMode,
  })),
  {
    functions: {
      maxConcurrency: 2,
      // By the time DeleteChunk is called the query has found its keys: whatever happens here, it has not seen.
      async wrap({ functionName }, next) {
        if (functionName === 'precise-ttl-delete-chunk') await meanwhile();
        return next();
      },
    },
  },
);

const EXPIRED = Math.floor(Date.now() / 1000) - 300;
const REPLAY = {
  from: new Date((EXPIRED - 60) * 1000).toISOString(),
  to: new Date((EXPIRED + 60) * 1000).toISOString(),
};

async function raceIn(tableName: string) {
  const model = local.model(tableName);
  const ids = ['stays expired', 'renewed', 'made permanent'];
  await local.put(
    tableName,
    ids.map(id => ({ id, ...expiryAttributes(model, { id }, { expiresAt: EXPIRED }) })),
  );
  const update = (id: string, ttlSeconds: number) =>
    local.documents.send(
      new UpdateCommand(withExpiry(model, { TableName: tableName, Key: { id } }, { ttlSeconds })),
    );
  meanwhile = async () => {
    await update('renewed', 3600);
    await update('made permanent', 0);
  };
  return local.sweep(tableName, REPLAY);
}

test('guarded: an item renewed, or freed of its TTL, between query and delete survives', async () => {
  const { execution, report } = await raceIn('Race-guarded');
  expect(execution.status).toBe('SUCCEEDED');
  expect(report).toMatchObject({ found: 3, deleted: 1, renewed: 2, notFound: 0, failed: 0 });
  expect((await local.scan('Race-guarded')).map(({ id }) => id).sort()).toEqual([
    'made permanent',
    'renewed',
  ]);
});

// The same race without the guard: it shows that the race is real, and what batch mode is not for.
test('batch: the same items are lost', async () => {
  const { report } = await raceIn('Race-batch');
  expect(report).toMatchObject({ found: 3, deleted: 3, renewed: 0 });
  const { Item } = await local.documents.send(
    new GetCommand({ TableName: 'Race-batch', Key: { id: 'renewed' } }),
  );
  expect(Item).toBeUndefined();
});
