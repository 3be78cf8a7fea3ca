/**
 * Input of a tick. EventBridge Scheduler sends `scheduledTime` (ISO-8601), which decides about the upcoming minute and the end of the
 * lookback. Defaults: all tables of the deployment, and each table's own `maxDeletesPerSecond` (0 = no limit).
 */
export interface TickInput {
  readonly scheduledTime: string;
  readonly tables?: readonly string[];
  readonly maxDeletesPerSecond?: number;
}

/**
 * Input of a replay, which sweeps the items that expire in [from, to), ISO-8601. With `dryRun` the replay only counts the items. `table`
 * may be missing if the deployment has only one table. `maxDeletesPerSecond`: 0 = no limit; default: the table's own `maxDeletesPerSecond`.
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
