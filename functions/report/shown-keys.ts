import { createHmac } from 'node:crypto';
import type { ItemKey, KeyHash, ListedFailure, ShownKey } from '../../statemachine/contract/keys.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import { keyAttributeNames } from '../table/item-key.ts';

/** 64 bits, in hexadecimal digits: even among a million keys two equal hashes are very unlikely. */
const HASH_DIGITS = 16;

export type ShowKey = (key: ItemKey) => ShownKey | undefined;

export function keyShower({ logKeys, tableName, model }: KeySettings): ShowKey {
  if (logKeys === 'full') return key => key;
  if (logKeys === 'none') return () => undefined;
  const names = keyAttributeNames(model);
  return key => hashOfKey(key, names, tableName);
}

export interface KeySettings extends Pick<SweepSettings, 'logKeys' | 'tableName'> {
  readonly model: Pick<SweepSettings['model'], 'partitionKey' | 'sortKey'>;
}

export function shownFailure(
  { key, reason }: { readonly key: ItemKey; readonly reason: string },
  showKey: ShowKey,
): ListedFailure {
  const shown = showKey(key);
  return shown === undefined ? { reason } : { key: shown, reason };
}

/**
 * Returns a hash of a key. The hash does not hide a key that can be guessed: anybody can hash the guess.
 * @param names names of the key attributes, partition key first
 */
export function hashOfKey(key: ItemKey, names: readonly string[], tableName: string): KeyHash {
  const text = JSON.stringify(Object.fromEntries(names.map(name => [name, key[name]])));
  const digest = createHmac('sha256', tableName).update(text).digest('hex');
  return `hmac-sha256:${digest.slice(0, HASH_DIGITS)}`;
}
