import type { ScannedTable } from '../../operate/doctor/report.ts';
import type { ScanProgress } from '../../operate/table/scan-progress.ts';
import { describeProgress, describeScan } from './text.ts';

/** The stream on which progress is printed. */
export interface Screen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Milliseconds between two lines of progress; a terminal gets one line that is overwritten. */
const EVERY_MS = 10_000;
const EVERY_MS_ON_TERMINAL = 250;

/** Prints the progress of full scans. */
export function scanPrinter(screen: Screen, rate: number, now: () => number = () => performance.now()) {
  const every = screen.isTTY ? EVERY_MS_ON_TERMINAL : EVERY_MS;
  let last = now();
  let isLineOpen = false;
  const end = () => {
    if (isLineOpen) screen.write('\n');
    isLineOpen = false;
  };
  return {
    onScan(table: ScannedTable, progress: ScanProgress | undefined): void {
      if (progress === undefined) {
        end();
        screen.write(`${describeScan(table, rate)}\n`);
        last = now();
        return;
      }
      if (now() - last < every) return;
      last = now();
      const text = describeProgress(table, progress);
      screen.write(screen.isTTY ? `\r\u001B[K${text}` : `${text}\n`);
      isLineOpen = screen.isTTY === true;
    },
    /** Call it after the last scan. */
    end,
  };
}
