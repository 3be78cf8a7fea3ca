import {
  type ExpiredKey,
  type FailedKey,
  type ItemKey,
  type KeyAttribute,
  LISTED_KEYS,
} from '../../statemachine/contract.ts';

/** UTF-8 bytes of a value as JSON, which is how Step Functions measures and passes it. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** The first of these, as many as LISTED_KEYS allows and as fit into so many bytes of JSON together. */
export function firstThatFit<Listed>(all: readonly Listed[], maxBytes: number): Listed[] {
  const kept: Listed[] = [];
  let bytes = 2; // the brackets
  for (const each of all) {
    const size = jsonBytes(each) + 1;
    if (kept.length === LISTED_KEYS || bytes + size > maxBytes) break;
    kept.push(each);
    bytes += size;
  }
  return kept;
}

/** The same for failed keys, except that the first is always listed: shortened, if it does not fit whole. */
export function listFailedKeys(all: readonly FailedKey[], maxBytes: number): FailedKey[] {
  const [first] = all;
  const kept = firstThatFit(all, maxBytes);
  return kept.length === 0 && first !== undefined ? [shorten(first, maxBytes)] : kept;
}

export function failedKey({ key }: ExpiredKey, reason: string): FailedKey {
  return { key, reason };
}

/** Cuts every attribute to the same number of characters, the largest with which the whole fits. */
function shorten({ key, reason }: FailedKey, maxBytes: number): FailedKey {
  for (let length = 512; length >= 1; length = Math.floor(length / 2)) {
    const shortened: FailedKey = { key: cut(key, length), reason, shortened: true };
    if (jsonBytes([shortened]) <= maxBytes) return shortened;
  }
  return { key: {}, reason, shortened: true };
}

function cut(key: ItemKey, length: number): ItemKey {
  return Object.fromEntries(Object.entries(key).map(([name, value]) => [name, cutAttribute(value, length)]));
}

function cutAttribute(value: KeyAttribute, length: number): KeyAttribute {
  // By code points: half a surrogate pair is no character. Base64 stands for whole bytes in groups of four.
  if ('S' in value) return { S: [...value.S].slice(0, length).join('') };
  if ('B' in value) return { B: value.B.slice(0, Math.ceil(length / 4) * 4) };
  return value;
}
