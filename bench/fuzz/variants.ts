import { carriedSettings, type Settings } from '../../functions/runtime/environment.ts';
import { pipesOf } from '../../stacks/config/pipe-props.ts';
import { type FlatProps, functionSettings, resolveProps } from '../../stacks/config/props.ts';
import { DELIVERIES, inputTemplate } from '../../stacks/parts/pipes.ts';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import type { FollowedPipe } from '../ledger/deliveries.ts';

/** Props of a variant. `maxDeletesPerSecond` is a share of all items, so that every run reaches the limit. */
export type VariantProps = Omit<FlatProps, 'tableName' | 'partitionKey'>;

export interface FuzzedPipe extends FollowedPipe {
  readonly inputTemplate: string;
  readonly batchSize: number;
}

export interface Resolved {
  readonly carried: CarriedSettings & Settings;
  readonly pipes: readonly FuzzedPipe[];
}

export function resolveVariant(props: VariantProps, tableName: string): Resolved {
  const sweep = resolveProps({ tableName, partitionKey: 'id', ...props });
  return {
    carried: { ...carriedSettings(functionSettings(sweep)) },
    pipes: pipesOf(sweep).map(pipe => {
      const { kind, to: target = kind, oldImage } = pipe;
      const { batchSize } = DELIVERIES[kind];
      const template = inputTemplate({ tableName, props: sweep }, pipe);
      return { name: target, target, oldImage, batchSize, inputTemplate: template };
    }),
  };
}

export interface Variant {
  readonly name: string;
  readonly props: VariantProps;
  readonly keyType?: 'S' | 'N' | 'B';
  /** How far the clocks of Step Functions and of the functions are ahead of the simulation's clock, milliseconds. */
  readonly skewMs?: Clocks;
  /** Added to {@link skewMs} for 20 of every 40 seconds, milliseconds. */
  readonly stepMs?: Clocks;
}

interface Clocks {
  readonly stepFunctions: number;
  readonly functions: number;
}

/** How far a clock is ahead of the simulation's clock, milliseconds. @param nowMs of the simulation's clock */
export function aheadOf(clock: keyof Clocks, { skewMs, stepMs }: Variant, nowMs: number): number {
  const isStepped = Math.floor(nowMs / 20_000) % 2 === 1;
  return (skewMs?.[clock] ?? 0) + (isStepped ? (stepMs?.[clock] ?? 0) : 0);
}

/** Longest delay of a delete that wrong clocks can cause, milliseconds. */
export function lateByClocks({ skewMs, stepMs }: Variant): number {
  return [skewMs, stepMs].reduce(
    (sum, clocks) => sum + Math.abs(clocks?.stepFunctions ?? 0) + Math.abs(clocks?.functions ?? 0),
    0,
  );
}

const ARN = (service: string, name: string) => `arn:aws:${service}:us-east-1:123456789012:${name}`;
const BUS = ARN('events', 'event-bus/expiries');
const QUEUE = ARN('sqs', 'expired.fifo');
const STREAM = ARN('kinesis', 'stream/expired');
const FUNCTION = ARN('lambda', 'function:worker');
const BY_SECOND = { indexedBy: 'second' } as const;
const WITH_PIPES = { archive: true, events: { to: BUS } } as const;
const clocks = (stepFunctions: number, functions: number) => ({ stepFunctions, functions });

export const VARIANTS: readonly Variant[] = [
  { name: 'window', props: {} },
  { name: 'minutes', props: { granularityMinutes: 1 } },
  { name: 'second', props: BY_SECOND },
  { name: 'shards', props: { shards: 3, granularityMinutes: 5, sortKey: 'sk' } },
  { name: 'plain', props: { precision: 'minute', ttlAttribute: 'expires at', logKeys: 'hash' } },
  { name: 'poll', props: { pollSeconds: 5 }, keyType: 'B' },
  { name: 'limit', props: { maxDeletesPerSecond: 0.01, granularityMinutes: 15 } },
  { name: 'limit-second', props: { maxDeletesPerSecond: 0.01, indexedBy: 'second' } },
  { name: 'batch', props: { deleteMode: 'batch' } },
  { name: 'batch-second', props: { deleteMode: 'batch', indexedBy: 'second', sortKey: 'sk', archive: true } },
  { name: 'archive', props: { sortKey: 'sk', archive: true }, keyType: 'B' },
  { name: 'two-targets', props: { events: { to: [BUS, QUEUE] } } },
  { name: 'events', props: { indexedBy: 'second', events: { to: FUNCTION, oldImage: true } } },
  { name: 'events-queue', props: { archive: true, events: { to: QUEUE, oldImage: true } } },
  { name: 'events-stream', props: { sortKey: 'sk', events: { to: STREAM, oldImage: true } }, keyType: 'N' },
  { name: 'skew-alone-5s', props: {}, skewMs: clocks(-5_000, 5_000) },
  { name: 'skew-alone+5s', props: BY_SECOND, skewMs: clocks(5_000, -5_000) },
  // Step Functions' clock and the functions' clocks are ahead of the simulation's clock: a sweep that trusts them deletes too early.
  { name: 'skew-both+2s', props: {}, skewMs: clocks(2_000, 2_000) },
  { name: 'steps-machine', props: {}, stepMs: clocks(5_000, 0) },
  { name: 'steps-functions', props: BY_SECOND, stepMs: clocks(0, 5_000) },
  { name: 'skew-5s', props: WITH_PIPES, skewMs: clocks(-5_000, 5_000) },
  { name: 'skew+0.1s', props: WITH_PIPES, skewMs: clocks(100, -100) },
  { name: 'skew+5s', props: WITH_PIPES, skewMs: clocks(5_000, -5_000) },
  { name: 'skew-functions-5s', props: { ...BY_SECOND, ...WITH_PIPES }, skewMs: clocks(0, -5_000) },
  { name: 'skew-functions+5s', props: { ...BY_SECOND, ...WITH_PIPES }, skewMs: clocks(0, 5_000) },
];

export const OTHER_TABLES: readonly VariantProps[] = [
  {},
  { granularityMinutes: 1 },
  { sortKey: 'sk', shards: 3 },
  { indexedBy: 'second' },
];
