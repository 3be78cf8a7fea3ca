import { seededRandom } from 'stepfunctions-emulator';
import { pairsOf, pairsOfStep, type Walked, walkOfPairs } from './support/walk-of-pairs.ts';

const onOff = (name: string): Walked => ({
  name,
  moves: [
    [0, 1],
    [1, 0],
  ],
});
const around: Walked = {
  name: 'around',
  moves: [
    [0, 1],
    [1, 2],
    [2, 0],
  ],
};
const PROPS = [onOff('archive'), onOff('events'), around, onOff('enabled')];

test.each([1, 2, 3, 4, 5])('a walk of seed %i has each pair of moves, in steps that can be made', seed => {
  const walk = walkOfPairs(PROPS, seededRandom(seed));
  const seen = new Set<string>();
  let place: readonly number[] = [0, 0, 0, 0];
  for (const next of walk) {
    for (const [index, { moves }] of PROPS.entries()) {
      const [from, to] = [place[index], next[index]];
      if (from !== to) expect(moves).toContainEqual([from, to]);
    }
    for (const pair of pairsOfStep(PROPS, place, next)) seen.add(pair);
    place = next;
  }
  expect([...seen].sort()).toEqual(pairsOf(PROPS).sort());
  // Two props of two moves each have 4 pairs, and one of three moves 6 with each of them: 3 * 4 + 3 * 6.
  expect(seen.size).toBe(30);
  expect(walk.length).toBeLessThan(14);
});

test('the same seed gives the same walk', () => {
  const walk = (seed: number) => walkOfPairs(PROPS, seededRandom(seed));
  expect(walk(7)).toEqual(walk(7));
});

test('a pair that no walk comes to is told', () => {
  const once: Walked = { name: 'once', moves: [[0, 1]] };
  expect(() => walkOfPairs([once, { ...once, name: 'again' }, onOff('archive')], seededRandom(1))).toThrow(
    'no walk comes to',
  );
});
