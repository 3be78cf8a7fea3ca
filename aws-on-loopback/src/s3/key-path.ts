/*
 * Maps a key to a path: its parts between slashes become folders and a file. Characters that a file name cannot contain are written as
 * %XX, so no key leaves its bucket's folder, and each key has its own file.
 */

/** An empty part, as in `a//b` and `a/`. Every other % is followed by two digits. */
const EMPTY = '%';
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNSAFE = /[\u0000-\u001f\u007f%\\:*?"<>|]|^\.|[. ]$/g;

/** @returns the names of the folders and of the file */
export function pathOfKey(key: string): string[] {
  return key.split('/').map(nameOf);
}

/** @returns undefined for a name that no part of a key has, such as `.DS_Store` */
export function partOfName(name: string): string | undefined {
  if (name === EMPTY) return '';
  try {
    const part = decodeURIComponent(name);
    return nameOf(part) === name ? part : undefined;
  } catch {
    return undefined;
  }
}

function nameOf(part: string): string {
  if (part === '') return EMPTY;
  return part.replace(UNSAFE, found => `%${found.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}
