import type { FieldProblem } from '../expiry/errors.ts';
import { isObject, type Kind, kind, objectProblems, whole } from '../expiry/fields.ts';
import { ARCHIVE_KINDS, type ArchiveFormat, type ArchiveRemovals } from '../functions/archive/settings.ts';
import type { StreamFunctionName } from '../functions/function-list.ts';
import {
  byDestination,
  DESTINATION_NAMES,
  DESTINATIONS,
  type DestinationKind,
  type DestinationName,
} from '../functions/publish-expiries/destinations.ts';
import { EVENT_KINDS } from '../functions/publish-expiries/settings.ts';
import { variableOf } from '../functions/runtime/variables.ts';
import { orReference } from './terraform-text.ts';

/** The archive: expired items are kept in S3. */
export interface ArchiveProp {
  /** Name of an existing bucket. @default a bucket is created, which no deployment deletes */
  readonly bucket?: string;
  /** Prefix of every key. @default '' */
  readonly prefix?: string;
  /** Which removals are archived. @default 'expiries' */
  readonly removals?: ArchiveRemovals;
  /** Format of the items. @default 'dynamodb-json' */
  readonly format?: ArchiveFormat;
  /** Seconds for which removals are collected for one object, 0 to 300. @default 60 */
  readonly batchSeconds?: number;
  /** Days until an object of a created bucket moves to colder storage. @default 90 */
  readonly coldAfterDays?: number;
}

/** The destination of events: one of the fields of {@link DESTINATIONS}. */
export interface EventsProp extends EventsDestination {
  /** Whether an event contains the item before its deletion. @default false */
  readonly oldImage?: boolean;
  /** Whether expiries of up to 24 hours before the events are turned on are published too. @default false */
  readonly includePast?: boolean;
}

type EventsDestination = { readonly [Name in keyof typeof DESTINATIONS]?: string };

/** The prop with the defaults of its fields. Without a bucket one is created. */
export type ResolvedArchive = Required<Omit<ArchiveProp, 'bucket'>> & Pick<ArchiveProp, 'bucket'>;

const ARCHIVE_DEFAULTS = {
  prefix: '',
  removals: 'expiries',
  format: 'dynamodb-json',
  batchSeconds: 60,
  coldAfterDays: 90,
} as const satisfies Omit<ResolvedArchive, 'bucket'>;

export type { DestinationKind, DestinationName };

/** The environment variable of the function that names a destination. */
export const DESTINATION_VARIABLES = byDestination(name => variableOf(DESTINATIONS[name].setting));

export function resolvedArchive(archive: ArchiveProp): ResolvedArchive {
  return { ...ARCHIVE_DEFAULTS, ...archive };
}

/**
 * The filter of the stream: only removals can be expiries. Lambda does not call the function for other changes, and bills nothing for
 * them.
 */
export const STREAM_FILTER = { eventName: ['REMOVE'] };

/** The longest time for which Lambda collects records. Source: Lambda API reference, CreateEventSourceMapping. */
const MAX_BATCH_SECONDS = 300;

/** Most days until colder storage: ten years. */
const MAX_COLD_DAYS = 3650;

const ARCHIVE_PROP_KINDS = {
  bucket: orReference(ARCHIVE_KINDS.archiveBucket),
  prefix: ARCHIVE_KINDS.archivePrefix,
  removals: ARCHIVE_KINDS.archiveRemovals,
  format: ARCHIVE_KINDS.archiveFormat,
  batchSeconds: whole(0, MAX_BATCH_SECONDS, 'a whole number of seconds'),
  coldAfterDays: whole(1, MAX_COLD_DAYS, 'a whole number of days'),
} satisfies { readonly [Name in keyof ArchiveProp]-?: Kind<unknown> };

const REMEDY = 'Correct the value, or leave the field out for its default.';

export const ARCHIVE: Kind<ArchiveProp> = kind(isObject, '{} or { bucket: …, removals: … }', {
  inside: archive => {
    const problems = objectProblems(ARCHIVE_PROP_KINDS, archive, { remedy: REMEDY });
    return problems.length > 0 ? problems : lifecycleProblems(archive);
  },
});

/** Problems of `coldAfterDays` with an existing bucket, whose owner decides on its lifecycle. */
function lifecycleProblems({ bucket, coldAfterDays }: ArchiveProp): FieldProblem[] {
  if (bucket === undefined || coldAfterDays === undefined) return [];
  return [
    {
      field: 'coldAfterDays',
      expected: 'none with bucket',
      got: coldAfterDays,
      remedy:
        'Leave it out: a deployment changes nothing about an existing bucket. Give that a lifecycle yourself.',
    },
  ];
}

const EVENTS_PROP_KINDS = {
  ...byDestination(name => orReference(EVENT_KINDS[name])),
  oldImage: EVENT_KINDS.oldImage,
  includePast: EVENT_KINDS.includePast,
} satisfies { readonly [Name in keyof EventsProp]-?: Kind<unknown> };

export const EVENTS: Kind<EventsProp> = kind(
  isObject,
  DESTINATION_NAMES.map(name => `{ ${name}: … }`)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' or '),
  {
    inside: events => {
      const problems = objectProblems(EVENTS_PROP_KINDS, events, { remedy: REMEDY });
      return problems.length > 0 ? problems : destinationProblems(events);
    },
  },
);

/** The remedy for a destination that belongs to the deployment itself. */
export const OWN_DESTINATION_REMEDY = 'Name one of yours, which does something with the events.';

function destinationProblems(events: EventsProp): FieldProblem[] {
  const given = DESTINATION_NAMES.filter(target => events[target] !== undefined);
  if (given.length === 1) return [];
  return [
    {
      field: '',
      expected: `exactly one of ${DESTINATION_NAMES.join(', ')}`,
      got: given.length === 0 ? events : given.join(' and '),
      remedy:
        'Say where the events go. One that is to go to several places goes to a bus, whose rules hand it on.',
    },
  ];
}

/** The functions that the stream of a table calls. */
export function streamFunctionsOf({
  archive,
  events,
}: {
  readonly archive?: object;
  readonly events?: object;
}): StreamFunctionName[] {
  return [
    ...(archive === undefined ? [] : (['ArchiveExpiries'] as const)),
    ...(events === undefined ? [] : (['PublishExpiries'] as const)),
  ];
}
