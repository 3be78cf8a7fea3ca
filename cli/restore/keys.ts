import { readFileSync } from 'node:fs';
import type { KeyNames } from '../../expiry/shard.ts';
import { ALL_TIME, type ExpirySpan, wantedKeys } from '../../operate/restore/wanted-keys.ts';
import { FlagError } from '../flags.ts';
import { readTime } from '../times.ts';

/**
 * Reads `--keys` or `--keys-file`: keys in DynamoDB JSON.
 *
 * @param names the attributes of a key
 * @throws {FlagError}
 */
export function readKeys(
  flags: { readonly keys: string | undefined; readonly 'keys-file': string | undefined },
  names: KeyNames,
): readonly unknown[] {
  const { keys, 'keys-file': file } = flags;
  if ((keys === undefined) === (file === undefined)) {
    const got = keys === undefined ? 'neither' : 'both';
    throw new FlagError(`--keys: expected it or --keys-file, got ${got}; write one of them`);
  }
  const flag = keys === undefined ? 'keys-file' : 'keys';
  const values = keys === undefined ? valuesOfFile(file ?? '') : listOf(parsed(flag, keys));
  return [...wantedKeys(flag, values, names).values()];
}

/** Reads the values of a file: one JSON list, or one key on each line. */
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

/**
 * Reads `--expired-from` and `--expired-to`: a date in UTC, or a time in ISO-8601 with a zone.
 *
 * @throws {FlagError}
 */
export function readExpirySpan(from: string | undefined, to: string | undefined): ExpirySpan {
  const span = {
    fromMs: from === undefined ? ALL_TIME.fromMs : readTime('expired-from', from),
    beforeMs: to === undefined ? ALL_TIME.beforeMs : readTime('expired-to', to),
  };
  if (span.fromMs < span.beforeMs) return span;
  throw new FlagError(`--expired-to: expected a time after --expired-from (${from}), got "${to}"`);
}
