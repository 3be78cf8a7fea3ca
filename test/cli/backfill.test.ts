/** @jest-environment ./test/support/dynamodb-environment.ts */

import { planBackfill } from '../../cli/backfill.ts';
import { configOf } from '../support/configs.ts';
import { createExpiringTable } from '../support/expiring-table.ts';
import { useLocalDynamoDb } from '../support/local-dynamodb.ts';
import { carriedOut, sessionOf } from '../support/session.ts';

const dynamo = useLocalDynamoDb();

test('it says what it does, and the counts with what is to be done', async () => {
  const table = await createExpiringTable(dynamo.client, { granularityMinutes: 1440, shards: 2 });
  const ttl = Math.floor(Date.now() / 1000) + 3600;
  await table.put([{ id: 'a', ttl }, { id: 'b', ttl }, { id: 'no ttl' }, { id: 'wrong', ttl: ttl * 1000 }]);
  const { tableName } = table.settings;
  const config = configOf({ tableName, partitionKey: 'id' });
  const run = async (dryRun: boolean, signal = new AbortController().signal) => {
    const session = sessionOf({ dynamoDb: dynamo.client }, { signal });
    const plan = await planBackfill({ config, table: undefined, ratePerSecond: 500, dryRun }, session);
    const told = await carriedOut(plan, session);
    return { told, text: session.printed.join('\n'), shown: session.shown };
  };

  const dry = await run(true);
  expect(dry.told).toEqual({ end: 'done' });
  expect(dry.text).toContain('Dry run of a backfill');
  expect(dry.text).toMatch(/items +about 4, as DynamoDB counted them last/);
  expect(dry.text).toMatch(/scanned +4\n {2}to stamp +2 {2}its window would be written \(dry run\)\n/);
  expect(dry.text).toMatch(
    /without TTL +1 {2}.*\n {2}refused: milliseconds +1 {2}the TTL has 13 or 14 digits/,
  );
  expect(dry.text).toContain('mend their writers, then the items (docs/adopt.md).');
  expect(dry.text).toMatch(/Nothing was written\.$/);

  const { told, text, shown } = await run(false);
  expect(told).toEqual({ end: 'done' });
  expect(text).toContain('rate        at most 500 writes a second');
  expect(text).toMatch(/stamped +2 {2}its window was written\n/);
  expect(shown).toContainEqual(expect.stringMatching(/^100 % {2}4 of 4 items.* 2 written$/));

  const stopped = await run(false, AbortSignal.abort());
  expect(stopped.told).toEqual({ end: 'interrupted' });
});
