import { functionSettings, type PreciseTtlProps, resolveProps, tuned } from '../../config/props.ts';
import { readWindowKey, windowKey } from '../../expiry/window.ts';
import {
  carriedSettings,
  readSettings,
  type Settings,
  type SweepSettings,
} from '../../functions/runtime/environment.ts';
import { variableOf } from '../../functions/runtime/variables.ts';
import { joinedWindows, shardsOf } from '../../functions/table/target-windows.ts';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import type { SweepTarget, TargetWindow } from '../../statemachine/contract/targets.ts';

/** Settings that have no prop, and that a test changes. */
export type Tuning = Partial<
  Pick<
    Settings,
    | 'backoffBaseSeconds'
    | 'backoffCapSeconds'
    | 'chunkConcurrency'
    | 'deleteAttempts'
    | 'lookbackMinutes'
    | 'shardConcurrency'
  >
>;

/** Returns a stack with these settings, in its state machines' definitions and its environments. */
export function withSettings<Stack>(stack: Stack, settings: Tuning): Stack {
  const changed = Object.entries(settings).reduce(
    (text, [name, value]) =>
      text
        .replaceAll(new RegExp(String.raw`(\b${name}\\*":)\d+`, 'g'), `$1${value}`)
        .replaceAll(new RegExp(String.raw`("${variableOf(name)}":")\d+`, 'g'), `$1${value}`),
    JSON.stringify(stack),
  );
  return JSON.parse(changed);
}

/** What the functions of a table with these props know of it: as an execution carries it. */
export function settingsOf(props: PreciseTtlProps & Tuning): SweepSettings {
  return readSettings(carriedOf(props));
}

/** What an execution carries of a table with these props. */
export function carriedOf(props: PreciseTtlProps & Tuning): Settings & CarriedSettings {
  const resolved = resolveProps(props);
  const names = Object.keys(tuned(resolved)) as (keyof Tuning)[];
  const tuning = Object.fromEntries(names.map(name => [name, props[name] ?? resolved[name]]));
  return { ...carriedSettings({ ...functionSettings(resolved), ...tuning }) };
}

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
