/** Options and results of the changes. */

import type { TtlFault } from '../expiry/ttl.ts';
import type { Pause } from '../functions/journal/layout.ts';
import type { OperateOptions } from './options.ts';
import type { ListedKeys, Totals } from './replay/totals.ts';

/** Expiry times in [from, to), whole epoch seconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface OpenExecution {
  readonly name: string;
  readonly startedAt: Date;
}

export interface PauseOptions extends OperateOptions {
  /** Milliseconds until the pause ends. @default it does not end by itself */
  readonly forMs?: number | undefined;
}

export interface PauseResult {
  readonly pausedAt: string;
  readonly tables: readonly {
    readonly table: string;
    /** Null: until `resume`. */
    readonly until: string | null;
  }[];
}

/** The result of a completed piece of a replay. */
export interface PieceResult extends ListedKeys {
  readonly piece: Span;
  readonly tableName: string;
  /** Name of the last execution. */
  readonly execution: string;
  /** `SUCCEEDED`, or another status of Step Functions. */
  readonly status: string;
  /** Start of that execution in ISO-8601: items that it calls expired were expired at that time. */
  readonly startedAt?: string | undefined;
  /** The piece had succeeded before this command started. */
  readonly doneBefore: boolean;
  readonly totals: Totals;
  /** P99 of the lag of the items that the last execution deleted, milliseconds. */
  readonly lagP99Ms?: number | undefined;
  readonly error?: string | undefined;
  readonly cause?: string | undefined;
}

/** The options of a replay. */
export interface ReplayOptions extends OperateOptions {
  /** ISO-8601. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Only counts, without deleting. @default false */
  readonly dryRun?: boolean;
  /** Minutes of each piece. @default 60, more for a long span */
  readonly splitMinutes?: number | undefined;
  /** Executions that run at the same time. @default 4 */
  readonly concurrency?: number;
  /** Deletes per second and table. @default the table's maxDeletesPerSecond */
  readonly maxPerSecond?: number | undefined;
  /** Label of the replay; ignored in a dry run, which always has a new one. @default the same label for the same span */
  readonly run?: string | undefined;
  /** Gets each completed piece, its number, and the number of all pieces. */
  readonly onPiece?: ((piece: PieceResult, number: number, planned: number) => void) | undefined;
}

/** Facts about a replay before it starts: how the span is divided into executions, and the state machine of each table. */
export interface ReplayFacts {
  readonly span: Span;
  readonly splitMinutes: number;
  readonly concurrency: number;
  readonly label: string;
  readonly executions: number;
  readonly tables: readonly {
    readonly tableName: string;
    readonly stateMachine: string;
    /** Delete limit of each execution; undefined: no limit. */
    readonly maxDeletesPerSecond: number | undefined;
  }[];
}

/** The sums of a replay's executions. */
export interface ReplayOutcome {
  readonly executions: {
    readonly planned: number;
    readonly done: number;
    /** Executions that were complete before this replay. */
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
  /** Label of the replay. */
  readonly run: string;
  /** Whether some executions are not complete. */
  readonly interrupted: boolean;
  /** Write units that a real run consumes at least; only after a dry run. */
  readonly writeUnitsAtLeast?: number;
  readonly pieces: readonly ReplayedPiece[];
}

/**
 * The result of one execution of a replay. A dry run lists some of the keys that it found, a real run some keys that it could not
 * delete.
 */
export type ReplayedPiece = Omit<PieceResult, 'piece' | 'totals' | 'sampleKeys' | 'failedKeys'> &
  Totals &
  Partial<Pick<PieceResult, 'sampleKeys' | 'failedKeys'>> & { readonly from: string; readonly to: string };

export interface ResumeResult {
  readonly tables: readonly {
    readonly table: string;
    /** The pause that has ended; null: it was not paused. */
    readonly was: Pause | null;
    /** Expiry times that the ticks make up for, ISO-8601; null: it was not paused, or no tick has swept it yet. */
    readonly left: { readonly from: string; readonly to: string } | null;
  }[];
}

/** What became of an item in a backfill. With a fault of its TTL it is left as it is: no sweep would delete it. */
export type BackfillFate =
  | ('stamped' | 'toStamp' | 'rightAlready' | 'withoutTtl' | 'changedMeanwhile' | 'failed')
  | TtlFault;

export interface BackfillOptions extends OperateOptions {
  /** Most writes per second, above 0. */
  readonly ratePerSecond: number;
  /** Reads and counts, and writes nothing. */
  readonly dryRun: boolean;
  /** Gets the counts so far, after each item, and how often DynamoDB throttled. */
  readonly onProgress?: (counts: BackfillResult['counts'], throttled: number) => void;
}

export interface BackfillFacts extends Pick<BackfillOptions, 'ratePerSecond' | 'dryRun'> {
  readonly table: string;
  /** As DynamoDB counted them last. */
  readonly itemCount: number;
  /** How long it takes if no item has its window yet. */
  readonly seconds: number;
}

export interface BackfillResult extends Pick<BackfillOptions, 'dryRun'> {
  readonly table: string;
  /** Whether every item was read. */
  readonly complete: boolean;
  readonly counts: Readonly<Record<BackfillFate, number>>;
  /** The first items that DynamoDB did not let be written; the key as the table's `logKeys` allows it. */
  readonly failures: readonly { readonly key: string | undefined; readonly reason: string }[];
}
