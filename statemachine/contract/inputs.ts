/**
 * Input of a tick. EventBridge Scheduler sends only `scheduledTime` (ISO-8601). Without `tables`, all tables of the deployment are swept;
 * without `maxDeletesPerSecond`, the setting of each table applies (0 = no limit).
 */
export interface TickInput {
  readonly scheduledTime: string;
  readonly tables?: readonly string[];
  readonly maxDeletesPerSecond?: number;
}

/** Input of a replay of the items that expire in [from, to), ISO-8601. `table` may be missing in a deployment with one table. */
export interface ReplayInput {
  readonly table?: string;
  readonly from: string;
  readonly to: string;
  readonly dryRun?: boolean;
  readonly maxDeletesPerSecond?: number;
}

export type SweepInput = TickInput | ReplayInput;

export type CarriedSettings = Readonly<Record<string, unknown>> & { readonly tableName: string };
