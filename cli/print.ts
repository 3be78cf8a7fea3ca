/**
 * Characters that a terminal interprets instead of showing: control and format characters, such as those that reverse the
 * direction of text, and separators of lines and paragraphs. Line feeds are allowed, because our own texts contain them.
 */
const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Makes a text safe for a terminal: special characters in keys, names or foreign errors are shown and have no effect. They are
 * escaped as in JSON, so that JSON keeps its value.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, character =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

/** Writes lines to stdout. The linter requires that every command prints with this or with {@link printError}. */
export function print(text: string): void {
  console.log(printable(text));
}

/** Writes lines to stderr. */
export function printError(text: string): void {
  console.error(printable(text));
}

/** Characters of a long key that are shown: from its beginning, and from its end, where similar keys differ. */
const KEY_START = 160;
const KEY_END = 40;

/** A key for a person. Keys can have 2 KB: a long one is shortened, and its length is shown. The files of `--json` have the whole key. */
export function shortKey(text: string): string {
  if (text.length <= KEY_START + KEY_END) return text;
  const length = text.length.toLocaleString('en-US');
  return `${text.slice(0, KEY_START)}… (${length} characters) …${text.slice(-KEY_END)}`;
}
