import type { KeyRead, KnownKeys } from '../../statemachine/contract/child.ts';
import { rangesOf, shardsOf } from '../table/target-windows.ts';

/*
 * What the poll slice knows of a target's index keys. A child may have a thousand shards in two windows, of which most hold nothing: those of
 * which the same is known are carried as one, since each state carries the progress.
 */

/** By their places. */
export type KeyReads = Readonly<Record<string, KeyRead>>;

/** As a child carries it; the inverse of {@link knownOf}. */
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

/** By the places of the keys. */
export function knownOf(known: readonly KnownKeys[] = []): KeyReads {
  return Object.fromEntries(
    known.flatMap(({ places, ...read }) => shardsOf(places).map(place => [place, read] as const)),
  );
}
