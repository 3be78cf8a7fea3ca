import { Books } from '../../../lab/archive/books.ts';

const TTL = 1_000;
const life = (version: number) => ({ id: `a ${version}`, text: `text ${version}` });
const during = (sentAt: number, answeredAt = sentAt + 10) => ({ sentAt, answeredAt });

function books(): Books {
  const kept = new Books();
  kept.written('a', life(1), TTL);
  return kept;
}

const balanceOf = (kept: Books, alive: readonly string[] = []) => {
  const { expired, userDeleted } = kept.balance(new Set(alive), 5_000_000);
  return { expired: [...expired.keys()], userDeleted: [...userDeleted.keys()] };
};

test('what is gone after its expiry has expired, and what is in the table has not', () => {
  expect(balanceOf(books())).toEqual({ expired: ['a 1'], userDeleted: [] });
  expect(balanceOf(books(), ['a 1'])).toEqual({ expired: [], userDeleted: [] });
});

test.each([
  [during(900_000), { expired: [], userDeleted: ['a 1'] }],
  [during(1_000_000), { expired: ['a 1'], userDeleted: [] }],
])('a delete is an expiry from the expiry on: %j', (moment, balance) => {
  const kept = books();
  kept.deleted('a', moment);
  expect(balanceOf(kept)).toEqual(balance);
});

test('refuses a delete around the expiry, of which nobody can tell', () => {
  expect(() => books().deleted('a', during(999_995))).toThrow(
    'a: expected a delete before its expiry or after it',
  );
});

test('a renewal ends the life before it and leaves nothing of it behind', () => {
  const kept = books();
  kept.written('a', life(2), 9_000);
  expect(balanceOf(kept, ['a 2'])).toEqual({ expired: [], userDeleted: [] });
  expect(kept.lost(new Set(), 5_000_000)).toEqual(['a 2']);
  expect(kept.lost(new Set(['a 2']), 5_000_000)).toEqual([]);
});

test('a user who comes after the sweep finds what has expired', () => {
  const kept = books();
  kept.swept('a');
  expect(balanceOf(kept)).toEqual({ expired: ['a 1'], userDeleted: [] });
});

test('what has expired and is there is left', () => {
  expect(books().left(new Set(['a 1']), 1_000_000)).toEqual(['a 1']);
  expect(books().left(new Set(['a 1']), 999_999)).toEqual([]);
  expect(books().left(new Set(), 1_000_000)).toEqual([]);
});
