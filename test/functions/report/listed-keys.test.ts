import fc from 'fast-check';
import { firstThatFit, jsonBytes, listFailedKeys } from '../../../functions/report/listed-keys.ts';
import type { FailedKey } from '../../../statemachine/contract/keys.ts';
import { anyCharacter } from '../../support/any-character.ts';

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
});

const attribute = fc.oneof(
  fc.string({ maxLength: 700, unit: anyCharacter }).map(S => ({ S })),
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
        for (const [index, each] of listed.entries()) {
          if (each.keyStart === undefined) expect(each).toEqual(all[index]);
          else {
            const { keyStart } = each;
            expect([index, JSON.stringify(all[0]?.key).startsWith(keyStart)]).toEqual([0, true]);
            expect([keyStart.isWellFormed(), keyStart.length > 20]).toEqual([true, true]);
          }
        }
      },
    ),
  );
});

test('a key that does not fit is listed by its beginning, as long as fits: half of the key to the byte, a quarter with a byte less', () => {
  const key = { id: { S: 'x'.repeat(400) } };
  const json = JSON.stringify(key);
  const half = json.slice(0, Math.floor(json.length / 2));
  const fits = jsonBytes([{ keyStart: half, reason: 'Unprocessed' }]) + 1; // the comma that may follow
  const startWithin = (bytes: number) => listFailedKeys([{ key, reason: 'Unprocessed' }], bytes)[0]?.keyStart;
  expect(startWithin(fits)).toBe(half);
  expect(startWithin(fits - 1)).toBe(json.slice(0, Math.floor(half.length / 2)));
});
