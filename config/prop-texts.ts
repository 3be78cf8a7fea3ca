import { readFileSync } from 'node:fs';
import { PROP_NAMES } from './props.ts';

/** What is said of a field, in documents and editors. */
export interface FieldText {
  readonly text: string;
  /** What stands after `@default`. */
  readonly byDefault: string | undefined;
}

/**
 * What `config/props.ts` says of each prop of a table: the comments of the list, which editors show too. So a prop is
 * described in one place.
 *
 * @throws TypeError for a prop without a comment
 */
export function propTexts(): Readonly<Record<string, FieldText>> {
  const source = readFileSync(new URL('./props.ts', import.meta.url), 'utf8');
  const list = source.slice(source.indexOf('export const PROPS = {'));
  return Object.fromEntries(PROP_NAMES.map(name => [name, textAbove(`${name}: `, list, 'config/props.ts')]));
}

/** What `config/config.ts` says of each field of a deployment. */
export function deploymentTexts(fields: readonly string[]): Readonly<Record<string, FieldText>> {
  const source = readFileSync(new URL('./config.ts', import.meta.url), 'utf8');
  const list = source.slice(source.indexOf('export interface DeploymentConfig '));
  return Object.fromEntries(
    fields.map(name => [name, textAbove(`readonly ${name}`, list, 'config/config.ts')]),
  );
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
