/**
 * One item, as a class, an interface or a record. The two fields exclude values that would otherwise pass for an item without an expiry:
 * the output of a command instead of its Item, and lists, Sets and Maps.
 */
export type ItemLike = object & { readonly $metadata?: never; readonly forEach?: never };

export function isItem(value: unknown): value is ItemLike {
  return typeof value === 'object' && value !== null && !('$metadata' in value) && !('forEach' in value);
}
