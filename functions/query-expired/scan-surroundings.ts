import type { QueryExpiredInput } from '../../statemachine/contract/child.ts';
import { recordOf } from '../child/scan.ts';
import type { Journal } from '../journal/journal.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import type { ScanIndex } from '../table/index-scan.ts';
import type { NextStepOptions } from './next-step.ts';

/** The part of the journal that a scan writes. */
export type ScanJournal = Pick<Journal, 'checkpointScan' | 'finishScan'>;

/** Further dependencies of a child whose target is a whole index. */
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
