import { expiryModel } from '../../expiry/model.ts';
import { type Plan, type PlanOptions, plan } from '../../functions/lib/plan.ts';
import type { SweepRequest } from '../../functions/lib/sweep-input.ts';
import type { PlanCursor } from '../../statemachine/contract.ts';

const START = Date.parse('2026-11-20T09:00:00Z') / 1000;
const request: SweepRequest = {
  windowsFrom: START + 1,
  from: START + 1,
  before: START + 300,
  cutoff: START + 1000,
  dryRun: false,
};
const model = expiryModel({ partitionKey: 'id', shards: 2 });

function options(overrides: Partial<PlanOptions> = {}): PlanOptions {
  return {
    model,
    probe: async () => true,
    concurrency: 3,
    mostDue: 100,
    outOfTime: () => false,
    ...overrides,
  };
}

const short = (key: string) => key.slice(14, 16) + (key.split('#')[1] ? `#${key.split('#')[1]}` : '');
const keys = ({ due }: Plan) => due.map(({ windowKey }) => short(windowKey));
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

test('looks into every shard of every window, oldest first', async () => {
  const whole = await plan(request, null, options());
  expect(keys(whole)).toEqual(ALL);
  expect(whole.cursor).toBeNull();
});

test('returns only what holds something, with the bounds of the request', async () => {
  const found = await plan(
    request,
    null,
    options({
      probe: async ({ windowKey }) => windowKey.includes('T09:02:00.000Z_') && windowKey.endsWith('#1'),
    }),
  );
  expect(found.due).toEqual([
    {
      windowKey: '2026-11-20T09:02:00.000Z_2026-11-20T09:03:00.000Z#1',
      from: START + 1,
      before: START + 300,
      cutoff: START + 1000,
    },
  ]);
});

test.each([1, 2, 3, 4, 9, 10, 11])('gives every pair exactly once in rounds of %d', async mostDue => {
  const { rounds, due } = await planAll({ mostDue });
  expect(due).toEqual(ALL);
  for (const round of rounds) expect(round.due.length).toBeLessThanOrEqual(mostDue);
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
    return true;
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
