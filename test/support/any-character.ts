import fc from 'fast-check';

const SURROGATES_FROM = 0xd800;
const SURROGATES = 0x800;

/**
 * Any character of Unicode but the halves of pairs: a `unit` for `fc.string`. It draws what fast-check's own `'binary'` draws;
 * that one makes a map of all 1,112,064 characters before the first text, in every test file anew.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES })
  .map(nth => String.fromCodePoint(nth < SURROGATES_FROM ? nth : nth + SURROGATES), toNth);

/** fast-check asks which texts of its own, such as `__proto__`, are made of these characters. */
function toNth(text: unknown): number {
  const [character = '', ...more] = String(text);
  const code = character.codePointAt(0);
  if (code === undefined || more.length > 0) throw new Error('not one character');
  return code < SURROGATES_FROM ? code : code - SURROGATES;
}
