import type { RecordDeploymentMetric } from '../runtime/deployment-metric.ts';
import { JournalUnreadableError, JournalUnwritableError } from '../runtime/errors.ts';
import type { Journal } from './journal.ts';

/** Returns the same journal; each failed call also records a metric, whichever function made it. */
export function withMetric(journal: Journal, record: RecordDeploymentMetric): Journal {
  const told =
    <Args extends readonly unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      try {
        return await call(...args);
      } catch (error) {
        if (error instanceof JournalUnreadableError || error instanceof JournalUnwritableError) {
          record('JournalFailed', 1);
        }
        throw error;
      }
    };
  return {
    read: told(journal.read),
    writeWatermarks: told(journal.writeWatermarks),
    putRows: told(journal.putRows),
    takeHandOver: told(journal.takeHandOver),
    renewHandOver: told(journal.renewHandOver),
    endHandOver: told(journal.endHandOver),
    replayed: told(journal.replayed),
    takeScanTurn: told(journal.takeScanTurn),
    takeScan: told(journal.takeScan),
    checkpointScan: told(journal.checkpointScan),
    finishScan: told(journal.finishScan),
    noteThrottled: told(journal.noteThrottled),
    writeEntries: told(journal.writeEntries),
    takeAccount: told(journal.takeAccount),
  };
}
