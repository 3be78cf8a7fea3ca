import { Accounts, Attempts, type Ended, tooMany } from '../../../lab/ledger/accounts.ts';

const REPORT = { found: 11, deleted: 6, renewed: 2, held: 1, notFound: 1, failed: 1, retries: 4 };

function ended(overrides: Partial<Ended> = {}): Ended {
  return { name: 'x', status: 'SUCCEEDED', error: undefined, text: JSON.stringify(REPORT), ...overrides };
}

test('adds up what executions say, also of those that left something', () => {
  const accounts = new Accounts();
  accounts.add(ended());
  accounts.add(ended({ status: 'FAILED', error: 'SweepIncompleteError' }));
  accounts.add(ended({ status: 'FAILED', error: 'DynamoDbBusyError', text: 'throttled' }));
  accounts.add(ended({ status: 'ABORTED', text: undefined }));
  const unrecorded = JSON.stringify({ tables: {}, notRecorded: 'JournalUnwritableError' });
  accounts.add(ended({ status: 'FAILED', error: 'SweepIncompleteError', text: unrecorded }));
  expect(accounts.wrong).toEqual([]);
  expect(accounts.totals).toEqual({
    found: 22,
    deleted: 12,
    renewed: 4,
    held: 2,
    notFound: 2,
    failed: 2,
    retries: 8,
  });
  expect(Object.fromEntries(accounts.endings)).toEqual({
    SUCCEEDED: 1,
    SweepIncompleteError: 2,
    DynamoDbBusyError: 1,
    ABORTED: 1,
  });
});

test.each([
  [
    'counts that do not add up',
    { ...REPORT, deleted: 7 },
    'x found 11, but deleted 7 + renewed 2 + held 1 + notFound 1 + failed 1 = 12',
  ],
  ['a missing count', { ...REPORT, failed: undefined }, '= NaN'],
  ['no report at all', 'oh', 'without a report'],
])('finds %s', (_case, report, message) => {
  const accounts = new Accounts();
  accounts.add(ended({ text: JSON.stringify(report) }));
  expect(accounts.wrong).toEqual([expect.stringContaining(message)]);
});

test.each([
  ['as many as there can be', { deleted: 6, renewed: 2, notFound: 1 }, []],
  [
    'more deleted than went',
    { deleted: 5 },
    ["say deleted 6, but by the table's stream it is 5 at the most"],
  ],
  [
    'more renewed and gone',
    { renewed: 1, notFound: 0 },
    ['say renewed 2, but by the application', 'say notFound 1, but by what was gone'],
  ],
])('holds counts against what they can be: %s', (_case, most, sentences) => {
  const accounts = new Accounts();
  accounts.add(ended());
  expect(tooMany(accounts.totals, most)).toEqual(
    sentences.map(sentence => expect.stringContaining(sentence)),
  );
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
  attempts.add({ operation: 'BatchWriteItem', body: {}, keys: ['{"id":{"S":"gone"}}'], at: 6 });
  // A poll that finds it held counts it too, and does not try to delete it.
  const keys = ['held', 'gone'].map(id => `{"id":{"S":"${id}"}}`);
  attempts.add({ operation: 'BatchGetItem', body: {}, keys, at: 5 });
  const most = attempts.most({
    mayBeRenewed: (id, at) => id === 'renewed' && at >= 1,
    mayBeHeld: id => id === 'held',
    mayBeGone: (id, at) => id === 'gone' && at >= 5,
  });
  expect(most).toEqual({ renewed: 2, held: 2, notFound: 2 });
});
