import { expiryModel } from '../../../expiry/model.ts';
import { type Plan, type PlanOptions, plan } from '../../../functions/plan-sweep/plan.ts';
import type { SweepRequest } from '../../../functions/plan-sweep/sweep-input.ts';
import { DynamoDbBusyError } from '../../../functions/runtime/errors.ts';
import { indexLayout } from '../../../functions/table/index-layout.ts';
import type { PlanCursor } from '../../../statemachine/contract/execution.ts';
import type { SweepTarget } from '../../../statemachine/contract/targets.ts';
import { windowKeysOf, windowsOf } from '../../support/sweep-settings.ts';

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
const request: SweepRequest = {
  windowsFrom: START + 1,
  windowsBefore: START + 300,
  from: START + 1,
  before: START + 300,
  cutoff: START + 1000,
  upcoming: null,
  dryRun: false,
  followsBacklog: false,
  limit: null,
};
const layout = indexLayout(expiryModel({ partitionKey: 'id', shards: 2, granularityMinutes: 1 }));

function options(overrides: Partial<PlanOptions> = {}): PlanOptions {
  return {
    layout,
    probe: async () => START,
    concurrency: 3,
    maxDue: 100,
    watchAlways: false,
    outOfTime: () => false,
    ...overrides,
  };
}

const short = (key: string) => key.slice(14, 16) + (key.split('#')[1] ? `#${key.split('#')[1]}` : '');
const keys = ({ due }: Plan) => due.map(target => windowKeysOf(target).map(short).join('+'));
const ALL = ['00', '00#1', '01', '01#1', '02', '02#1', '03', '03#1', '04', '04#1'];

async function planAll(overrides: Partial<PlanOptions>): Promise<{ rounds: Plan[]; due: string[] }> {
  const rounds: Plan[] = [];
  let cursor: PlanCursor | null = null;
  do {
    const next: Plan = await plan(request, cursor, options(overrides));
    rounds.push(next);
    cursor = next.cursor;
  } while (cursor && rounds.length < 50);
  return { rounds, due: rounds.flatMap(keys) };
}

describe('a backlog behind the lookback', () => {
  const following = { ...request, followsBacklog: true };
  /** Holds something from so many minutes before the lookback on; windows are asked for by their first second. */
  const heldFrom = (minutesBefore: number, model = layout) => {
    const asked: number[] = [];
    const probe = async ({ windows: [window], from }: SweepTarget) => {
      const start = window?.start ?? 0;
      asked.push(start);
      const first = model.holdsStrays ? start : Math.max(start, from);
      return start >= START - minutesBefore * 60 ? first : undefined;
    };
    return { probe, asked };
  };
  const starts = ({ due }: Plan) =>
    [...new Set(due.flatMap(({ windows }) => windows.map(({ start }) => (start - START) / 60)))].toSorted(
      (one, other) => one - other,
    );

  test.each([
    [0, -5],
    [1, -5],
    [5, -15],
    [7, -15],
    [40, -75],
  ])('of %i minutes is planned whole, and looked for back to %i', async (minutes, asked) => {
    const { probe, asked: windows } = heldFrom(minutes);
    const planned = await plan(following, null, options({ probe, maxDue: 1000 }));
    expect(starts(planned)).toEqual(Array.from({ length: minutes + 5 }, (_unused, index) => index - minutes));
    expect(planned.due).toHaveLength((minutes + 5) * 2);
    expect(planned).toMatchObject({ cursor: null, oldestOverdue: START - minutes * 60 });
    expect((Math.min(...windows) - START) / 60).toBe(asked);
  });

  test('costs nothing when the oldest window is empty', async () => {
    const asked: SweepTarget[] = [];
    const probe = async (target: SweepTarget) => void asked.push(target);
    await plan(following, null, options({ probe }));
    expect(asked).toHaveLength(ALL.length);
  });

  test.each([
    ['by window', layout, 720],
    ['by second', indexLayout(expiryModel({ partitionKey: 'id', indexedBy: 'second' })), 30],
  ] as const)(
    '%s, behind a gap, is found by limited ticks alone, as far as they may ask',
    async (_by, model, minutes) => {
      const limited = { ...following, limit: { perSecond: 50, from: null, before: null } };
      const heldAt = (minutesBefore: number) => {
        const start = START - minutesBefore * 60;
        let first = START;
        const probe = async (target: SweepTarget) => {
          const [key = ''] = windowKeysOf(target);
          const asked = Date.parse(key.slice(0, 24)) / 1000;
          first = Math.min(first, asked);
          return asked === start ? start : undefined;
        };
        return { probe, first: () => (first - START) / 60 };
      };
      const [near, far] = [heldAt(minutes - 6), heldAt(minutes + 1)];
      const all = { layout: model, maxDue: 1000 };
      const found = await plan(limited, null, options({ ...all, probe: near.probe }));
      expect(starts(found)).toEqual([6 - minutes]);
      expect(starts(await plan(following, null, options({ ...all, probe: near.probe })))).toEqual([]);
      expect(starts(await plan(limited, null, options({ ...all, probe: far.probe })))).toEqual([]);
      // The lookback of five minutes is part of how far it looks.
      expect(far.first()).toBeGreaterThanOrEqual(-minutes);
    },
  );

  test('ends where the round is full, or time is up', async () => {
    const { probe } = heldFrom(1000);
    expect((await plan(following, null, options({ probe, maxDue: 16 }))).due).toHaveLength(16);
    let probes = 0;
    const outOfTime = () => probes > 30;
    const counted = (target: SweepTarget) => {
      probes += 1;
      return probe(target);
    };
    const planned = await plan(following, null, options({ probe: counted, maxDue: 1000, outOfTime }));
    expect(planned.cursor).toBeNull();
    expect(probes).toBeLessThan(40);
  });

  test('is followed by ticks only', async () => {
    const { probe, asked } = heldFrom(1000);
    await plan(request, null, options({ probe }));
    expect(asked).toHaveLength(ALL.length);
  });

  test('by second it begins where the lookback does', async () => {
    const bySecond = indexLayout(expiryModel({ partitionKey: 'id', indexedBy: 'second' }));
    const { probe } = heldFrom(3, bySecond);
    const planned = await plan(
      { ...following, from: START - 86_400 },
      null,
      options({ layout: bySecond, probe, maxDue: 1000 }),
    );
    const seconds = planned.due.flatMap(target =>
      bySecond.keys(target).map(({ value }) => Number(value) - START),
    );
    expect(new Set(seconds).size).toBe(seconds.length);
    const all = Array.from({ length: 480 }, (_unused, index) => index - 180);
    expect(seconds.toSorted((one, other) => one - other)).toEqual(all);
  });
});

test('probes every shard of every window, oldest first', async () => {
  const whole = await plan(request, null, options());
  expect(keys(whole)).toEqual(ALL);
  expect(whole.cursor).toBeNull();
});

test('returns only what holds something, with the bounds of the request', async () => {
  const held = '2026-11-20T09:02:00.000Z_2026-11-20T09:03:00.000Z#1';
  const probe = async (target: SweepTarget) =>
    windowKeysOf(target).includes(held) ? START + 130 : undefined;
  expect(await plan(request, null, options({ probe }))).toEqual({
    due: [{ windows: windowsOf(held), from: START + 1, before: START + 300, upcomingFrom: null }],
    cursor: null,
    oldestOverdue: START + 130,
  });
});

test('leaves out the windows that another part probes, not what is expired in its own', async () => {
  const part = await plan({ ...request, windowsBefore: START + 120 }, null, options());
  expect(keys(part)).toEqual(['00', '00#1', '01', '01#1']);
  expect(part.due[0]).toMatchObject({ from: START + 1, before: START + 300 });
});

test('says which TTL is overdue longest', async () => {
  const probe = async (target: SweepTarget) => START + 300 - Number(windowKeysOf(target)[0]?.slice(14, 16));
  expect((await plan(request, null, options({ probe }))).oldestOverdue).toBe(START + 296);
});

describe('an upcoming minute', () => {
  const upcoming = { ...request, upcoming: { from: START + 600, before: START + 660 } };
  const upcomingOnly = async ({ upcomingFrom }: SweepTarget) =>
    upcomingFrom === null ? undefined : START + 630;

  test('has one target a shard, from the window before it on, and comes first', async () => {
    const { due, oldestOverdue } = await plan(upcoming, null, options());
    expect(keys({ due, cursor: null, oldestOverdue })).toEqual(['09+10', '09#1+10#1', ...ALL]);
    expect(due[0]).toMatchObject({ before: START + 660, upcomingFrom: START + 600 });
  });

  test('is not overdue', async () => {
    expect(await plan(upcoming, null, options({ probe: upcomingOnly }))).toMatchObject({
      oldestOverdue: undefined,
    });
  });

  test('in the middle of a longer window has that window only', async () => {
    const hourly = indexLayout(expiryModel({ partitionKey: 'id', granularityMinutes: 60, shards: 1 }));
    const planned = await plan(upcoming, null, options({ layout: hourly, probe: upcomingOnly }));
    expect(planned.due.map(({ windows }) => windows.length)).toEqual([1]);
  });

  test('has nothing but its own TTLs', async () => {
    const { due } = await plan(upcoming, null, options({ probe: upcomingOnly }));
    expect(due.map(({ from, before }) => [from, before])).toEqual([
      [START + 600, START + 660],
      [START + 600, START + 660],
    ]);
  });

  test('without anything in it starts no child', async () => {
    expect((await plan(upcoming, null, options({ probe: async () => undefined }))).due).toEqual([]);
  });

  test('is polled all the same when it is to be', async () => {
    const planned = await plan(upcoming, null, options({ probe: async () => undefined, watchAlways: true }));
    expect(keys(planned)).toEqual(['09+10', '09#1+10#1']);
  });

  test('is planned once, however many rounds the rest takes', async () => {
    const first = await plan(upcoming, null, options({ maxDue: 4 }));
    expect(keys(first)).toEqual(['09+10', '09#1+10#1', '00', '00#1']);
    const second = await plan(upcoming, first.cursor, options({ maxDue: 4 }));
    expect(keys(second)).toEqual(['01', '01#1', '02', '02#1']);
  });
});

describe('a minute in a window that is also looked back to', () => {
  const day = indexLayout(expiryModel({ partitionKey: 'id', shards: 1 }));
  const upcoming = { from: START + 360, before: START + 420 };
  const tick = { ...request, from: 0, windowsFrom: START, upcoming };

  /** A day's window with these TTLs (seconds after START), and what it was asked for. */
  const holding = (ttls: readonly number[]) => {
    const asked: (readonly [number, number])[] = [];
    const probe = async ({ from, before }: SweepTarget) => {
      asked.push([from && from - START, before - START]);
      const ttl = ttls.find(each => START + each >= from && START + each < before);
      return ttl === undefined ? undefined : START + ttl;
    };
    return { asked, options: options({ layout: day, probe }) };
  };
  const BOTH = [0, 420] as const;
  const MINUTE = [360, 420] as const;
  const BACK = [0, 300] as const;

  test.each([
    ['nothing', [], [], [BOTH]],
    ['something of the minute', [370], [MINUTE], [BOTH]],
    ['what expires later', [420], [], [BOTH]],
    ['what the tick before owns', [300], [], [BOTH, MINUTE]],
    ['what the tick before owns, and something of the minute', [330, 400], [MINUTE], [BOTH, MINUTE]],
    ['what is overdue', [10], [BACK], [BOTH, MINUTE, BACK]],
    ['what is overdue, and something of the minute', [10, 400], [MINUTE, BACK], [BOTH, MINUTE, BACK]],
  ])('is asked for together with it: %s', async (_name, ttls, due, asked) => {
    const window = holding(ttls);
    const planned = await plan(tick, null, window.options);
    expect(planned.due.map(({ from, before }) => [from && from - START, before - START])).toEqual(due);
    expect(window.asked).toEqual(asked);
    expect(planned.oldestOverdue).toBe(ttls[0] === 10 ? START + 10 : undefined);
  });

  test('has a child when DynamoDB is too busy to say, and so has what lies back', async () => {
    const two = indexLayout(expiryModel({ partitionKey: 'id', shards: 2 }));
    const probe = async (target: SweepTarget) => {
      const [key = ''] = windowKeysOf(target);
      if (key.endsWith('#1')) throw new DynamoDbBusyError('throttled');
      return undefined;
    };
    // Of what lies back the one that is asked is refused, and there is no other that gets through.
    await expect(plan(tick, null, options({ layout: two, probe }))).rejects.toThrow('throttled');
    let refused = 0;
    const once = async (target: SweepTarget) => {
      if (target.windows[0]?.shards === '1' && refused++ === 0) throw new DynamoDbBusyError('throttled');
      return undefined;
    };
    const planned = await plan(tick, null, options({ layout: two, probe: once }));
    expect(planned.due.map(({ upcomingFrom }) => upcomingFrom)).toEqual([START + 360]);
  });

  test('at midnight both days have it, and neither is asked for twice', async () => {
    const midnight = Date.parse('2026-11-21T00:00:00Z') / 1000;
    const edge = { from: midnight, before: midnight + 60 };
    const windowsBefore = midnight - 60;
    const asked: string[][] = [];
    const probe = async ({ windows }: SweepTarget) => {
      asked.push(windows.map(({ start }) => new Date(start * 1000).toISOString().slice(0, 10)));
      return undefined;
    };
    const request = {
      ...tick,
      upcoming: edge,
      windowsFrom: midnight - 660,
      windowsBefore,
      before: windowsBefore,
    };
    await plan(request, null, options({ layout: day, probe }));
    expect(asked).toEqual([['2026-11-20', '2026-11-21']]);
  });
});

test('follows a backlog in windows of a day for 31 days', async () => {
  const day = indexLayout(expiryModel({ partitionKey: 'id', shards: 1 }));
  const tick = { ...request, windowsFrom: START - 300, followsBacklog: true };
  const days: number[] = [];
  const probe = async (target: SweepTarget) => {
    const [key = ''] = windowKeysOf(target);
    days.push((START - 9 * 3600 - Date.parse(key.slice(0, 24)) / 1000) / 86_400);
    return START;
  };
  await plan(tick, null, options({ layout: day, probe, maxDue: 1000 }));
  expect(Math.max(...days)).toBeGreaterThanOrEqual(31);
  expect(Math.max(...days)).toBeLessThan(64);
  expect(new Set(days).size).toBe(days.length);
});

test.each([1, 2, 3, 4, 9, 10, 11])('gives every pair exactly once in rounds of %d', async maxDue => {
  const { rounds, due } = await planAll({ maxDue });
  expect(due).toEqual(ALL);
  for (const round of rounds) expect(round.due.length).toBeLessThanOrEqual(maxDue);
});

test('goes on where the time ran out, and loses nothing', async () => {
  let asked = 0;
  const { rounds, due } = await planAll({ outOfTime: () => asked++ % 2 === 1 });
  expect(rounds.length).toBeGreaterThan(1);
  expect(due).toEqual(ALL);
});

test('has at most so many probes in flight', async () => {
  let inFlight = 0;
  let most = 0;
  const probe = async () => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    await new Promise(resolve => setImmediate(resolve));
    inFlight -= 1;
    return START;
  };
  await plan(request, null, options({ probe, concurrency: 4 }));
  expect(most).toBe(4);
});

test('fails with the error of a probe', async () => {
  const probe = async () => {
    throw new Error('throttled');
  };
  await expect(plan(request, null, options({ probe }))).rejects.toThrow('throttled');
});

describe('probes that DynamoDB is too busy for', () => {
  const busy = () => Promise.reject(new DynamoDbBusyError('throttled'));

  test('leave their pairs to a child, and the rest is planned as ever', async () => {
    const refused = new Set(['00', '02#1']);
    const probe = (target: SweepTarget) =>
      refused.has(short(windowKeysOf(target)[0] ?? '')) ? busy() : Promise.resolve(undefined);
    const planned = await plan(request, null, options({ probe }));
    expect(keys(planned)).toEqual(['00', '02#1']);
    expect(planned.oldestOverdue).toBeUndefined();
  });

  test('leave an upcoming minute to its child', async () => {
    const upcoming = { ...request, upcoming: { from: START + 600, before: START + 660 } };
    const probe = ({ windows, upcomingFrom }: SweepTarget) =>
      upcomingFrom !== null && windows[0]?.shards === '1' ? busy() : Promise.resolve(undefined);
    expect(keys(await plan(upcoming, null, options({ probe })))).toEqual(['09#1+10#1']);
  });

  test('fail the plan when none of those made together gets through', async () => {
    await expect(plan(request, null, options({ probe: busy }))).rejects.toThrow(DynamoDbBusyError);
  });
});

test('an upcoming minute of more shards than there is room for is planned, and the lookback left to the next plan', async () => {
  let asked = 0;
  const outOfTime = () => {
    asked += 1;
    if (asked > 100) throw new Error('it does not end');
    return false;
  };
  const upcoming = { from: START + 300, before: START + 360 };
  const many = indexLayout(expiryModel({ partitionKey: 'id', granularityMinutes: 1, shards: 300 }));
  const planned = await plan(
    { ...request, upcoming },
    null,
    options({ layout: many, maxDue: 200, outOfTime }),
  );
  expect(planned.due).toHaveLength(300);
  expect(planned.due.every(({ upcomingFrom }) => upcomingFrom === upcoming.from)).toBe(true);
  expect(planned.cursor).toEqual({ window: START, shard: 0 });
});
