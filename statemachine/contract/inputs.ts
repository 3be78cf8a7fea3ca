/** Input of a tick: what EventBridge Scheduler sends. */
export interface TickInput {
  /** The schedule's time, ISO-8601. It determines the minute that the tick owns, and the start of its lookback. */
  readonly scheduledTime: string;
  /** Names of the tables to sweep. @default all of the deployment */
  readonly tables?: readonly string[];
  /** Maximum number of deletes per second, for each table; 0 = no limit. @default each table's own limit */
  readonly maxDeletesPerSecond?: number;
}

/** Input of a replay, which sweeps the expiry times in [from, to). */
export interface ReplayInput {
  /** Name of the table. @default the only one of the deployment */
  readonly table?: string;
  readonly from: string;
  readonly to: string;
  /** Whether the replay only finds and counts, and deletes nothing. @default false */
  readonly dryRun?: boolean;
  /** Maximum number of deletes per second; 0 = no limit. @default the table's maxDeletesPerSecond */
  readonly maxDeletesPerSecond?: number;
}

export type SweepInput = TickInput | ReplayInput;

export type CarriedSettings = Readonly<Record<string, unknown>> & { readonly tableName: string };
