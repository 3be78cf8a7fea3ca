import { type Clock, type RandomSource, seededRandom } from 'stepfunctions-emulator';
import { JournalUnreadableError, JournalUnwritableError } from '../../functions/runtime/errors.ts';

export type CallEffect =
  | { readonly kind: 'refuse'; readonly error: string; readonly status: number }
  /** Index → error of each key that DynamoDB does not delete in a batch; BatchWriteItem returns these keys as unprocessed. */
  | { readonly kind: 'leaveOut'; readonly errors: ReadonlyMap<number, string> }
  | { readonly kind: 'cutBefore' }
  | { readonly kind: 'cutAfter' }
  | { readonly kind: 'slow'; readonly ms: number };

export const FAULT_GROUPS = {
  busy: 'calls refused as throttled or with 5xx, batches of which some keys are left',
  refused: 'single keys that DynamoDB will not delete',
  cut: 'connections cut before a call took effect or after it, and answers that come too late',
  outages: 'DynamoDB or the target of a pipe refuses everything for some seconds',
  zombies: 'calls that were given up and take effect later',
  kills: 'functions that die, hang or lose their answer, and executions that are stopped',
  starts: 'calls that begin up to five seconds after their state was entered',
  ticks: 'ticks that come late, twice or never',
  lag: 'an index that lags by up to five seconds',
  adversary: 'items that change between the read and the delete',
  journal: 'a journal that cannot be read or written, or answers late',
  long: 'minutes without ticks, without PlanSweep or without DynamoDB, more than a tick looks ahead',
  tables:
    'other tables that are deleted, forbidden, read-only, hanging or throttled, also when all else is calm',
  pauses: 'operators who pause tables and resume them',
  deploys: 'a deployment while executions run: they have a setting too many, or one too few',
  replays: 'two replays at once beside the ticks',
} as const;

export type FaultGroup = keyof typeof FAULT_GROUPS;

export const ALL_FAULTS = Object.keys(FAULT_GROUPS) as FaultGroup[];

// Error codes. Source: DynamoDB Developer Guide, "Error handling with DynamoDB".
const THROTTLED = ['ProvisionedThroughputExceededException', 'ThrottlingException', 'RequestLimitExceeded'];
const UNAVAILABLE = [
  ['InternalServerError', 500],
  ['ServiceUnavailable', 503],
] as const;

/** Errors of a single statement after which another attempt may succeed. Source: API reference of BatchStatementError. */
const BUSY_STATEMENT_ERRORS = [
  'ProvisionedThroughputExceeded',
  'ThrottlingError',
  'RequestLimitExceeded',
  'InternalServerError',
  'TransactionConflict',
] as const;

/** Errors that a repeated statement gets again. ConditionalCheckFailed is none of them: its item counts as renewed, not as failed. */
const LASTING_STATEMENT_ERRORS = [
  'ValidationError',
  'AccessDenied',
  'ResourceNotFound',
  'ItemCollectionSizeLimitExceeded',
  'DuplicateItem',
] as const;

export function isLasting(code: string): boolean {
  return (LASTING_STATEMENT_ERRORS as readonly string[]).includes(code);
}

/** Delay of a late answer, milliseconds: longer than every request timeout, so that the client gives up. */
const SLOW_MS = 6_000;

interface CallFault {
  readonly group: FaultGroup;
  readonly rate: number;
  readonly what: string;
  readonly effect: (call: FaultyCall, random: RandomSource) => CallEffect | undefined;
}

interface FaultyCall {
  readonly operation: string;
  readonly keys: number;
}

/**
 * The faults of single requests to DynamoDB, and of deliveries to a pipe's target. Each request or delivery has at most one of these
 * faults.
 */
const CALL_FAULTS: readonly CallFault[] = [
  {
    ...{ group: 'busy', rate: 0.02, what: 'calls refused as throttled' },
    effect: (_call, random) => ({ kind: 'refuse', error: pick(THROTTLED, random), status: 400 }),
  },
  {
    ...{ group: 'busy', rate: 0.01, what: 'calls answered with a server error' },
    effect(_call, random) {
      const [error, status] = pick(UNAVAILABLE, random);
      return { kind: 'refuse', error, status };
    },
  },
  {
    ...{ group: 'busy', rate: 0.04, what: 'batches with some or all keys unprocessed' },
    effect: ({ keys }, random) => leaveOut(keys, random, BUSY_STATEMENT_ERRORS),
  },
  {
    ...{ group: 'refused', rate: 0.03, what: 'batches with keys that DynamoDB will not delete' },
    effect: ({ keys, operation }, random) =>
      operation === 'BatchExecuteStatement' ? leaveOut(keys, random, LASTING_STATEMENT_ERRORS) : undefined,
  },
  {
    ...{ group: 'cut', rate: 0.01, what: 'connections cut before the call took effect' },
    effect: () => ({ kind: 'cutBefore' }),
  },
  {
    ...{ group: 'cut', rate: 0.015, what: 'connections cut after the call took effect' },
    effect: () => ({ kind: 'cutAfter' }),
  },
  {
    ...{ group: 'cut', rate: 0.01, what: 'answers that came late' },
    effect: () => ({ kind: 'slow', ms: SLOW_MS }),
  },
];

/** Share of the requests that DynamoDB applies late, mostly after the client gave up, and range of the delay, milliseconds. */
const ZOMBIES = { rate: 0.01, fromMs: 2_000, upToMs: 25_000 } as const;

const FUNCTION_FATES = [
  { name: 'killed', rate: 0.01, group: 'kills' },
  { name: 'answerLost', rate: 0.005, group: 'kills' },
  { name: 'hung', rate: 0.005, group: 'kills' },
  { name: 'late', rate: 0.02, group: 'starts' },
] as const;

const TICKS = { late: 0.3, doubled: 0.15, skipped: 0.1, stopped: 0.05 } as const;
/** Shares of the calls to the journal that are refused or answered late, and timeout of the journal's client, milliseconds. */
const JOURNAL = { refused: 0.02, late: 0.02, timeoutMs: 5_000 } as const;
const INDEX_LAG = { rate: 0.1, upToMs: 5_000 } as const;
const ADVERSARY_RATE = 0.03;

/** Ranges of the time between two outages and of an outage's length, milliseconds. */
const OUTAGES = { afterMs: [10_000, 90_000], lastMs: [3_000, 25_000] } as const;

interface FaultsOptions {
  readonly seed: number;
  readonly random: RandomSource;
  readonly groups: readonly FaultGroup[];
  readonly clock: Clock;
  /** From this time on no fault occurs, epoch milliseconds. */
  readonly calmAt: number;
}

export type Faults = ReturnType<typeof faultsOf>;

export function faultsOf({ seed, random, groups, clock, calmAt }: FaultsOptions) {
  const counts = new Map<string, number>();
  const ofCalls = seededRandom(seed);
  const outages = new Map<string, { readonly from: number; readonly to: number }>();
  const isOn = (group: FaultGroup) => groups.includes(group) && clock.now() < calmAt;
  const count = (what: string): void => {
    counts.set(what, (counts.get(what) ?? 0) + 1);
  };
  const happens = (group: FaultGroup, rate: number, what: string): boolean => {
    const does = isOn(group) && random.next() < rate;
    if (does) count(what);
    return does;
  };
  const between = (from: number, upTo: number) => Math.floor(from + random.next() * (upTo - from));

  const isOut = (service: string, group: FaultGroup = 'outages'): boolean => {
    if (!isOn(group)) return false;
    const now = clock.now();
    let outage = outages.get(service) ?? { from: now, to: now };
    while (outage.to <= now) {
      const from = outage.to + between(...OUTAGES.afterMs);
      outage = { from, to: from + between(...OUTAGES.lastMs) };
    }
    outages.set(service, outage);
    if (outage.from <= now) count('calls refused while a service was out');
    return outage.from <= now;
  };

  return {
    ...{ counts, isOut, between },
    ofCall(call: FaultyCall): CallEffect | undefined {
      if (clock.now() >= calmAt) return undefined;
      let drawn = ofCalls.next();
      const fault = CALL_FAULTS.find(({ group, rate }) => {
        if (groups.includes(group)) drawn -= rate;
        return drawn < 0;
      });
      const effect = fault?.effect(call, ofCalls);
      if (fault !== undefined && effect !== undefined) count(fault.what);
      return effect;
    },

    /** May delay a call to the journal, or let the call fail. @throws {JournalUnreadableError} or {JournalUnwritableError} */
    async ofJournal(kind: 'read' | 'write', isDown: boolean): Promise<void> {
      const isRefused =
        isDown ||
        isOut('journal', 'journal') ||
        happens('journal', JOURNAL.refused, 'calls that the journal refused');
      const isLate = happens('journal', JOURNAL.late, 'answers of the journal that came late');
      const lateMs = isLate ? between(3_000, 20_000) : 0;
      await clock.sleep(Math.min(lateMs, JOURNAL.timeoutMs));
      if (!isRefused && lateMs <= JOURNAL.timeoutMs) return;
      const what = `injected into a ${kind} of the journal`;
      throw kind === 'read' ? new JournalUnreadableError(what) : new JournalUnwritableError(what);
    },

    /** Chooses at random the time after which DynamoDB applies a request, milliseconds; undefined if the request is applied as usual. */
    zombieMs(): number | undefined {
      const isOne = happens('zombies', ZOMBIES.rate, 'calls that took effect after they were given up');
      return isOne ? between(ZOMBIES.fromMs, ZOMBIES.upToMs) : undefined;
    },

    functionFate: () =>
      FUNCTION_FATES.find(({ name, rate, group }) => happens(group, rate, `functions ${name}`))?.name,

    tick(): { readonly lateMs: number; readonly stoppedAfterMs: number | undefined }[] {
      if (happens('ticks', TICKS.skipped, 'ticks that never came')) return [];
      const executions = happens('ticks', TICKS.doubled, 'ticks that came twice') ? 2 : 1;
      return Array.from({ length: executions }, () => ({
        lateMs: happens('ticks', TICKS.late, 'ticks that came late') ? between(1_000, 59_000) : 0,
        stoppedAfterMs: happens('kills', TICKS.stopped, 'executions that were stopped')
          ? between(1_000, 110_000)
          : undefined,
      }));
    },

    indexLagMs: () =>
      happens('lag', INDEX_LAG.rate, 'index entries that came late') ? between(1, INDEX_LAG.upToMs) : 0,

    interferes: () => happens('adversary', ADVERSARY_RATE, 'items changed just before their delete'),
  };
}

function leaveOut(keys: number, random: RandomSource, codes: readonly string[]): CallEffect | undefined {
  if (keys === 0) return undefined;
  const share = random.next() < 0.5 ? 1 : random.next();
  const certain = Math.floor(random.next() * keys);
  const errors = new Map<number, string>();
  for (let index = 0; index < keys; index += 1) {
    if (index === certain || random.next() < share) errors.set(index, pick(codes, random));
  }
  return { kind: 'leaveOut', errors };
}

function pick<T>(from: readonly T[], random: RandomSource): T {
  return from[Math.floor(random.next() * from.length)] as T;
}
