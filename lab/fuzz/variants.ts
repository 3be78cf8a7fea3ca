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
  readonly lookbackMinutes?: number;
  readonly precisionSeconds?: number;
  readonly pollSeconds?: number;
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

export type Resolve = (props: VariantProps) => Resolved;

export interface Variant {
  readonly name: string;
  readonly props: VariantProps;
  /** Type of the partition key. @default 'S' */
  readonly keyType?: 'S' | 'N' | 'B';
  /** Number of milliseconds by which clocks are ahead of DynamoDB's. */
  readonly skewMs?: { readonly stepFunctions: number; readonly functions: number };
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
const SKEWS_MS = [-5_000, -200, 100, 200, 5_000];

export const VARIANTS: readonly Variant[] = [
  { name: 'window', props: {} },
  { name: 'minutes', props: { granularityMinutes: 1, lookbackMinutes: 10 } },
  { name: 'second', props: { indexedBy: 'second' } },
  { name: 'shards', props: { shards: 3, granularityMinutes: 5, sortKey: 'sk' } },
  { name: 'plain', props: { precisionSeconds: 60, ttlAttribute: 'expires at', logKeys: 'hash' } },
  { name: 'poll', props: { pollSeconds: 5 }, keyType: 'B' },
  { name: 'limit', props: { maxDeletesPerSecond: 100, granularityMinutes: 15, lookbackMinutes: 15 } },
  { name: 'limit-second', props: { maxDeletesPerSecond: 100, indexedBy: 'second' } },
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

/** Formats a skew: 5,000 is `+5s`. */
function named(ms: number): string {
  return `${ms > 0 ? '+' : ''}${ms / 1000}s`;
}
