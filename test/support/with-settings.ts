import type { Settings } from '../../functions/runtime/environment.ts';
import { variableOf } from '../../functions/runtime/variables.ts';

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
