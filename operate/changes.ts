/** Options and results of the changes. They name no type of the AWS SDK: programs have these declarations without it. */
import type { Pause } from '../functions/journal/layout.ts';
import type { BackfillInput, BackfillReport } from '../statemachine/backfill-contract.ts';
import type { SweepReport } from '../statemachine/contract/report.ts';
import type { OperateOptions, WorkDone } from './options.ts';
import type { Span } from './replay/span.ts';
import type { ListedKeys, Totals } from './replay/totals.ts';
import type { ExpirySpan } from './restore/span.ts';
import type { MissedSpan } from './resume/missed-span.ts';

export interface OpenExecution {
  readonly name: string;
  readonly startedAt: Date;
}

export interface PauseOptions extends OperateOptions {
  /** Milliseconds after which the ticks sweep them again. @default they do not */
  readonly forMs?: number | undefined;
}

export interface PauseResult {
  readonly pausedAt: string;
  readonly tables: readonly {
    readonly table: string;
    /** Null: until a resume. */
    readonly until: string | null;
    /** Replays that go on to their end; null when Step Functions does not say. */
    readonly open: readonly OpenExecution[] | null;
  }[];
}

export interface LimitOptions extends OperateOptions {
  /** Deletes a second at most. @default those of the configuration again */
  readonly perSecond?: number | undefined;
}

/** Null: the configuration's. */
export interface LimitResult {
  readonly table: string;
  readonly maxDeletesPerSecond: number | null;
  /** Before. */
  readonly was: number | null;
}

/** A piece of a replay that is through. */
export interface PieceResult extends ListedKeys {
  readonly piece: Span;
  readonly tableName: string;
  /** Name of the last execution. */
  readonly execution: string;
  /** `SUCCEEDED`, or how it failed. */
  readonly status: string;
  /** When that execution started: what it calls expired was expired then. ISO-8601. */
  readonly startedAt?: string | undefined;
  /** It had succeeded before this command started. */
  readonly doneBefore: boolean;
  readonly totals: Totals;
  /** 99% of the items that the last execution deleted were at most so late, milliseconds. */
  readonly lagP99Ms?: number | undefined;
  readonly error?: string | undefined;
  readonly cause?: string | undefined;
}

/** The options of a replay. */
export interface ReplayOptions extends OperateOptions {
  /** ISO-8601. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Only counts. @default false */
  readonly dryRun?: boolean;
  /** @default an hour, or longer for a long span */
  readonly splitMinutes?: number | undefined;
  /** @default 4 */
  readonly concurrency?: number;
  /** Deletes per second and table. @default the table's maxDeletesPerSecond */
  readonly maxPerSecond?: number | undefined;
  /** Without a meaning for a dry run, whose label is always a new one. @default the same for the same span */
  readonly run?: string | undefined;
  /** Gets each piece that is through, its number, and how many there are. */
  readonly onPiece?: ((piece: PieceResult, number: number, planned: number) => void) | undefined;
}

/** How a replay is cut into executions, and the state machine of each table. */
export interface ReplayFacts {
  readonly span: Span;
  readonly splitMinutes: number;
  readonly concurrency: number;
  readonly label: string;
  readonly executions: number;
  readonly tables: readonly {
    readonly tableName: string;
    readonly stateMachine: string;
    /** Limit of each execution; undefined: no limit. */
    readonly maxDeletesPerSecond: number | undefined;
  }[];
}

/** The sums of a replay's executions. */
export interface ReplayOutcome {
  readonly executions: {
    readonly planned: number;
    readonly done: number;
    /** Those that were done before this replay. */
    readonly doneBefore: number;
    readonly failed: number;
  };
  readonly totals: Totals;
}

export interface ReplayResult extends ReplayOutcome {
  /** ISO-8601. */
  readonly from: string;
  readonly to: string;
  readonly dryRun: boolean;
  /** The label. */
  readonly run: string;
  /** Not all executions are through. */
  readonly interrupted: boolean;
  /** Write units that a real run consumes at least; only after a dry run. */
  readonly writeUnitsAtLeast?: number;
  readonly pieces: readonly ReplayedPiece[];
}

/** One execution of a replay. A dry run lists some of the keys that it found, a real one those that it could not delete. */
export type ReplayedPiece = Omit<PieceResult, 'piece' | 'totals' | 'sampleKeys' | 'failedKeys'> &
  Totals &
  Partial<Pick<PieceResult, 'sampleKeys' | 'failedKeys'>> & { readonly from: string; readonly to: string };

export interface IndexScanOptions extends OperateOptions {
  /** Only counts. @default false */
  readonly dryRun?: boolean;
  /** Deletes per second and table. @default the table's maxDeletesPerSecond */
  readonly maxPerSecond?: number | undefined;
  /** Gets each table that is through. */
  readonly onTable?: (table: ScannedIndex) => void;
}

/** The scan of a table has ended. */
export interface ScannedIndex {
  readonly tableName: string;
  readonly execution: string;
  readonly status: string;
  /** Undefined where the execution has ended without one. */
  readonly report: SweepReport | undefined;
}

export interface IndexScanResult {
  readonly dryRun: boolean;
  /** Not all tables are through. */
  readonly interrupted: boolean;
  readonly tables: readonly ScannedIndex[];
}

export interface ResumeOptions extends OperateOptions {
  /** Whether what was missed is replayed. @default true */
  readonly replay?: boolean;
  /** Only counts what would be replayed. @default false */
  readonly dryRun?: boolean;
  readonly onProgress?: (progress: ResumeProgress) => void;
}

/** The progress of a resume. */
export type ResumeProgress =
  /** The pauses of these tables have ended, and ticks were started. */
  | { readonly at: 'resumed'; readonly tables: readonly string[] }
  | { readonly at: 'replay'; readonly facts: ReplayFacts }
  | {
      readonly at: 'piece';
      readonly piece: PieceResult;
      readonly number: number;
      readonly planned: number;
    }
  | { readonly at: 'replayed'; readonly result: ReplayResult }
  | { readonly at: 'table'; readonly table: ResumedTable };

/** The missed span of a table. */
export interface MissedOfTable {
  readonly table: string;
  /** Undefined when it was not paused. */
  readonly was: Pause | undefined;
  /** Undefined when it has missed nothing that the ticks do not make up for. */
  readonly missed: MissedSpan | undefined;
  /** A tick has swept it before. */
  readonly isSwept: boolean;
  /** Items are due so long after they expire. */
  readonly graceSeconds: number;
}

/** The result for a table. */
export interface ResumedTable {
  readonly table: string;
  readonly was: Pause | null;
  /** Times of expiry, ISO-8601. */
  readonly missed: { readonly from: string; readonly to: string } | null;
  /** `left` to the ticks. */
  readonly replay: 'done' | 'failed' | 'interrupted' | 'left' | 'nothing';
  /** 99% of what expired meanwhile was deleted at most so late, milliseconds. */
  readonly lagP99Ms: number | null;
  readonly executions: readonly (Totals & { readonly execution: string; readonly status: string })[];
}

export interface ResumeResult {
  readonly dryRun: boolean;
  readonly tables: readonly ResumedTable[];
}

/** How many segments of an execution are through. */
export interface SegmentsDone {
  readonly total: number;
  readonly done: number;
}

/** The upper limit of a backfill's cost: as if no item had its window yet. */
export interface Estimate {
  readonly seconds: number;
  readonly writeUnits: number;
  readonly readUnits: number;
  /** With what Step Functions and Lambda cost, on demand in us-east-1. */
  readonly dollars: number;
}

export interface BackfillOptions extends OperateOptions {
  /** @default as the state machine has them */
  readonly input?: BackfillInput;
  /** Gets how far it is, each time that segments were done. */
  readonly onProgress?: (progress: BackfillProgress) => void;
}

export interface BackfillProgress extends SegmentsDone {
  /** Done when this was begun: before, where an execution ran already. */
  readonly doneBefore: number;
  /** Since then. */
  readonly seconds: number;
}

export interface TableSize {
  readonly itemCount: number;
  readonly sizeBytes: number;
}

export interface BackfillFacts {
  readonly tableName: string;
  readonly stateMachine: string;
  readonly input: Required<BackfillInput>;
  /** The execution that runs already: it is followed, and no other is started. */
  readonly running: string | undefined;
  /** Undefined when DynamoDB could not be asked. */
  readonly size: TableSize | undefined;
  readonly estimate: Estimate | undefined;
}

export interface BackfillResult extends Partial<BackfillReport> {
  readonly table: string;
  readonly execution: string;
  readonly executionArn: string;
  /** `RUNNING` after an interruption. */
  readonly status: string;
  readonly startedAt?: Date | undefined;
  readonly input: Required<BackfillInput>;
  readonly estimate?: Estimate;
  readonly error?: string | undefined;
  readonly cause?: string | undefined;
}

/** This much was passed over. */
export interface Unreadable {
  /** Lines, and objects that cannot be unpacked. */
  readonly lines: number;
  /** Where the first of them stand, and what is wrong with them. */
  readonly first: readonly string[];
}

export type Fate =
  | { readonly fate: 'restored' | 'thereAlready' }
  | { readonly fate: 'failed'; readonly reason: string };

export interface RestoreOptions extends OperateOptions {
  /** In DynamoDB JSON, as logs and reports have them. */
  readonly keys: readonly unknown[];
  /** Looks only at what expired then. @default all of the archive */
  readonly span?: ExpirySpan;
  /** Milliseconds from now to the new expiry; undefined: it gets none. */
  readonly expiresInMs: number | undefined;
  /** Looks what is in the archive, and writes nothing. @default false */
  readonly dryRun?: boolean;
  /** Shows hashes instead of keys. @default as the table's logKeys says */
  readonly mask?: boolean;
  /** Gets each date before it is read, and how many of the keys are found by then. */
  readonly onDate?: (date: string, found: number, wanted: number) => void;
  /** Gets how many items are written, after each. */
  readonly onProgress?: (progress: WorkDone) => void;
}

export interface RestoreFacts {
  readonly table: string;
  readonly archive: string;
  /** Objects that were read, and dates that they are of. */
  readonly objects: number;
  readonly dates: number;
  readonly keys: number;
  readonly found: number;
  /** ISO-8601; null: none. */
  readonly expiresAt: string | null;
}

export interface RestoreResult extends Pick<RestoreFacts, 'table' | 'archive' | 'expiresAt'> {
  readonly dryRun: boolean;
  readonly interrupted: boolean;
  readonly unreadable: Unreadable;
  readonly keys: readonly RestoredKey[];
}

/** The fate of one key. */
export interface RestoredKey {
  /** As much of it as may be shown. */
  readonly key: string | undefined;
  readonly fate: Fate['fate'] | 'found' | 'notInArchive' | 'notTried';
  readonly reason?: string;
  /** ISO, of the image that was found. */
  readonly expiredAt?: string;
}

export interface DrillOptions extends OperateOptions, Pick<RestoreOptions, 'span'> {
  /** Lines to restore, spread over the dates. @default all */
  readonly sample?: number | undefined;
  /** An earlier drill was cut off: its scratch table is deleted. */
  readonly onLeftBehind?: () => void;
  /** Gets the date before each object, and what was counted by then. */
  readonly onObject?: (date: string, counted: { lines: number; poisoned: number }) => void;
}

export interface DrillFacts {
  readonly table: string;
  readonly archive: string;
  readonly scratchTable: string;
  /** Objects that are read, of so many, of so many dates. */
  readonly objects: number;
  readonly of: number;
  readonly dates: number;
}

/** The result of a drill. */
export interface DrillResult {
  readonly table: string;
  readonly archive: string;
  readonly interrupted: boolean;
  readonly lines: number;
  readonly restored: number;
  readonly objects: number;
  /** Where each line stands that cannot be restored, and what is wrong with it. */
  readonly poisoned: readonly string[];
  readonly writeUnits: number;
  readonly milliseconds: number;
  /** The cost of restoring all objects of the dates. */
  readonly full?: FullRestore | undefined;
}

export interface FullRestore {
  readonly lines: number;
  readonly seconds: number;
  /** In us-east-1, without the table's indexes. */
  readonly dollars: number;
}
