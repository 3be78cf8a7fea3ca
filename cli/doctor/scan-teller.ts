import type { ScannedTable } from '../../operate/doctor/report.ts';
import type { ScanProgress } from '../../operate/table/scan-progress.ts';
import type { Session } from '../operation.ts';
import { describeProgress, describeScan } from './text.ts';

/** Tells how far full scans are. */
export function scanTeller(
  { print, show }: Pick<Session, 'print' | 'show'>,
  rate: number,
  now: () => number = Date.now,
) {
  let from = now();
  return (table: ScannedTable, progress: ScanProgress | undefined): void => {
    if (progress !== undefined) {
      show(describeProgress(table, progress, (now() - from) / 1000));
      return;
    }
    from = now();
    show('');
    print(describeScan(table, rate));
  };
}
