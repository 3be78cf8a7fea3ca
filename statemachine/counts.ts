export interface Count {
  /** Where this is counted: in a call to DynamoDB, a chunk, a child or an execution. A chunk adds up its calls, a child its chunks etc. */
  readonly by: 'call' | 'chunk' | 'child' | 'execution';
  /** Except in a dry run, each item that was found is counted in exactly one of the counts with `isFate`: their sum is `found`. */
  readonly isFate?: true;
  readonly help: string;
  readonly metric?: {
    readonly name: string;
    readonly unit: 'Count' | 'Seconds';
    /** True: a value of 0 is not recorded, because CloudWatch bills a metric for each hour in which a value is recorded. */
    readonly onlyAboveZero?: true;
  };
  /** True: `precise-ttl replay` adds up this count and shows the sum. */
  readonly replayed?: true;
}

/** All counts of a sweep, in the order of its report. Types, sums, metrics and tables in docs/ are made from this list. */
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
    help: 'Keys that DynamoDB throttled in a delete, each as often as it did. They are tried again.',
  },
  retries: {
    by: 'chunk',
    help: 'Repeated calls for chunks with unprocessed keys: a measure of how much DynamoDB throttles.',
    metric: { name: 'ChunkRetries', unit: 'Count' },
  },
  leftForLater: {
    by: 'child',
    help: 'Children that left expired items to a later sweep: their time or their share of `maxDeletesPerSecond` was over, or the table was paused.',
    replayed: true,
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
    metric: { name: 'TablesFailed', unit: 'Count', onlyAboveZero: true },
  },
  rounds: {
    by: 'execution',
    help: 'Rounds of a replay: each has the children that sweep what those before them have left.',
  },
  oldestOverdueSeconds: {
    by: 'execution',
    help: 'How long the oldest item that earlier sweeps left was overdue when this one began.',
    metric: { name: 'OldestOverdue', unit: 'Seconds' },
  },
} as const satisfies Readonly<Record<string, Count>>;

export type CountName = keyof typeof COUNTS;

export type CountNameBy<By extends Count['by']> = {
  [Name in CountName]: (typeof COUNTS)[Name]['by'] extends By ? Name : never;
}[CountName];

export type Counts<By extends Count['by'] = Count['by']> = Readonly<Record<CountNameBy<By>, number>>;

export const COUNT_LIST = Object.entries(COUNTS) as readonly (readonly [CountName, Count])[];

function namesBy<const By extends Count['by']>(...by: By[]): readonly CountNameBy<By>[] {
  return COUNT_LIST.flatMap(([name, count]) =>
    by.some(one => one === count.by) ? [name as CountNameBy<By>] : [],
  );
}

export const CALL_COUNTS = namesBy('call');
export const CHUNK_COUNTS = namesBy('call', 'chunk');
export const CHILD_COUNTS = namesBy('call', 'chunk', 'child');
export const EXECUTION_COUNTS = namesBy('call', 'chunk', 'child', 'execution');

export type Fate = {
  [Name in CountName]: (typeof COUNTS)[Name] extends { isFate: true } ? Name : never;
}[CountName];

export const FATES = COUNT_LIST.flatMap(([name, { isFate }]) => (isFate ? [name as Fate] : []));

export function wordsOf(name: CountName): string {
  return name.replaceAll(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`);
}

export function sumOfFates(counts: Readonly<Record<Fate, number>>): number {
  return FATES.reduce((sum, fate) => sum + counts[fate], 0);
}

export function noCounts<Name extends CountName>(names: readonly Name[]): Readonly<Record<Name, number>> {
  return countEach(names, () => 0);
}

/** A missing count is 0: an execution that began before an update of the deployment has no counts that the update added. */
export function addCounts<Name extends CountName>(
  names: readonly Name[],
  one: Readonly<Record<Name, number>>,
  other: Readonly<Record<Name, number>>,
): Readonly<Record<Name, number>> {
  return countEach(names, name => (one[name] ?? 0) + (other[name] ?? 0));
}

export function countEach<Name extends CountName>(
  names: readonly Name[],
  count: (name: Name) => number,
): Readonly<Record<Name, number>> {
  return Object.fromEntries(names.map(name => [name, count(name)])) as Record<Name, number>;
}
