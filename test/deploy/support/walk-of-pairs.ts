import type { RandomSource } from 'stepfunctions-emulator';

/** A prop, or some that go together, and the ways in which its value can change. A value is a number of a list of its own. */
export interface Walked {
  readonly name: string;
  /** The value that it begins with is 0. */
  readonly moves: readonly Move[];
}

export type Move = readonly [from: number, to: number];

/** A value of each prop. */
export type Place = readonly number[];

/**
 * A walk in which each move of each prop comes together with each move of every other prop, in a single step, at least once. It is
 * greedy: all props that can move at once do, so it has not many more steps than the two longest lists of moves multiplied.
 *
 * @param random decides between steps that are worth the same
 * @returns the places after the first one, which has the value 0 of each
 */
export function walkOfPairs(props: readonly Walked[], random: RandomSource): Place[] {
  const left = new Set(pairsOf(props));
  const walk: Place[] = [];
  let place: Place = props.map(() => 0);
  while (left.size > 0) {
    const worth = (to: Place) => pairsOfStep(props, place, to).filter(pair => left.has(pair)).length;
    const next = best(nextPlaces(props, place), worth, random) ?? towards(props, place, left);
    if (next === undefined) throw new Error(`no walk comes to ${[...left].join(', ')}`);
    for (const pair of pairsOfStep(props, place, next)) left.delete(pair);
    walk.push(next);
    place = next;
  }
  return walk;
}

/** All pairs of moves of two props. */
export function pairsOf(props: readonly Walked[]): string[] {
  return props.flatMap((one, index) =>
    props
      .slice(index + 1)
      .flatMap(other => one.moves.flatMap(a => other.moves.map(b => pairOf(one, a, other, b)))),
  );
}

/** Those that happen in a step. */
export function pairsOfStep(props: readonly Walked[], from: Place, to: Place): string[] {
  const moved = props.flatMap((prop, index) => {
    const [before = 0, after = 0] = [from[index], to[index]];
    return before === after ? [] : [{ prop, move: [before, after] as const }];
  });
  return moved.flatMap((one, index) =>
    moved.slice(index + 1).map(other => pairOf(one.prop, one.move, other.prop, other.move)),
  );
}

function pairOf(one: Walked, a: Move, other: Walked, b: Move): string {
  return `${one.name} ${a.join('>')}, ${other.name} ${b.join('>')}`;
}

/** Where one step leads; each prop may also stay as it is. */
function nextPlaces(props: readonly Walked[], place: Place): Place[] {
  return props.reduce<Place[]>(
    (places, { moves }, index) => {
      const value = place[index] ?? 0;
      const to = [value, ...moves.filter(([from]) => from === value).map(([, after]) => after)];
      return places.flatMap(begun => to.map(each => [...begun, each]));
    },
    [[]],
  );
}

/** Undefined when none is worth anything. */
function best(
  places: readonly Place[],
  worth: (place: Place) => number,
  random: RandomSource,
): Place | undefined {
  const ranked = places.map(place => ({ place, worth: worth(place), order: random.next() }));
  ranked.sort((one, other) => other.worth - one.worth || one.order - other.order);
  return ranked[0] !== undefined && ranked[0].worth > 0 ? ranked[0].place : undefined;
}

/** The first step of a shortest way to where a step is worth something; undefined when there is none. */
function towards(props: readonly Walked[], place: Place, left: ReadonlySet<string>): Place | undefined {
  const seen = new Set([place.join()]);
  let reached = [{ at: place, first: undefined as Place | undefined }];
  while (reached.length > 0) {
    const further: typeof reached = [];
    for (const { at, first } of reached) {
      for (const next of nextPlaces(props, at)) {
        if (seen.has(next.join())) continue;
        seen.add(next.join());
        const begun = first ?? next;
        const isWorth = nextPlaces(props, next).some(to =>
          pairsOfStep(props, next, to).some(pair => left.has(pair)),
        );
        if (isWorth) return begun;
        further.push({ at: next, first: begun });
      }
    }
    reached = further;
  }
  return undefined;
}
