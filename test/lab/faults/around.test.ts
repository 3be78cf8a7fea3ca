import type { ScheduleResource } from 'aws-on-loopback/scheduler/schedule';
import { seededRandom } from 'stepfunctions-emulator';
import {
  FaultCounter,
  type FaultRates,
  faultyDeliveries,
  faultyInvocations,
} from '../../../lab/faults/index.ts';

const CALL = { functionName: 'f', functionArn: 'arn', payload: {} };

async function invoke(rates: FaultRates, times: number) {
  const counter = new FaultCounter();
  const wrap = faultyInvocations({ random: seededRandom(3), rates: () => rates, counter });
  let ran = 0;
  const results = [];
  for (let time = 0; time < times; time += 1) {
    results.push(await wrap(CALL, async () => ({ ok: true, payload: ++ran })));
  }
  return { ran, results, counts: counter.counts };
}

describe('invocations', () => {
  test('without faults run once', async () => {
    expect(await invoke({}, 5)).toMatchObject({ ran: 5, counts: {} });
  });

  test.each([
    ['crashBefore', 0],
    ['crashAfter', 4],
  ] as const)('%s: the process has died', async (name, ran) => {
    const { results, ...rest } = await invoke({ [name]: 1 }, 4);
    expect(rest).toEqual({ ran, counts: { [name]: 4 } });
    expect(results[0]).toMatchObject({ ok: false, errorType: 'Runtime.ExitError' });
  });

  test('duplicate: run twice, and either answer counts', async () => {
    const { ran, results, counts } = await invoke({ duplicate: 1 }, 20);
    expect({ ran, counts }).toEqual({ ran: 40, counts: { duplicate: 20 } });
    const second = results.filter(result => result.ok && Number(result.payload) % 2 === 0).length;
    expect(second).toBeGreaterThan(2);
    expect(second).toBeLessThan(18);
  });

  test('come at their rates', async () => {
    const { counts } = await invoke({ crashBefore: 0.1, crashAfter: 0.2, duplicate: 0.3 }, 1000);
    expect(counts.crashBefore).toBeGreaterThan(70);
    expect(counts.crashAfter).toBeGreaterThan(150);
    expect(counts.duplicate).toBeGreaterThan(250);
  });
});

test('ticks come late, not at all, or twice', () => {
  const counter = new FaultCounter();
  const deliver = faultyDeliveries(
    seededRandom(1),
    { lateTick: 0.2, skippedTick: 0.2, doubledTick: 0.2 },
    counter,
  );
  const delivered = Array.from({ length: 1000 }, () => deliver({} as ScheduleResource, 0));
  const late = delivered.filter(([first, second]) => Number(first) > 0 && second === undefined);
  expect(counter.counts.lateTick).toBe(late.length);
  expect(counter.counts.skippedTick).toBe(delivered.filter(delays => delays.length === 0).length);
  expect(counter.counts.doubledTick).toBe(delivered.filter(delays => delays.length === 2).length);
  for (const count of Object.values(counter.counts)) expect(Math.abs(count - 200)).toBeLessThan(50);
  expect(Math.max(...delivered.flat())).toBeLessThan(60_000);
});
