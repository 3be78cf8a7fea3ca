import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { sha256 } from '../../expiry/sha256.ts';
import { utf8 } from '../../expiry/utf8.ts';
import { anyCharacter } from '../support/any-character.ts';

const hex = (bytes: Uint8Array) =>
  sha256(bytes)
    .map(word => word.toString(16).padStart(8, '0'))
    .join('');
const ofNode = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('sha256', () => {
  // Every length around the edges of a block: padding is what differs.
  test.each([0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1000])(
    'of %d bytes is that of Node',
    length => {
      const bytes = Uint8Array.from({ length }, (_unused, index) => index * 7);
      expect(hex(bytes)).toBe(ofNode(bytes));
    },
  );

  test('is that of Node, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), bytes => expect(hex(bytes)).toBe(ofNode(bytes))),
    );
  });
});

describe('utf8', () => {
  test.each([
    ['nothing', ''],
    ['the ends of one byte', '\u0000\u007f'],
    ['the ends of two', '\u0080\u07ff'],
    ['the ends of three', '\u0800\uffff'],
    ['the ends of four', '\u{10000}\u{10ffff}'],
    ['halves of pairs', 'a\ud800b\udc00\udc00\ud800'],
  ])('of %s is that of Node', (_name, text) => expect([...utf8(text)]).toEqual([...Buffer.from(text)]));

  test('is that of Node, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), text => {
        expect([...utf8(text)]).toEqual([...Buffer.from(text)]);
      }),
    );
  });
});
