import type { ItemImage } from '../../functions/stream/event.ts';
import { itemText } from './item-text.ts';

/** An item with one of its TTLs: what an archive has once. */
export interface Life {
  /** Its key and its expiry. */
  readonly id: string;
  /** The item, as {@link itemText} gives it. */
  readonly text: string;
}

/** @param expiredAt of the TTL, ISO */
export function lifeId(key: ItemImage, expiredAt: string | null): string {
  return `${itemText(key)} ${expiredAt}`;
}

/** @param names of the key attributes */
export function lifeOf(image: ItemImage, names: readonly string[], ttlAttribute: string): Life {
  const key = Object.fromEntries(names.flatMap(name => (image[name] ? [[name, image[name]]] : [])));
  return { id: lifeId(key, ttlOf(image, ttlAttribute)), text: itemText(image) };
}

function ttlOf(image: ItemImage, ttlAttribute: string): string | null {
  const ttl = image[ttlAttribute];
  return ttl !== undefined && 'N' in ttl ? new Date(Number(ttl.N) * 1000).toISOString() : null;
}
