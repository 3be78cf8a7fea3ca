/** Inputs of an execution. */

/** Input of a tick: what EventBridge Scheduler sends. */
export interface TickInput {
  /** The schedule's time, ISO-8601. It decides which minute the tick owns, and from where it looks back. */
  readonly scheduledTime: string;
  /** Names of the tables that it sweeps. @default all of the deployment */
  readonly tables?: readonly string[];
  /**
   * It also owns what expires from its start to the minute that a tick owns else: of tables that no tick has planned before it.
   * @default false
   */
  readonly fromNow?: boolean;
  /** Deletes per second at most; 0 = no limit. @default the deployment's maxDeletesPerSecond */
  readonly maxDeletesPerSecond?: number;
}

/** Input of a replay: sweep the expiry times in [from, to). */
export interface ReplayInput {
  /** Name of the table. @default the only one of the deployment */
  readonly table?: string;
  readonly from: string;
  readonly to: string;
  /** Find and count, delete nothing. @default false */
  readonly dryRun?: boolean;
  /** Deletes per second at most; 0 = no limit. @default the table's maxDeletesPerSecond */
  readonly maxDeletesPerSecond?: number;
  /**
   * A tick has handed it over: it also takes what is older than the span and lies in the same windows, as a tick does. While it runs, the
   * ticks leave the span to it. @default false
   */
  readonly handOver?: boolean;
}

/**
 * Input of a scan of the index: whatever is overdue in it goes, however long ago it expired and wherever it lies, and what no sweep ever
 * deletes is counted and named.
 */
export interface ScanInput {
  /** Name of the table. @default the only one of the deployment */
  readonly table?: string;
  readonly scanIndex: true;
  /** Find and count, delete nothing. @default false */
  readonly dryRun?: boolean;
  /** Deletes per second at most; 0 = no limit. @default a tenth of the table's limit, of which the ticks have all */
  readonly maxDeletesPerSecond?: number;
}

export type SweepInput = TickInput | ReplayInput | ScanInput;

/** The settings of a table as an execution carries them; `functions/runtime/environment.ts` reads them. */
export type CarriedSettings = Readonly<Record<string, unknown>> & { readonly tableName: string };
