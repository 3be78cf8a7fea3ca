import type { QueryExpiredInput, QueryExpiredOutput } from '../../statemachine/contract.ts';
import { queryTimeoutSeconds } from '../child/query-timeout.ts';
import { keyShower } from '../report/shown-keys.ts';
import { readSettings, type WithSettings } from '../runtime/environment.ts';
import { lambdaRuntime, type Runtime } from '../runtime/runtime.ts';
import { requestTimeoutMs } from '../table/dynamodb.ts';
import { heldReader } from '../table/held-items.ts';
import { indexLayout } from '../table/index-layout.ts';
import { indexReader } from '../table/index-query.ts';
import { nextStep } from './next-step.ts';

/** Calls of a Query: a second one at once costs less than a wait, which is a second at least. */
const ATTEMPTS = 2;

/** Of the task's time, for the reads of what is held, each of their attempts. An item that is not read in time is tried. */
const HELD_SHARE = 0.1;

/**
 * Decides what a child does next: adds up what its deletes came to, and reads a page of what is expired, or says until
 * when there is nothing to do, or how the child ends.
 */
export function queryExpired(
  input: QueryExpiredInput,
  { settings, documents, random, sleep, clock }: Runtime,
): Promise<QueryExpiredOutput> {
  const timeoutSeconds = queryTimeoutSeconds(input.progress);
  const requestTimeout = requestTimeoutMs(timeoutSeconds, ATTEMPTS);
  const heldTimeout = Math.floor(timeoutSeconds * 1000 * HELD_SHARE);
  const readIndex = indexReader(documents, settings, { requestTimeout });
  return nextStep(input, {
    pace: settings,
    layout: indexLayout(settings.model),
    readIndex,
    readHeld: heldReader(documents, settings, { requestTimeout: heldTimeout }),
    showKey: keyShower(settings),
    random,
    sleep,
    clock,
  });
}

const runtime = lambdaRuntime({ maxAttempts: ATTEMPTS });

export const handler = async (event: WithSettings<QueryExpiredInput>): Promise<QueryExpiredOutput> =>
  queryExpired(event, runtime(readSettings(event.settings)));
