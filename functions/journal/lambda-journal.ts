import { readDeploymentName, readJournalTable } from '../runtime/deployment.ts';
import { createDocuments } from '../table/dynamodb.ts';
import { type Journal, journalOf } from './journal.ts';
import { withMetric } from './journal-failed.ts';

/** Calls in all per command: the journal is one small table, whose answer everything waits for. */
const ATTEMPTS = 3;

let made: Journal | undefined;

/**
 * The journal of the function's deployment, made at the first call and kept while the execution environment lives.
 * @throws InvalidEnvironmentError
 */
export function lambdaJournal(): Journal {
  made ??= withMetric(
    journalOf(
      { documents: createDocuments({ maxAttempts: ATTEMPTS }), tableName: readJournalTable(process.env) },
      Date.now,
    ),
    {
      // Powertools' own variable, as that of the other metrics.
      namespace: process.env['POWERTOOLS_METRICS_NAMESPACE'] ?? '',
      deployment: readDeploymentName(process.env),
      print: line => process.stdout.write(`${line}\n`),
      clock: Date.now,
    },
  );
  return made;
}
