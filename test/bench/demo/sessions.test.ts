import { seededRandom } from 'stepfunctions-emulator';
import { backlogOf, type SessionFates, sessionMix } from '../../../bench/demo/sessions.ts';
import { type Item, planStream } from '../../../bench/workload/plan.ts';

const START = 1_800_000_000_400;
const plan = (
  over: {
    minutes?: number;
    rate?: number;
    seed?: number;
    renewals?: boolean;
    fates?: Partial<SessionFates>;
  } = {},
) =>
  planStream({
    startMs: START,
    firstTtl: Math.ceil(START / 1000) + 10,
    seconds: (over.minutes ?? 3) * 60,
    rate: over.rate ?? 20,
    random: seededRandom(over.seed ?? 1),
    mix: sessionMix({ renewals: over.renewals ?? true, ...over.fates }),
  });

test('sessions expire at a steady rate for the minutes that were asked for', () => {
  const { actions, lastTtl } = plan();
  const writes = actions.filter(a => a.kind === 'write');
  expect(writes).toHaveLength(3600);
  const perSecond = new Map<number, number>();
  for (const { ttl } of writes) if (ttl !== undefined) perSecond.set(ttl, (perSecond.get(ttl) ?? 0) + 1);
  const seconds = [...perSecond.keys()];
  expect(Math.max(...seconds) - Math.min(...seconds) + 1).toBe(180);
  expect(Math.max(...seconds)).toBe(lastTtl);
  // 5 % never expire, so a few less than 20.
  expect(Math.min(...perSecond.values())).toBeGreaterThan(10);
  expect(Math.max(...perSecond.values())).toBeLessThanOrEqual(20);
});

test('everything happens in the order of time, each item is written first and before it expires', () => {
  const { actions } = plan();
  const written = new Map<Item, number>();
  let before = 0;
  for (const { atMs, item, kind, ttl } of actions) {
    expect(atMs).toBeGreaterThanOrEqual(Math.max(before, START));
    before = atMs;
    if (kind === 'write') {
      expect(written.has(item)).toBe(false);
      written.set(item, atMs);
      if (ttl !== undefined) expect(ttl * 1000 - atMs).toBeGreaterThanOrEqual(9_000);
    } else {
      expect(atMs - (written.get(item) ?? Infinity)).toBeGreaterThanOrEqual(500);
    }
  }
});

test('some are renewed, some made permanent, in their last seconds; some expire again, some outlive the run', () => {
  const { actions, lastTtl } = plan();
  const ttls = new Map(actions.filter(a => a.kind === 'write').map(a => [a.item, a.ttl]));
  const renewals = actions.filter(a => a.kind === 'renew');
  expect(renewals.length).toBeGreaterThan(250);
  for (const { item, atMs, ttl } of actions.filter(a => a.kind !== 'write')) {
    const left = (ttls.get(item) ?? 0) * 1000 - atMs;
    expect(left).toBeGreaterThanOrEqual(1_000);
    expect(left).toBeLessThanOrEqual(5_000);
    expect(ttl ?? Infinity).toBeGreaterThan(ttls.get(item) ?? 0);
  }
  expect(renewals.some(a => (a.ttl ?? 0) <= lastTtl)).toBe(true);
  expect(renewals.some(a => (a.ttl ?? 0) > lastTtl + 3600)).toBe(true);
  expect(actions.filter(a => a.kind === 'makePermanent').length).toBeGreaterThan(100);
  expect([...ttls.values()].filter(ttl => ttl === undefined).length).toBeGreaterThan(100);
});

test('the same seed gives the same workload, another seed another one', () => {
  expect(plan({ seed: 7 })).toEqual(plan({ seed: 7 }));
  expect(plan({ seed: 7 })).not.toEqual(plan({ seed: 8 }));
});

test('a rate below one and less than a minute have at least one session', () => {
  expect(plan({ minutes: 0.1, rate: 0.1 }).actions.filter(a => a.kind === 'write')).toHaveLength(1);
});

test('without renewals every session is written once', () => {
  const { actions } = plan({ renewals: false });
  expect(new Set(actions.map(({ kind }) => kind))).toEqual(new Set(['write']));
  expect(actions).toHaveLength(3600);
});

test.each([false, true])(
  'the application deletes some well before they expire only where it is asked for: %p',
  deletes => {
    const { actions } = plan({ fates: { deletes } });
    const ttls = new Map(actions.filter(a => a.kind === 'write').map(a => [a.item, a.ttl]));
    const left = actions
      .filter(a => a.kind === 'delete')
      .map(({ item, atMs }) => Number(ttls.get(item)) * 1000 - atMs);
    expect(left.length > 100).toBe(deletes);
    expect(Math.min(8_000, ...left)).toBe(8_000);
  },
);

test('a backlog expired within ten minutes before, and is none of the planned items', () => {
  const before = 1_800_000_000;
  const backlog = backlogOf(before, 20);
  expect(backlog).toHaveLength(480);
  expect(new Set(backlog.map(({ item }) => item)).size).toBe(480);
  expect(Math.max(...backlog.map(({ item }) => item))).toBe(-1);
  expect(backlog[0]?.ttl).toBe(before - 1);
  expect(backlog.at(-1)?.ttl).toBe(before - 599);
  expect([0.1, 0.5, 1_000].map(rate => backlogOf(before, rate).length)).toEqual([3, 12, 480]);
});
