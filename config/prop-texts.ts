import { readFileSync } from 'node:fs';
import { GROUP_NAMES } from './prop-groups.ts';
import { PROP_NAMES } from './props.ts';

/** The description of a field, for the documents. */
export interface FieldText {
  readonly text: string;
  /** The text after `@default`. */
  readonly byDefault: string | undefined;
}

/**
 * The descriptions of props, of their fields and of the groups: the comments in their lists, which editors show too. So each prop is
 * described only once.
 *
 * @throws TypeError for a prop without a comment
 */
export function propTexts(): Readonly<Record<string, FieldText>> {
  return {
    ...textsOf(PROP_NAMES, './props.ts', 'export const PROPS = {'),
    ...textsOf(GROUP_NAMES, './prop-groups.ts', 'export const GROUPS = {'),
  };
}

function textsOf(names: readonly string[], file: string, begin: string): Readonly<Record<string, FieldText>> {
  const source = readFileSync(new URL(file, import.meta.url), 'utf8');
  const list = source.slice(source.indexOf(begin));
  return Object.fromEntries(names.map(name => [name, textAbove(`${name}: `, list, `config/${file}`)]));
}

function textAbove(begin: string, list: string, file: string): FieldText {
  const comment = new RegExp(String.raw`/\*\*((?:(?!\*/).)*)\*/\n  ${begin}`, 's').exec(list)?.[1];
  if (comment === undefined) throw new TypeError(`${file}: expected a comment above ${begin}`);
  const [text = '', byDefault] = comment
    .replaceAll(/\s*\n\s*\* ?/g, ' ')
    .trim()
    .split(/\s*@default\s+/);
  return { text, byDefault };
}
