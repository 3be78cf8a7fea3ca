/** One thing that a sweep counts. */
export interface Count {
  /**
   * Who counts it: a call of DynamoDB, the attempts at a chunk, a child or the execution. What a call counts is added up by its
   * chunk, and so on upwards.
   */
  readonly by: 'call' | 'chunk' | 'child' | 'execution';
  /** It is one of the fates that an item can have: their sum is `found`. */
  readonly isFate?: true;
  /** The meaning of the count, a sentence for the metrics and the glossary. */
  readonly help: string;
  /** Name and unit of the metric that it is recorded as. @default it is in the report only */
  readonly metric?: {
    readonly name: string;
    readonly unit: 'Count' | 'Seconds';
    /** Left out when it is 0: CloudWatch bills a metric by the hours that have a datapoint. */
    readonly onlyAboveZero?: true;
    /** Recorded with `metrics: 'essential'`, too. */
    readonly isEssential?: true;
  };
  /** `precise-ttl replay` adds it up and shows it. */
  readonly replayed?: true;
}

/**
 * Everything that a sweep counts, in the order of its report. The types of what the states hand on, the sums, the report, the
 * metrics, the totals of a replay and the tables in README.md and docs/contributing/glossary.md are made from this list.
 */
export const COUNTS = {
  found: {
    by: 'child',
    help: 'Index entries found expired, or planned to be deleted when they are.',
    metric: { name: 'ItemsFound', unit: 'Count' },
    replayed: true,
  },
  deleted: {
    by: 'call',
    isFate: true,
    help: 'Expired items deleted by this sweep.',
    metric: { name: 'ItemsDeleted', unit: 'Count' },
    replayed: true,
  },
  renewed: {
    by: 'call',
    isFate: true,
    help: 'Items that had been renewed by the time of the delete; they stay (guarded mode).',
    metric: { name: 'ItemsRenewed', unit: 'Count' },
    replayed: true,
  },
  held: {
    by: 'call',
    isFate: true,
    help: 'Expired items that have the attribute of `hold`; they stay. Windows that hold nothing else are passed over, and not counted.',
    metric: { name: 'ItemsHeld', unit: 'Count', onlyAboveZero: true },
    replayed: true,
  },
  notFound: {
    by: 'call',
    isFate: true,
    help: 'Items that no longer existed at the delete (in batch mode these count as deleted).',
    metric: { name: 'ItemsNotFound', unit: 'Count' },
    replayed: true,
  },
  failed: {
    by: 'child',
    isFate: true,
    help: 'Expired items that could not be deleted. Above 0 the execution fails.',
    metric: { name: 'ItemsFailed', unit: 'Count' },
    replayed: true,
  },
  throttled: {
    by: 'call',
    help: 'Keys that DynamoDB throttled in a delete, each as often as it did. They are tried again, and the child slows down.',
  },
  retries: {
    by: 'chunk',
    help: 'Repeated calls for chunks with unprocessed keys: a measure of how much DynamoDB throttles.',
    metric: { name: 'ChunkRetries', unit: 'Count' },
  },
  braked: {
    by: 'child',
    help: 'About how many seconds children waited because DynamoDB throttled or `maxDeletesPerSecond` was reached.',
    metric: { name: 'Braked', unit: 'Count', onlyAboveZero: true },
    replayed: true,
  },
  leftForLater: {
    by: 'child',
    help: 'Children that left expired items to a later sweep, because `maxDeletesPerSecond` did not allow more within their time; and what a tick could not hand over, because the table has a hand-over already or is paused.',
  },
  shardsSwept: {
    by: 'execution',
    help: 'Children that finished.',
    metric: { name: 'ShardsSwept', unit: 'Count' },
  },
  shardsFailed: {
    by: 'execution',
    help: 'Children that were interrupted, crashed or timed out. Above 0 the execution fails; a replay finds what they left.',
    metric: { name: 'ShardsFailed', unit: 'Count' },
    replayed: true,
  },
  tablesFailed: {
    by: 'execution',
    help: 'Tables that could not be asked what is due, and were not swept. Above 0 the execution fails.',
    metric: { name: 'TablesFailed', unit: 'Count', onlyAboveZero: true, isEssential: true },
  },
  handedOver: {
    by: 'execution',
    help: 'Executions of the replay state machine to which a tick left what it could not finish, counted when they end.',
    metric: { name: 'HandOvers', unit: 'Count', onlyAboveZero: true },
  },
  steps: {
    by: 'execution',
    help: 'Plans and runs of the children, which decide how long the history of the execution is.',
  },
  oldestOverdueSeconds: {
    by: 'execution',
    help: 'How long the oldest item that earlier sweeps left was overdue when this one began.',
    metric: { name: 'OldestOverdue', unit: 'Seconds' },
  },
  scanned: {
    by: 'child',
    help: 'Entries of the index that a scan of it has read.',
  },
  misfiled: {
    by: 'child',
    help: 'Index entries under windows and shards that no tick looks at: their writer has another `granularityMinutes` or more `shards`. The daily scan names them, and deletes those that are overdue.',
    metric: { name: 'ItemsMisfiled', unit: 'Count', onlyAboveZero: true, isEssential: true },
  },
  fractional: {
    by: 'child',
    help: 'Index entries by second whose TTL has a fraction, so that no query of a second finds them. A scan of the index counts and names them, and deletes those that are overdue.',
  },
  outOfRange: {
    by: 'child',
    help: 'Index entries with a TTL that is negative, in milliseconds, more than 20 years ahead or more than five years back. A scan of the index counts and names them; nothing deletes them.',
  },
} as const satisfies Readonly<Record<string, Count>>;

export type CountName = keyof typeof COUNTS;

/** The names of what these count. */
export type CountNameBy<By extends Count['by']> = {
  [Name in CountName]: (typeof COUNTS)[Name]['by'] extends By ? Name : never;
}[CountName];

/** Values of these counts, by name. */
export type Counts<By extends Count['by'] = Count['by']> = Readonly<Record<CountNameBy<By>, number>>;

/** The list for what works through it; TypeScript knows the keys of an object as texts only. */
export const COUNT_LIST = Object.entries(COUNTS) as readonly (readonly [CountName, Count])[];

function namesBy<const By extends Count['by']>(...by: By[]): readonly CountNameBy<By>[] {
  return COUNT_LIST.flatMap(([name, count]) =>
    by.some(one => one === count.by) ? [name as CountNameBy<By>] : [],
  );
}

/** Counts that only a scan of the index has. It counts each entry, whatever becomes of it. */
export const SCAN_COUNTS = [
  'scanned',
  'misfiled',
  'fractional',
  'outOfRange',
] as const satisfies readonly CountNameBy<'child'>[];
export type ScanCount = (typeof SCAN_COUNTS)[number];

/** Counts of a call of DynamoDB. */
export const CALL_COUNTS = namesBy('call');
/** Counts of the attempts at a chunk. */
export const CHUNK_COUNTS = namesBy('call', 'chunk');
/** Counts of a child. */
export const CHILD_COUNTS = namesBy('call', 'chunk', 'child');
/** Counts of an execution. */
export const EXECUTION_COUNTS = namesBy('call', 'chunk', 'child', 'execution');

/** The fates of an item. */
export type Fate = {
  [Name in CountName]: (typeof COUNTS)[Name] extends { isFate: true } ? Name : never;
}[CountName];

export const FATES = COUNT_LIST.flatMap(([name, { isFate }]) => (isFate ? [name as Fate] : []));

/** A count's name in a text: `notFound` is "not found". */
export function wordsOf(name: CountName): string {
  return name.replaceAll(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`);
}

/** How many items have a fate. */
export function sumOfFates(counts: Readonly<Record<Fate, number>>): number {
  return FATES.reduce((sum, fate) => sum + counts[fate], 0);
}

/** Nothing counted yet. */
export function noCounts<Name extends CountName>(names: readonly Name[]): Readonly<Record<Name, number>> {
  return countEach(names, () => 0);
}

/** Two of the same counts as one. An execution that began before a deployment lacks a count that came with it. */
export function addCounts<Name extends CountName>(
  names: readonly Name[],
  one: Readonly<Record<Name, number>>,
  other: Readonly<Record<Name, number>>,
): Readonly<Record<Name, number>> {
  return countEach(names, name => (one[name] ?? 0) + (other[name] ?? 0));
}

/** These counts and nothing else of what holds them. */
export function countEach<Name extends CountName>(
  names: readonly Name[],
  count: (name: Name) => number,
): Readonly<Record<Name, number>> {
  return Object.fromEntries(names.map(name => [name, count(name)])) as Record<Name, number>;
}
