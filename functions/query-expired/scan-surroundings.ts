import type { QueryExpiredInput } from '../../statemachine/contract.ts';
import { recordOf } from '../child/scan.ts';
import type { Journal } from '../journal/journal.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import type { ScanIndex } from '../table/index-scan.ts';
import type { NextStepOptions } from './next-step.ts';

/** What a scan writes down of itself. */
export type ScanJournal = Pick<Journal, 'checkpointScan' | 'finishScan'>;

/** What a child needs besides where its target is a whole index. */
export function scanOf(
  { progress: { target } }: Pick<QueryExpiredInput, 'progress'>,
  { tableName, model }: Pick<SweepSettings, 'tableName' | 'model'>,
  scanIndex: ScanIndex,
  journal: () => ScanJournal,
): Pick<NextStepOptions, 'scan'> {
  const { scan } = target;
  if (scan === undefined) return {};
  return {
    scan: {
      model,
      scanIndex,
      checkpoint: progress =>
        journal().checkpointScan(tableName, scan, progress.scan?.settled ?? null, recordOf(scan, progress)),
      finish: progress => journal().finishScan(tableName, scan, recordOf(scan, progress)),
    },
  };
}
