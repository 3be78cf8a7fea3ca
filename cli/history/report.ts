import { type SweepReport, sweepReport } from '../deployment/sweep-report.ts';
import { keysToShow, listedKeyText } from '../table/key-text.ts';
import type { History } from './job.ts';

/** A history as JSON; times are ISO-8601. */
export interface HistoryReport {
  readonly region: string;
  readonly since: string;
  readonly tables: readonly {
    readonly tableName: string;
    readonly name: string;
    /** There are older ones in the time span. */
    readonly more: boolean;
    /** The newest first. */
    readonly sweeps: readonly (SweepReport & { readonly failedKeys: readonly ReportedKey[] })[];
  }[];
}

interface ReportedKey {
  /** DynamoDB's JSON, its beginning, or a hash; missing where nothing of it may be shown. */
  readonly key?: string;
  readonly reason: string;
}

export function historyReport(
  { region, since, tables }: History,
  { mask }: { readonly mask: boolean },
): HistoryReport {
  return {
    region,
    since: new Date(since).toISOString(),
    tables: tables.map(({ sweeps, keys, ...table }) => {
      const shown = { ...keys, logKeys: keysToShow(keys.logKeys, mask) };
      return {
        ...table,
        sweeps: sweeps.map(sweep => ({
          ...sweepReport(sweep),
          failedKeys: sweep.failedKeys.map(failure => {
            const key = listedKeyText(failure, shown);
            return { ...(key !== undefined && { key }), reason: failure.reason };
          }),
        })),
      };
    }),
  };
}
