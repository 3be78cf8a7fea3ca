import type { FieldProblem } from './errors.ts';

export function unknownFieldProblems(object: object, known: readonly string[]): FieldProblem[] {
  return Object.keys(object)
    .filter(name => !known.includes(name))
    .map(name => {
      const [nearest] = known
        .map(candidate => ({
          candidate,
          distance: editDistance(name.toLowerCase(), candidate.toLowerCase()),
        }))
        .sort((one, other) => one.distance - other.distance);
      const meant = nearest && nearest.distance <= 1 + name.length / 4 ? nearest.candidate : undefined;
      return {
        field: name,
        expected: `one of the fields ${known.join(', ')}`,
        got: `the field ${name}`,
        remedy: meant ? `Did you mean ${meant}?` : 'Remove it.',
      };
    });
}

/** Levenshtein distance: the fewest insertions, deletions and replacements of letters that turn one text into the other. */
export function editDistance(one: string, other: string): number {
  const columns = [...other];
  let distances = [0, ...columns.map((_letter, column) => column + 1)];
  for (const letter of one) {
    const [first = 0] = distances;
    const next = [first + 1];
    for (const [column, otherLetter] of columns.entries()) {
      const replaced = (distances[column] ?? 0) + (letter === otherLetter ? 0 : 1);
      const dropped = (distances[column + 1] ?? 0) + 1;
      const inserted = (next[column] ?? 0) + 1;
      next.push(Math.min(replaced, dropped, inserted));
    }
    distances = next;
  }
  return distances.at(-1) ?? 0;
}
