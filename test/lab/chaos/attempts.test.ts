import { Attempts, idsIn } from '../../../lab/chaos/attempts.ts';

test.each([
  ['the parameters of a statement', 'BatchExecuteStatement', '[{"S":"item-1"},{"N":"1800000000"},{"N":"1"}]'],
  ['a key of a batch', 'BatchWriteItem', '{"id":{"S":"item-1"}}'],
])('finds the id in %s', (_case, operation, key) => {
  expect(idsIn({ operation, keys: [key] })).toEqual(['item-1']);
});

test('whoever reads items is not about to delete them', () => {
  expect(idsIn({ operation: 'BatchGetItem', keys: ['{"id":{"S":"item-1"}}'] })).toEqual([]);
});

test('adds up what may have been renewed and what may have been gone, delete by delete', () => {
  const attempts = new Attempts();
  const call = (at: number, ...ids: string[]) =>
    attempts.add({
      operation: 'BatchExecuteStatement',
      body: {},
      keys: ids.map(id => `[{"S":"${id}"}]`),
      at,
    });
  call(1, 'renewed', 'gone', 'plain', 'held');
  call(5, 'renewed', 'gone');
  // A poll that finds it held counts it too, and does not try to delete it.
  const keys = ['held', 'gone'].map(id => `{"id":{"S":"${id}"}}`);
  attempts.add({ operation: 'BatchGetItem', body: {}, keys, at: 5 });
  const most = attempts.most({
    mayBeRenewed: (id, at) => id === 'renewed' && at >= 1,
    mayBeHeld: id => id === 'held',
    mayBeGone: (id, at) => id === 'gone' && at >= 5,
  });
  expect(most).toEqual({ renewed: 2, held: 2, notFound: 1 });
});
