import { readWindowKey, windowKey } from '../../expiry/window.ts';
import { joinedWindows, shardsOf } from '../../functions/table/target-windows.ts';
import type { SweepTarget, TargetWindow } from '../../statemachine/contract/targets.ts';

/** The windows of a target, by the keys of the index. */
export function windowsOf(...keys: readonly string[]): TargetWindow[] {
  return joinedWindows(
    keys.map(key => {
      const window = readWindowKey(key);
      if (window === undefined) throw new TypeError(`${key}: expected a window's key`);
      return { start: window.start, shards: `${window.shard}` };
    }),
  );
}

/** The inverse: the keys that a target of windows of such a length has. */
export function windowKeysOf({ windows }: SweepTarget, granularitySeconds = 60): string[] {
  return windows.flatMap(({ start, shards }) =>
    shardsOf(shards).map(shard => windowKey(start, granularitySeconds, shard)),
  );
}
