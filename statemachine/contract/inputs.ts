/**
 * Input of a tick, as EventBridge Scheduler sends it. `scheduledTime`, ISO-8601, determines the upcoming minute and the end of the
 * lookback. `maxDeletesPerSecond` is for each table; 0 = no limit. Defaults: all tables of the deployment, each with its own limit.
 */
export interface TickInput {
  readonly scheduledTime: string;
  readonly tables?: readonly string[];
  readonly maxDeletesPerSecond?: number;
}

/**
 * Input of a replay, which sweeps the expiry times in [from, to), ISO-8601. With `dryRun` the replay only finds and counts. Defaults: the
 * only table of the deployment, and that table's `maxDeletesPerSecond`; 0 = no limit.
 */
export interface ReplayInput {
  readonly table?: string;
  readonly from: string;
  readonly to: string;
  readonly dryRun?: boolean;
  readonly maxDeletesPerSecond?: number;
}

export type SweepInput = TickInput | ReplayInput;

export type CarriedSettings = Readonly<Record<string, unknown>> & { readonly tableName: string };
