import { ShortLives } from '../../../lab/chaos/short-lives.ts';
import { MAX_CHILD_SECONDS } from '../../../statemachine/contract/limits.ts';

const STARTED = Date.parse('2026-11-20T09:00:00Z');
const LIFE_MS = 8_000;
const iso = (afterMs: number) => new Date(STARTED + afterMs).toISOString();

/** How long a child has until it is too old, milliseconds, when it is called so long after the start of its execution. */
function restMs(lives: ShortLives, calledMs: number, startedMs = 0): number {
  const call = { startedAt: iso(startedMs), progress: {}, now: iso(calledMs) };
  const { startedAt } = lives.olderChild(call) as { startedAt: string };
  return MAX_CHILD_SECONDS * 1000 - (STARTED + calledMs - Date.parse(startedAt));
}

test('a child has its life from its first call on, however long the plan took', () => {
  const lives = new ShortLives(LIFE_MS);
  expect(restMs(lives, 26_000)).toBe(LIFE_MS);
  expect(restMs(lives, 29_000)).toBe(LIFE_MS - 3_000);
  expect(restMs(lives, 26_000 + LIFE_MS)).toBe(0);
});

test('those of each execution have their own', () => {
  const lives = new ShortLives(LIFE_MS);
  restMs(lives, 1_000);
  expect(restMs(lives, 60_000, 59_000)).toBe(LIFE_MS);
});

test('the calls of other functions are left as they are', () => {
  const plan = { startedAt: iso(0), machine: 'tick' };
  expect(new ShortLives(LIFE_MS).olderChild(plan)).toBe(plan);
});
