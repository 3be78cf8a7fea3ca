import { readFileSync } from 'node:fs';
import { isObject } from '../../expiry/fields.ts';
import { plainDecimal } from '../../expiry/plain-decimal.ts';
import type { KeyNames } from '../../expiry/shard.ts';
import { keyAttributeNames } from '../../functions/table/item-key.ts';
import type { ItemKey } from '../../statemachine/contract.ts';
import { FlagError } from '../flags.ts';

/**
 * Keys by a text that is the same for the same key, however its numbers and bytes are written: `1.0` is the number `1`.
 */
export type WantedKeys = ReadonlyMap<string, ItemKey>;

/**
 * Reads `--keys` or `--keys-file`: keys in DynamoDB JSON, as logs and reports have them.
 *
 * @param names the attributes of a key
 * @throws {FlagError}
 */
export function readWantedKeys(
  flags: { readonly keys: string | undefined; readonly 'keys-file': string | undefined },
  names: KeyNames,
): WantedKeys {
  const { keys, 'keys-file': file } = flags;
  if ((keys === undefined) === (file === undefined)) {
    const got = keys === undefined ? 'neither' : 'both';
    throw new FlagError(`--keys: expected it or --keys-file, got ${got}; write one of them`);
  }
  const flag = keys === undefined ? 'keys-file' : 'keys';
  const values = keys === undefined ? valuesOfFile(file ?? '') : listOf(parsed(flag, keys));
  const wanted = new Map<string, ItemKey>();
  for (const value of values) {
    const id = keyId(value, names);
    if (id === undefined) {
      throw new FlagError(
        `--${flag}: expected keys such as ${exampleOf(names)}, got ${JSON.stringify(value)}; write DynamoDB JSON with the table's own key attributes and no others`,
      );
    }
    wanted.set(id, value as ItemKey);
  }
  if (wanted.size > 0) return wanted;
  throw new FlagError(`--${flag}: expected at least one key such as ${exampleOf(names)}, got none`);
}

/** The text of a key; undefined for what is no key of the table. */
export function keyId(value: unknown, names: KeyNames): string | undefined {
  if (!isObject(value)) return undefined;
  const attributes = keyAttributeNames(names);
  if (Object.keys(value).length !== attributes.length) return undefined;
  const parts = attributes.map(name => (Object.hasOwn(value, name) ? attributeId(value[name]) : undefined));
  return parts.includes(undefined) ? undefined : JSON.stringify(parts);
}

function attributeId(value: unknown): readonly [string, string] | undefined {
  if (!isObject(value)) return undefined;
  const [[type, content] = [], ...others] = Object.entries(value);
  if (typeof content !== 'string' || content === '' || others.length > 0) return undefined;
  if (type === 'S') return [type, content];
  if (type === 'B') return [type, Buffer.from(content, 'base64').toString('base64')];
  const digits = type === 'N' ? plainDecimal(content) : undefined;
  return digits === undefined ? undefined : ['N', digits];
}

function exampleOf(names: KeyNames): string {
  return JSON.stringify(Object.fromEntries(keyAttributeNames(names).map(name => [name, { S: '…' }])));
}

/** A file has one list, or one key on each line. */
function valuesOfFile(file: string): readonly unknown[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new FlagError(`--keys-file: expected a file that can be read, got "${file}" (${code})`);
  }
  if (text.trimStart().startsWith('[')) return listOf(parsed('keys-file', text));
  const lines = text.split('\n').filter(line => line.trim() !== '');
  return lines.map(line => parsed('keys-file', line));
}

function parsed(flag: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text;
    throw new FlagError(
      `--${flag}: expected JSON, got ${shown}; quote it for your shell, or use --keys-file`,
    );
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}
