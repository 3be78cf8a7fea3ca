import { JournalUnreadableError, JournalUnwritableError } from '../runtime/errors.ts';
import type { Journal } from './journal.ts';

/** Calls of the journal that came to nothing. It is recorded for the whole deployment, by whichever function has called. */
export const JOURNAL_METRIC = { name: 'JournalFailed', dimension: 'Deployment' } as const;

/** What the metric is recorded by. */
export interface JournalFailedOptions {
  readonly namespace: string;
  readonly deployment: string;
  /** Gets a line of metrics in the embedded metric format, at the root of what the function prints. */
  readonly print: (line: string) => void;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** The same journal, of which each call that fails is also a metric. */
export function withMetric(journal: Journal, options: JournalFailedOptions): Journal {
  const told =
    <Args extends readonly unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      try {
        return await call(...args);
      } catch (error) {
        if (error instanceof JournalUnreadableError || error instanceof JournalUnwritableError) {
          options.print(JSON.stringify(failedOnce(options)));
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
  };
}

/** Source: CloudWatch User Guide, "Specification: Embedded metric format". */
function failedOnce({ namespace, deployment, clock }: JournalFailedOptions): object {
  const { name, dimension } = JOURNAL_METRIC;
  return {
    _aws: {
      Timestamp: clock(),
      CloudWatchMetrics: [
        { Namespace: namespace, Dimensions: [[dimension]], Metrics: [{ Name: name, Unit: 'Count' }] },
      ],
    },
    [dimension]: deployment,
    [name]: 1,
  };
}
