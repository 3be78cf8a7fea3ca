import { PutObjectCommand } from '@aws-sdk/client-s3';
import { startS3 } from 'aws-on-loopback/s3/start-s3';
import { s3Client } from '../../../aws-on-loopback/test/support/endpoint-clients.ts';
import { type S3FaultRates, SeededS3Faults } from '../../../lab/faults/index.ts';

const CALL = { operation: 'PutObject', method: 'PUT', target: '/' };

test('faults come at their rates, the same ones for the same seed', () => {
  const rates = { throttled: 0.1, unavailable: 0.1, hanging: 0.01, cut: 0.05 };
  const draw = (seed: number) => {
    const faults = new SeededS3Faults(seed, rates);
    return { drawn: Array.from({ length: 20_000 }, () => faults.choose(CALL)), counts: faults.counts };
  };
  const { drawn, counts } = draw(7);
  expect(draw(7).drawn).toEqual(drawn);
  expect(draw(8).drawn).not.toEqual(drawn);
  // Five standard deviations.
  for (const [name, rate] of Object.entries(rates)) {
    const deviation = Math.sqrt(20_000 * rate * (1 - rate));
    expect(Math.abs((counts[name as keyof typeof rates] ?? 0) - 20_000 * rate)).toBeLessThan(5 * deviation);
  }
  const kinds = drawn.flatMap(fault => (fault === undefined ? [] : [JSON.stringify(fault)]));
  expect([...new Set(kinds)].sort()).toEqual([
    '{"kind":"cut","done":false}',
    '{"kind":"cut","done":true}',
    '{"kind":"hang","done":false}',
    '{"kind":"hang","done":true}',
    '{"kind":"refuse","error":"InternalError","status":500}',
    '{"kind":"refuse","error":"ServiceUnavailable","status":503}',
    '{"kind":"refuse","error":"SlowDown","status":503}',
  ]);
});

test('other rates end them', () => {
  const faults = new SeededS3Faults(1, { throttled: 1 });
  expect(faults.choose(CALL)).toEqual({ kind: 'refuse', error: 'SlowDown', status: 503 });
  faults.setRates({});
  expect(faults.choose(CALL)).toBeUndefined();
  expect(faults.counts).toEqual({ throttled: 1 });
});

test.each<[S3FaultRates, string]>([
  [{ cut: 1.1 }, 'rates.cut: expected a share from 0 to 1'],
  [{ hanging: -0.1 }, 'rates.hanging'],
  [{ throttled: Number.NaN }, 'rates.throttled'],
  [{ throttled: 0.6, unavailable: 0.6 }, 'to add up to 1 at the most, got 1.2'],
])('refuses the rates %j', (rates, message) => {
  expect(() => new SeededS3Faults(1, rates)).toThrow(message);
});

test("the SDK's own attempts get through a fifth of refused calls", async () => {
  const { choose } = new SeededS3Faults(3, { throttled: 0.1, unavailable: 0.1 });
  let calls = 0;
  const s3 = await startS3({
    buckets: ['archive'],
    choose: call => {
      calls += 1;
      return choose(call);
    },
  });
  const client = s3Client(s3.endpoint, { maxAttempts: 5 });
  try {
    const keys = Array.from({ length: 20 }, (_, index) => `${index}`);
    for (const Key of keys) await client.send(new PutObjectCommand({ Bucket: 'archive', Key, Body: Key }));
    expect(await s3.keys('archive')).toEqual(keys.sort());
    expect(calls).toBeGreaterThan(20);
  } finally {
    client.destroy();
    await s3.stop();
  }
});
