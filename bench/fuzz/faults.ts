import { type Clock, type FunctionResult, type RandomSource, seededRandom } from 'stepfunctions-emulator';
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

/** Errors that the same statement always gets. ConditionalCheckFailed is not in the list, because this error means a renewed item. */
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

/** Delay of a late answer, milliseconds: longer than the client's request timeout of five seconds. */
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

/** Share of the requests that DynamoDB applies late, and range of the delay, milliseconds: mostly after the client's timeout. */
const ZOMBIES = { rate: 0.01, fromMs: 2_000, upToMs: 25_000 } as const;

const FUNCTION_FATES = [
  { name: 'killed', rate: 0.01, group: 'kills' },
  { name: 'answerLost', rate: 0.005, group: 'kills' },
  { name: 'hung', rate: 0.005, group: 'kills' },
  { name: 'late', rate: 0.02, group: 'starts' },
] as const;

type FunctionFate = (typeof FUNCTION_FATES)[number]['name'];

const TICKS = { late: 0.3, doubled: 0.15, skipped: 0.1, stopped: 0.05 } as const;
/** Shares of the journal's calls that are refused or answered late, and timeout of the journal's client, milliseconds. */
const JOURNAL = { refused: 0.02, late: 0.02, timeoutMs: 5_000 } as const;
const INDEX_LAG = { rate: 0.1, upToMs: 5_000 } as const;
const ADVERSARY_RATE = 0.03;

/** Ranges of the time between two outages and of an outage's length, milliseconds. */
const OUTAGES = { afterMs: [10_000, 90_000], lastMs: [3_000, 25_000] } as const;

/** Chooses faults at random. After `areOver` has returned true, no fault occurs. */
export class Faults {
  readonly counts = new Map<string, number>();
  readonly #random: RandomSource;
  readonly #ofCalls: RandomSource;
  readonly #groups: ReadonlySet<FaultGroup>;
  readonly #areOver: () => boolean;
  readonly #outages = new Map<string, { readonly from: number; readonly to: number }>();

  constructor(options: {
    readonly seed: number;
    readonly random: RandomSource;
    readonly groups: readonly FaultGroup[];
    readonly areOver: () => boolean;
  }) {
    const { seed, random, groups, areOver } = options;
    this.#random = random;
    this.#groups = new Set(groups);
    this.#areOver = areOver;
    this.#ofCalls = seededRandom(seed);
  }

  ofCall(call: FaultyCall): CallEffect | undefined {
    if (this.#areOver()) return undefined;
    let drawn = this.#ofCalls.next();
    const fault = CALL_FAULTS.find(({ group, rate }) => {
      if (this.#groups.has(group)) drawn -= rate;
      return drawn < 0;
    });
    const effect = fault?.effect(call, this.#ofCalls);
    if (fault !== undefined && effect !== undefined) this.#count(fault.what);
    return effect;
  }

  /** Delays a call of the journal, or lets the call fail. @throws {JournalUnreadableError} or {JournalUnwritableError} */
  async ofJournal(kind: 'read' | 'write', clock: Clock, isDown: boolean): Promise<void> {
    const isRefused =
      isDown ||
      this.isOut('journal', clock.now(), 'journal') ||
      this.#happens('journal', JOURNAL.refused, 'calls that the journal refused');
    const isLate = this.#happens('journal', JOURNAL.late, 'answers of the journal that came late');
    const lateMs = isLate ? this.between(3_000, 20_000) : 0;
    await clock.sleep(Math.min(lateMs, JOURNAL.timeoutMs));
    if (!isRefused && lateMs <= JOURNAL.timeoutMs) return;
    const what = `injected into a ${kind} of the journal`;
    throw kind === 'read' ? new JournalUnreadableError(what) : new JournalUnwritableError(what);
  }

  isOut(service: string, nowMs: number, group: FaultGroup = 'outages'): boolean {
    if (!this.#groups.has(group) || this.#areOver()) return false;
    let outage = this.#outages.get(service) ?? { from: nowMs, to: nowMs };
    while (outage.to <= nowMs) {
      const from = outage.to + this.between(...OUTAGES.afterMs);
      outage = { from, to: from + this.between(...OUTAGES.lastMs) };
    }
    this.#outages.set(service, outage);
    const isOut = outage.from <= nowMs;
    if (isOut) this.#count('calls refused while a service was out');
    return isOut;
  }

  /** Chooses at random the time after which DynamoDB applies a request, milliseconds; undefined for a request that is applied as usual. */
  zombieMs(): number | undefined {
    const isOne = this.#happens('zombies', ZOMBIES.rate, 'calls that took effect after they were given up');
    return isOne ? this.between(ZOMBIES.fromMs, ZOMBIES.upToMs) : undefined;
  }

  functionFate(): FunctionFate | undefined {
    return FUNCTION_FATES.find(({ name, rate, group }) => this.#happens(group, rate, `functions ${name}`))
      ?.name;
  }

  tick(): { readonly lateMs: number; readonly stoppedAfterMs: number | undefined }[] {
    if (this.#happens('ticks', TICKS.skipped, 'ticks that never came')) return [];
    const executions = this.#happens('ticks', TICKS.doubled, 'ticks that came twice') ? 2 : 1;
    return Array.from({ length: executions }, () => ({
      lateMs: this.#happens('ticks', TICKS.late, 'ticks that came late') ? this.between(1_000, 59_000) : 0,
      stoppedAfterMs: this.#happens('kills', TICKS.stopped, 'executions that were stopped')
        ? this.between(1_000, 110_000)
        : undefined,
    }));
  }

  indexLagMs(): number {
    return this.#happens('lag', INDEX_LAG.rate, 'index entries that came late')
      ? this.between(1, INDEX_LAG.upToMs)
      : 0;
  }

  interferes(): boolean {
    return this.#happens('adversary', ADVERSARY_RATE, 'items changed just before their delete');
  }

  between(from: number, upTo: number): number {
    return Math.floor(from + this.#random.next() * (upTo - from));
  }

  #happens(group: FaultGroup, rate: number, what: string): boolean {
    if (!this.#groups.has(group) || this.#areOver() || this.#random.next() >= rate) return false;
    this.#count(what);
    return true;
  }

  #count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }
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

export function crash(): FunctionResult {
  const errorMessage = 'RequestId: injected Error: Runtime exited with error: signal: killed';
  return { ok: false, errorType: 'Runtime.ExitError', errorMessage };
}
