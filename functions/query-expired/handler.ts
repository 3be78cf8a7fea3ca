import type { QueryExpiredInput, QueryExpiredOutput } from '../../statemachine/contract/child.ts';
import { queryTimeoutSeconds } from '../child/query-timeout.ts';
import type { Journal } from '../journal/journal.ts';
import { lambdaJournal } from '../journal/lambda-journal.ts';
import { keyShower } from '../report/shown-keys.ts';
import { readSettings, type WithSettings } from '../runtime/environment.ts';
import { lambdaRuntime, type Runtime } from '../runtime/runtime.ts';
import { requestTimeoutMs } from '../table/dynamodb.ts';
import { indexLayout } from '../table/index-layout.ts';
import { indexReader } from '../table/index-query.ts';
import { nextStep } from './next-step.ts';

/** Attempts of a query: an immediate second one is cheaper than a wait, which takes at least a second. */
const ATTEMPTS = 2;

/**
 * Decides what a child does next: adds up the results of its deletes, then reads a page of expired keys, or returns until when to wait, or
 * how the child ends.
 */
export async function queryExpired(
  input: QueryExpiredInput,
  runtime: Runtime,
  journal: () => Pick<Journal, 'noteThrottled'> = lambdaJournal,
): Promise<QueryExpiredOutput> {
  const { settings, documents, random, sleep, clock } = runtime;
  const timeoutSeconds = queryTimeoutSeconds(input.progress);
  const requestTimeout = requestTimeoutMs(timeoutSeconds, ATTEMPTS);
  const readIndex = indexReader(documents, settings, { requestTimeout });
  // A chunk that is retried many times reports all its attempts at the end, which may be minutes later.
  const throttled = input.results.reduce(
    (sum, { once, progress }) => sum + (once ? (progress?.throttled ?? 0) : 0),
    0,
  );
  const noted =
    throttled === 0 ? undefined : note(() => journal().noteThrottled(settings.tableName, throttled));
  const output = await nextStep(input, {
    pace: settings,
    layout: indexLayout(settings.model),
    readIndex,
    showKey: keyShower(settings),
    random,
    sleep,
    clock,
  });
  await noted;
  return output;
}

/** Ignores a failed write: a sweep does not fail because of a note in the journal. */
async function note(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch {
    // The journal's metric counts the failed write.
  }
}

const runtimeOf = lambdaRuntime({ maxAttempts: ATTEMPTS });

export const handler = async (event: WithSettings<QueryExpiredInput>): Promise<QueryExpiredOutput> =>
  queryExpired(event, runtimeOf(readSettings(event.settings)));
