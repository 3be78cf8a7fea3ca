import type { ListedFailure } from '../../statemachine/contract/keys.ts';
import { LISTED_KEYS } from '../../statemachine/contract/limits.ts';

/** Size of a value as JSON, in UTF-8 bytes. Step Functions counts these bytes for its limit of a payload. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

export function withoutNothing<Report extends object>(report: Report): Partial<Report> {
  const isNothing = (value: unknown) =>
    value === 0 || value === undefined || value === false || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(
    Object.entries(report).filter(([, value]) => !isNothing(value)),
  ) as Partial<Report>;
}

export function firstThatFit<Listed>(all: readonly Listed[], maxBytes: number): Listed[] {
  const kept: Listed[] = [];
  let bytes = 2; // the two brackets of a JSON array
  for (const each of all) {
    const size = jsonBytes(each) + 1;
    if (kept.length === LISTED_KEYS || bytes + size > maxBytes) break;
    kept.push(each);
    bytes += size;
  }
  return kept;
}

/**
 * Lists the first failures, at most LISTED_KEYS, that fit into `maxBytes`. If not even the first fits, the beginning of its key is listed
 * as `keyStart`, not as `key`, so that nobody takes it for the key of another item.
 */
export function listFailedKeys(all: readonly ListedFailure[], maxBytes: number): ListedFailure[] {
  const [first] = all;
  const kept = firstThatFit(all, maxBytes);
  return kept.length === 0 && first !== undefined ? [shorten(first, maxBytes)] : kept;
}

function shorten({ key, keyStart, reason }: ListedFailure, maxBytes: number): ListedFailure {
  if (key === undefined && keyStart === undefined) return { reason: reason.slice(0, 100) };
  // The text is shortened by code points, because half of a surrogate pair is not a valid character.
  const characters = [...(keyStart ?? JSON.stringify(key))];
  for (let length = characters.length; ; length = Math.floor(length / 2)) {
    const shortened = { keyStart: characters.slice(0, length).join(''), reason: reason.slice(0, 100) };
    if (length === 0 || jsonBytes([shortened]) + 1 <= maxBytes) return shortened;
  }
}
