/** @jest-environment ./test/support/dynamodb-environment.ts */
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { PreciseTtlProps } from '../../config/props.ts';
import { expiryAttributes } from '../../expiry/attributes.ts';
import { withExpiry } from '../../expiry/update.ts';
import { sumOfItems } from '../../statemachine/backfill-counts.ts';
import { type Item, useLocalSweep } from '../support/local-sweep.ts';

/*
 * The deployed backfill: the synthesized state machine, the bundled functions, DynamoDB Local.
 */

const TABLE = {
  tableName: 'Backfilled',
  partitionKey: 'id',
  index: { shards: 3, backfill: true },
} as const satisfies PreciseTtlProps;

/** Called before a call of the function, and with what it came to; set by each test. */
let crashes = 0;

const local = useLocalSweep([TABLE], {
  functions: {
    maxConcurrency: 2,
    async wrap({ functionName }, next) {
      const result = await next();
      if (!functionName.endsWith('backfill-segment') || crashes === 0) return result;
      crashes -= 1;
      return { ok: false, errorType: 'Runtime.ExitError', errorMessage: 'the process died' };
    },
  },
});

const NOW = Math.floor(Date.now() / 1000);
const ITEMS = 600;
const id = (index: number) => `item-${index}`;
const items = Array.from({ length: ITEMS }, (_unused, index) => ({ id: id(index), ttl: NOW + 7200 + index }));
const update = (request: ConstructorParameters<typeof UpdateCommand>[0]) =>
  local.documents.send(new UpdateCommand(request));

/** Items whose window is not the one of the TTL that they have. */
async function wrong(): Promise<Item[]> {
  const model = local.model(TABLE.tableName);
  return (await local.scan(TABLE.tableName)).filter(item => {
    const expiresAt = Number(item['ttl']);
    return item['expirationWindow'] !== expiryAttributes(model, item, { expiresAt })['expirationWindow'];
  });
}

test('while a renewer runs nothing is overwritten, and interrupted and run again it comes to the same end', async () => {
  await local.put(TABLE.tableName, items);
  const model = local.model(TABLE.tableName);
  const renewed = new Map<string, number>();
  let renewing = true;
  const renewer = (async () => {
    for (let turn = 0; renewing; turn = (turn + 7) % ITEMS) {
      // However slow the machine is, the backfill has something left to stamp.
      if (turn % 3 === 0) continue;
      const ttl = NOW + 90_000 + renewed.size;
      const key = { TableName: TABLE.tableName, Key: { id: id(turn) } };
      await update(withExpiry(model, key, { expiresAt: ttl }));
      renewed.set(id(turn), ttl);
    }
  })();

  const input = { segments: 4, ratePerSecond: 400 };
  const first = await local.backfill(TABLE.tableName, input, execution =>
    setTimeout(() => execution.stop('Stopped', 'by the test'), 700),
  );
  expect(first.execution.status).toBe('ABORTED');
  crashes = 2;
  const { execution, report } = await local.backfill(TABLE.tableName, input);
  renewing = false;
  await renewer;

  expect(execution.status).toBe('SUCCEEDED');
  expect(report).toMatchObject({ segmentsIncomplete: 0, scanned: ITEMS, withoutTtl: 0, failed: 0 });
  expect(sumOfItems(report)).toBe(ITEMS);
  expect(report.stamped).toBeGreaterThan(0);
  expect(report.rightAlready).toBeGreaterThan(0);
  expect(renewed.size).toBeGreaterThan(50);
  const ttls = new Map((await local.scan(TABLE.tableName)).map(item => [item['id'], item['ttl']]));
  for (const { id: key, ttl } of items) expect(ttls.get(key)).toBe(renewed.get(key) ?? ttl);
  expect(await wrong()).toEqual([]);
});

test('what it stamped is found and deleted by a sweep', async () => {
  const expired = { id: 'expired', ttl: NOW - 300 };
  await local.put(TABLE.tableName, [expired]);
  const span = {
    from: new Date((NOW - 600) * 1000).toISOString(),
    to: new Date((NOW - 60) * 1000).toISOString(),
  };
  expect((await local.sweep(TABLE.tableName, span)).report).toMatchObject({ found: 0 });
  await local.backfill(TABLE.tableName, { segments: 2, ratePerSecond: 5000 });
  expect((await local.sweep(TABLE.tableName, span)).report).toMatchObject({ found: 1, deleted: 1 });
});
