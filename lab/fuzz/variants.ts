import type { ArchiveRemovals } from '../../functions/archive/settings.ts';
import type { DestinationName } from '../../functions/publish-expiries/destinations.ts';
import type { Settings } from '../../functions/runtime/environment.ts';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';

/** The props in which the variants differ. */
export interface VariantProps {
  readonly sortKey?: string;
  readonly ttlAttribute?: string;
  readonly indexedBy?: 'window' | 'second';
  readonly granularityMinutes?: number;
  readonly shards?: number;
  readonly deleteMode?: 'guarded' | 'batch';
  readonly precision?: 'second' | 'minute';
  readonly pollSeconds?: number;
  /** In the variants a share of the items, so that there are always more in a second than it allows. */
  readonly maxDeletesPerSecond?: number;
  readonly logKeys?: 'full' | 'hash' | 'none';
  readonly archive?: { readonly removals?: ArchiveRemovals };
  readonly events?: EventsProps;
}

type EventsProps = { readonly oldImage?: boolean } & Readonly<Partial<Record<DestinationName, string>>>;

/** The resolved settings of a table, as executions carry them. */
export interface Resolved {
  readonly carried: CarriedSettings & Settings;
  /** The pattern of the event source mappings, JSON. */
  readonly filter: string;
}

export type Resolve = (props: VariantProps, tableName: string) => Resolved;

export interface Variant {
  readonly name: string;
  readonly props: VariantProps;
  /** Type of the partition key. @default 'S' */
  readonly keyType?: 'S' | 'N' | 'B';
  /** Number of milliseconds by which clocks are ahead of DynamoDB's. */
  readonly skewMs?: Clocks;
  /** The same in 20 seconds of 40: clocks that step there and back. */
  readonly stepMs?: Clocks;
}

interface Clocks {
  readonly stepFunctions: number;
  readonly functions: number;
}

/** By how much a clock is ahead at a moment, milliseconds. */
export function aheadOf(clock: keyof Clocks, { skewMs, stepMs }: Variant, nowMs: number): number {
  const isStepped = Math.floor(nowMs / 20_000) % 2 === 1;
  return (skewMs?.[clock] ?? 0) + (isStepped ? (stepMs?.[clock] ?? 0) : 0);
}

/** By how much clocks can make a delete late, milliseconds. */
export function lateByClocks({ skewMs, stepMs }: Variant): number {
  return [skewMs, stepMs].reduce(
    (sum, clocks) => sum + Math.abs(clocks?.stepFunctions ?? 0) + Math.abs(clocks?.functions ?? 0),
    0,
  );
}

const EVENTS_TO = {
  eventBus: 'expiries',
  queueArn: 'arn:aws:sqs:us-east-1:123456789012:expired.fifo',
  functionArn: 'arn:aws:lambda:us-east-1:123456789012:function:worker',
  streamArn: 'arn:aws:kinesis:us-east-1:123456789012:stream/expired',
} as const satisfies Record<DestinationName, string>;

const BUS = { eventBus: EVENTS_TO.eventBus };
const QUEUE = { queueArn: EVENTS_TO.queueArn };
const STREAM = { streamArn: EVENTS_TO.streamArn };
const FUNCTION = { functionArn: EVENTS_TO.functionArn };

/** Clock skews, ahead and behind, of less than a second and of several seconds. */
const SKEWS_MS = [-5_000, 100, 5_000];

export const VARIANTS: readonly Variant[] = [
  { name: 'window', props: {} },
  { name: 'minutes', props: { granularityMinutes: 1 } },
  { name: 'second', props: { indexedBy: 'second' } },
  { name: 'shards', props: { shards: 3, granularityMinutes: 5, sortKey: 'sk' } },
  { name: 'plain', props: { precision: 'minute', ttlAttribute: 'expires at', logKeys: 'hash' } },
  { name: 'poll', props: { pollSeconds: 5 }, keyType: 'B' },
  { name: 'limit', props: { maxDeletesPerSecond: 0.01, granularityMinutes: 15 } },
  { name: 'limit-second', props: { maxDeletesPerSecond: 0.01, indexedBy: 'second' } },
  { name: 'batch', props: { deleteMode: 'batch' } },
  { name: 'batch-second', props: { deleteMode: 'batch', indexedBy: 'second', sortKey: 'sk', archive: {} } },
  { name: 'archive', props: { sortKey: 'sk', archive: {} }, keyType: 'B' },
  { name: 'archive-all', props: { archive: { removals: 'all' } } },
  { name: 'events', props: { indexedBy: 'second', events: { ...FUNCTION, oldImage: true } } },
  { name: 'events-queue', props: { archive: {}, events: { ...QUEUE, oldImage: true } } },
  { name: 'events-stream', props: { sortKey: 'sk', events: { ...STREAM, oldImage: true } }, keyType: 'N' },
  { name: 'skew-alone-5s', props: {}, skewMs: { stepFunctions: -5_000, functions: 5_000 } },
  {
    name: 'skew-alone+5s',
    props: { indexedBy: 'second' },
    skewMs: { stepFunctions: 5_000, functions: -5_000 },
  },
  { name: 'steps-machine', props: {}, stepMs: { stepFunctions: 5_000, functions: 0 } },
  {
    name: 'steps-functions',
    props: { indexedBy: 'second' },
    stepMs: { stepFunctions: 0, functions: 5_000 },
  },
  ...SKEWS_MS.map(
    (ms): Variant => ({
      name: `skew${named(ms)}`,
      props: { archive: {}, events: BUS },
      skewMs: { stepFunctions: ms, functions: -ms },
    }),
  ),
  ...[-5_000, 5_000].map(
    (ms): Variant => ({
      name: `skew-functions${named(ms)}`,
      props: { indexedBy: 'second', archive: {}, events: BUS },
      skewMs: { stepFunctions: 0, functions: ms },
    }),
  ),
];

/** The other tables of a variant's deployment. */
export const OTHER_TABLES: readonly VariantProps[] = [
  {},
  { granularityMinutes: 1 },
  { sortKey: 'sk', shards: 3 },
  { indexedBy: 'second' },
];

/** Formats a skew: 5,000 is `+5s`. */
function named(ms: number): string {
  return `${ms > 0 ? '+' : ''}${ms / 1000}s`;
}
