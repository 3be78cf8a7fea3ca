import { throttledByCapacity, WriteCapacity } from '../../../lab/faults/index.ts';

test('what comes free in a second is shared by all, and little of it is kept', () => {
  const capacity = new WriteCapacity({ unitsPerSecond: 100 });
  const taken = (nowMs: number) => {
    let count = 0;
    while (capacity.take(2, nowMs)) count += 1;
    return count;
  };
  expect(taken(0)).toBe(50);
  expect(taken(100)).toBe(5);
  expect(taken(150)).toBe(2);
  // The odd unit was not lost, and a minute without writes gives no more than a second's worth.
  expect(taken(160)).toBe(1);
  expect(taken(60_000)).toBe(50);
});

test('batches are throttled key by key, single writes whole, reads not at all', () => {
  const choose = throttledByCapacity(new WriteCapacity({ unitsPerSecond: 6 }));
  const call = (operation: string, keys: string[] = []) => choose({ operation, body: {}, keys, at: 0 });
  expect(call('PutItem')).toBeUndefined();
  expect(call('BatchExecuteStatement', ['a', 'b', 'c'])).toEqual({
    name: 'unprocessed',
    effect: { kind: 'leaveOut', errors: new Map([[2, 'ProvisionedThroughputExceeded']]) },
  });
  expect(call('UpdateItem')).toMatchObject({
    effect: { kind: 'refuse', error: 'ProvisionedThroughputExceededException' },
  });
  expect(call('Query')).toBeUndefined();
});
