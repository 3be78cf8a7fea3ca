import { seededRandom } from 'stepfunctions-emulator';
import { chaosMix, LIFE } from '../../../lab/chaos/mix.ts';
import { type Item, planStream } from '../../../lab/workload/plan.ts';

const START = 1_800_000_000;
const plan = ({ renewals = true, holds = false, random = seededRandom(1) } = {}) =>
  planStream({
    startMs: START * 1000,
    firstTtl: START + 10,
    seconds: 300,
    rate: 20,
    life: LIFE,
    mix: chaosMix(renewals, holds),
    random,
  });

test('writes as many items as were asked for, each before anything else happens to it', () => {
  const { actions, lastTtl } = plan();
  expect(actions.filter(({ kind }) => kind === 'write')).toHaveLength(6000);
  expect(lastTtl).toBe(START + 309);
  const known = new Set<Item>();
  let at = START * 1000;
  for (const action of actions) {
    expect(action.atMs).toBeGreaterThanOrEqual(at);
    at = action.atMs;
    if (action.kind === 'write') known.add(action.item);
    expect(known.has(action.item)).toBe(true);
  }
});

test('everything happens: renewals, deletes, writes again, both stamps, no TTL at all', () => {
  const { actions } = plan();
  const count = (fits: (action: (typeof actions)[number]) => boolean) => actions.filter(fits).length / 6000;
  expect(count(({ kind }) => kind === 'renew')).toBeGreaterThan(0.15);
  expect(count(({ kind }) => kind === 'delete')).toBeGreaterThan(0.04);
  expect(count(({ kind }) => kind === 'writeAgain')).toBeGreaterThan(0.03);
  expect(count(action => action.kind === 'write' && action.olderStamp === true)).toBeGreaterThan(0.2);
  expect(count(action => action.kind === 'write' && action.ttl === undefined)).toBeGreaterThan(0.02);
  expect(
    count(action => action.kind === 'write' && action.ttl !== undefined && action.atMs > action.ttl * 1000),
  ).toBeGreaterThan(0.02);
  expect(count(({ kind }) => kind === 'makePermanent')).toBeGreaterThan(0.02);
});

test('what expires does so within the run, or far behind it', () => {
  const { actions, lastTtl } = plan();
  const ttls = actions.flatMap(({ ttl }) => ttl ?? []);
  for (const ttl of ttls) expect(ttl <= lastTtl || ttl > lastTtl + 3600).toBe(true);
});

test('without renewals nothing lives longer than was first written', () => {
  const kinds = new Set(plan({ renewals: false }).actions.map(({ kind }) => kind));
  expect(kinds).toEqual(new Set(['write', 'delete']));
});

test('the same seed plans the same', () => {
  expect(plan()).toEqual(plan());
  expect(plan()).not.toEqual(plan({ random: seededRandom(2) }));
});

test('some are renewed by a second, in the second in which they expire', () => {
  const { actions } = plan();
  const firstTtl = new Map(actions.flatMap(each => (each.kind === 'write' ? [[each.item, each.ttl]] : [])));
  const bySecond = actions.filter(
    action => action.kind === 'renew' && action.ttl === (firstTtl.get(action.item) ?? 0) + 1,
  );
  expect(bySecond.length / 6000).toBeGreaterThan(0.025);
  for (const { item, atMs } of bySecond) {
    expect(atMs).toBeGreaterThanOrEqual((firstTtl.get(item) ?? 0) * 1000 - 200);
    expect(atMs).toBeLessThan(((firstTtl.get(item) ?? 0) + 1) * 1000);
  }
});

test('with holds, some items are held before and in the second of their expiry, and some released after it', () => {
  const { actions } = plan({ holds: true });
  const ttls = new Map(actions.flatMap(({ kind, item, ttl }) => (kind === 'write' ? [[item, ttl]] : [])));
  const after = (kind: 'hold' | 'release') =>
    actions.flatMap(action =>
      action.kind === kind ? [action.atMs - Number(ttls.get(action.item)) * 1000] : [],
    );
  expect(after('hold').filter(ms => ms < 0).length).toBeGreaterThan(400);
  expect(after('hold').filter(ms => ms >= 0 && ms < 1000).length).toBeGreaterThan(100);
  expect(after('release').filter(ms => ms > 0).length).toBeGreaterThan(200);
});
