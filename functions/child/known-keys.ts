import type { KeyRead, KnownKeys } from '../../statemachine/contract/child.ts';
import { rangesOf, shardsOf } from '../table/target-windows.ts';

/*
 * The part of the poll's progress about a target's index keys. A child may have a thousand shards in two windows, most of them empty. Each
 * state carries the progress, so keys with equal values are stored as one group.
 */

/** The last read of each index key, by the key's place: its index among the target's index keys. */
export type KeyReads = Readonly<Record<string, KeyRead>>;

/** Groups the reads for a child's progress; the inverse of {@link knownOf}. */
export function knownKeys(reads: KeyReads): KnownKeys[] {
  const alike = new Map<string, { readonly places: number[]; readonly read: KeyRead }>();
  for (const [place, read] of Object.entries(reads)) {
    const known = JSON.stringify([read.seen, read.next, read.planned]);
    const others = alike.get(known);
    if (others === undefined) alike.set(known, { places: [Number(place)], read });
    else others.places.push(Number(place));
  }
  return [...alike.values()].map(({ places, read }) => ({ places: rangesOf(places), ...read }));
}

/** Returns the reads by the places of their keys. */
export function knownOf(known: readonly KnownKeys[] = []): KeyReads {
  return Object.fromEntries(
    known.flatMap(({ places, ...read }) => shardsOf(places).map(place => [place, read] as const)),
  );
}
