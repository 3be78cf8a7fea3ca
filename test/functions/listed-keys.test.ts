import fc from 'fast-check';
import { firstThatFit, jsonBytes, listFailedKeys } from '../../functions/lib/listed-keys.ts';
import type { FailedKey, ItemKey } from '../../statemachine/contract.ts';

const failed = (text: string): FailedKey => ({ key: { id: { S: text } }, reason: 'ValidationError' });

describe('lists', () => {
  const three = ['a', 'b', 'c'].map(failed);

  test.each([
    ['all that fit', jsonBytes(three), 3],
    ['one fewer when a byte is missing', jsonBytes(three) - 1, 2],
    ['none', 2, 0],
  ])('%s', (_name, bytes, expected) => {
    expect(firstThatFit(three, bytes + 1)).toHaveLength(expected);
  });

  test('twenty at the most', () => {
    expect(firstThatFit(new Array(30).fill(failed('a')), 30_000)).toHaveLength(20);
  });

  test('by bytes, not by characters', () => {
    const wide = [failed('語'.repeat(100)), failed('語'.repeat(100))];
    expect(firstThatFit(wide, JSON.stringify(wide).length)).toHaveLength(0);
    expect(firstThatFit(wide, jsonBytes(wide))).toHaveLength(1);
  });
});

const attribute = fc.oneof(
  fc.string({ maxLength: 700, unit: 'binary' }).map(S => ({ S })),
  fc.uint8Array({ maxLength: 2048 }).map(bytes => ({ B: Buffer.from(bytes).toString('base64') })),
  fc.bigInt({ min: 0n, max: 10n ** 38n - 1n }).map(N => ({ N: String(N) })),
);
const anyKey = fc.record({ partition: attribute, sort: attribute });

test('of failed keys the first is always listed, and whatever is listed fits', () => {
  fc.assert(
    fc.property(
      fc.array(anyKey, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 225, max: 9000 }),
      (keys, bytes) => {
        const all = keys.map((key): FailedKey => ({ key, reason: 'ValidationError' }));
        const listed = listFailedKeys(all, bytes);
        expect(listed.length).toBeGreaterThanOrEqual(1);
        expect(jsonBytes(listed)).toBeLessThanOrEqual(bytes);
        for (const [index, { shortened, ...whole }] of listed.entries()) {
          if (shortened) expect(index).toBe(0);
          else expect(whole).toEqual(all[index]);
        }
      },
    ),
  );
});

test.each<[string, ItemKey, ItemKey]>([
  ['the beginning of a string', { id: { S: 'x'.repeat(900) } }, { id: { S: 'x'.repeat(128) } }],
  ['no half characters', { id: { S: '😀'.repeat(400) } }, { id: { S: '😀'.repeat(32) } }],
  ['whole bytes', { id: { B: Buffer.alloc(900, 1).toString('base64') } }, { id: { B: 'AQEB'.repeat(32) } }],
])('a key that does not fit is shortened to %s', (_name, key, expected) => {
  expect(listFailedKeys([{ key, reason: 'Unprocessed' }], 225)).toEqual([
    { key: expected, reason: 'Unprocessed', shortened: true },
  ]);
});
