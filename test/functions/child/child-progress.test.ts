import { fateOfPage, NOTHING_COUNTED } from '../../../functions/child/child-counts.ts';
import { startProgress } from '../../../functions/child/child-progress.ts';
import { handOn } from '../../../functions/child/shard-result.ts';
import { rangesOf } from '../../../functions/table/target-windows.ts';
import type { InitialProgress } from '../../../statemachine/contract/child.ts';
import { CHILD_RESULT_BYTES } from '../../../statemachine/contract/limits.ts';
import type { SweepTarget } from '../../../statemachine/contract/targets.ts';
import type { Millis, Seconds } from '../../../statemachine/times.ts';

const target: SweepTarget = { windows: [{ start: 0, shards: '0' }], from: 1, before: 100, upcomingFrom: 40 };
const initial: InitialProgress = { target, dryRun: false, listedKeysBytes: 9, limit: null };

test('a child goes on with its progress as it is', () => {
  const progress = { ...startProgress(initial), busy: { polls: 3, untilMs: 7 } };
  expect(startProgress(progress)).toBe(progress);
});

test('a child that began before its progress had slices sweeps its target again', () => {
  const former = { ...initial, position: null, seen: 50, pollAt: 51, deferred: 2, deleted: 7, inFlight: 25 };
  expect(startProgress(former as InitialProgress)).toEqual(startProgress(initial));
});

test('of a page only what DynamoDB is known to have been asked for was tried', () => {
  const before = { ...NOTHING_COUNTED, deleted: 5, throttled: 1, inFlight: 50 };
  // The other 25 were in a call that hung, and are deferred.
  const after = { ...before, inFlight: 0, deleted: 25, failed: 1, throttled: 5 };
  expect(fateOfPage(before, after)).toEqual({ handedOver: 50, tried: 25, throttled: 4 });
});

test('a child of a thousand shards can hand on what is left, also when only every second one is its own', () => {
  const shards = rangesOf(Array.from({ length: 500 }, (_unused, index) => 2 * index));
  const wide: SweepTarget = { ...target, windows: [{ start: 1_795_132_800, shards }], upcomingFrom: null };
  const lagCounts = Object.fromEntries(Array.from({ length: 60 }, (_unused, bucket) => [bucket, 1_000_000]));
  const counts = { ...NOTHING_COUNTED, deleted: 60_000_000, lagCounts };
  const result = handOn({ ...startProgress({ ...initial, target: wide }), counts });
  expect(result.resume).toEqual(wide);
  expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(CHILD_RESULT_BYTES.tick);
});

test('milliseconds are refused where seconds are expected', () => {
  const nowMs: Millis = 1_795_165_260_000;
  // @ts-expect-error
  const seconds: Seconds = nowMs;
  expect(seconds).toBe(nowMs);
});
