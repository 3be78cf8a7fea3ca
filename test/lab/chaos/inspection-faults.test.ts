import { InspectionFaults } from '../../../lab/chaos/inspection-faults.ts';
import type { InspectedItem } from '../../../lab/chaos/inspection-plan.ts';

const TTL = 1_800_000_000;
const AT = TTL * 1000 + 200;

const item = (overrides: Partial<InspectedItem>): InspectedItem => ({
  id: 'a',
  ttl: TTL,
  olderStamp: false,
  deed: 'none',
  capacity: 'at once',
  ...overrides,
});

function faultsOn(...items: InspectedItem[]) {
  const renewed: string[] = [];
  const faults = new InspectionFaults({
    items,
    busyMs: 10_000,
    renewByASecond: async ({ id }) => renewed.push(id),
  });
  /** The ids that come back unprocessed. */
  const send = async (ids: readonly string[], at = AT) => {
    const keys = ids.map(id => JSON.stringify([{ S: id }, { N: '1' }]));
    const fault = faults.choose({ operation: 'BatchExecuteStatement', body: {}, keys, at });
    await fault?.before?.();
    return fault?.effect.kind === 'leaveOut' ? [...fault.effect.errors.keys()].map(index => ids[index]) : [];
  };
  return { faults, send, renewed };
}

test('every query is answered by an index that is behind', () => {
  const { faults } = faultsOn(item({}));
  const call = { operation: 'Query', body: {}, keys: [], at: AT };
  expect(faults.choose(call)).toMatchObject({ effect: { kind: 'stale' } });
});

test('the plan may look at items, which is no delete of them', async () => {
  const { faults, send } = faultsOn(
    item({ id: 'later', capacity: 'after a while' }),
    item({ id: 'gone', deed: 'deleted' }),
  );
  const keys = ['later', 'gone'].map(id => JSON.stringify({ id: { S: id } }));
  expect(faults.choose({ operation: 'BatchGetItem', body: {}, keys, at: AT })).toBeUndefined();
  expect(faults.notFound).toEqual({ least: 0, most: 0 });
  // Its while begins with the first delete.
  expect(await send(['later'], AT + 10_000)).toEqual(['later']);
});

test('keys are taken at once, the second time, or after a while', async () => {
  const { send } = faultsOn(
    item({ id: 'now' }),
    item({ id: 'again', capacity: 'the second time' }),
    item({ id: 'later', capacity: 'after a while' }),
    item({ id: 'later too', capacity: 'after a while' }),
  );
  expect(await send(['now', 'again', 'later', 'somebody else’s'])).toEqual(['again', 'later']);
  expect(await send(['again', 'later', 'later too'], AT + 9_999)).toEqual(['later', 'later too']);
  expect(await send(['later', 'later too'], AT + 10_000)).toEqual([]);
});

test('says how often deletes of renewed and of deleted items reached DynamoDB', async () => {
  const { faults, send } = faultsOn(
    item({ id: 'renewed', deed: 'renewed' }),
    item({ id: 'deleted', deed: 'deleted' }),
    item({ id: 'plain' }),
  );
  await send(['renewed', 'plain', 'deleted']);
  await send(['renewed']);
  expect(faults.renewed).toEqual({ least: 2, most: 2 });
  expect(faults.notFound).toEqual({ least: 1, most: 1 });
});

test('a delete that came back unprocessed found nothing', async () => {
  const { faults, send } = faultsOn(item({ deed: 'renewed', capacity: 'the second time' }));
  await send(['a']);
  expect(faults.renewed).toEqual({ least: 0, most: 0 });
  await send(['a']);
  expect(faults.renewed).toEqual({ least: 1, most: 1 });
});

describe('an item that is renewed by a second', () => {
  test('is renewed before its first delete, and only then', async () => {
    const { send, renewed } = faultsOn(item({ deed: 'renewed by a second' }), item({ id: 'b' }));
    await send(['b', 'a']);
    expect(renewed).toEqual(['a']);
    await send(['a'], AT + 1000);
    expect(renewed).toEqual(['a']);
  });

  test.each([
    ['in its second', AT, { least: 1, most: 1 }],
    ['at the end of its second', (TTL + 1) * 1000 - 1, { least: 1, most: 1 }],
    ['a second late', (TTL + 1) * 1000, { least: 0, most: 1 }],
  ])('counts as renewed when the delete comes %s', async (_case, at, expected) => {
    const { faults, send } = faultsOn(item({ deed: 'renewed by a second' }));
    expect(faults.renewed).toEqual({ least: 0, most: 0 });
    await send(['a'], at);
    await send(['a'], at + 1000);
    expect(faults.renewed).toEqual(expected);
  });
});
