import type { QueryExpiredInput, QueryExpiredOutput } from '../../statemachine/contract/child.ts';
import { childTimeouts } from '../../statemachine/contract/machines.ts';
import { type Journal, lambdaJournal } from '../journal/lambda-journal.ts';
import { keyShower } from '../report/shown-keys.ts';
import { readSettings, type WithSettings } from '../runtime/environment.ts';
import { lambdaRuntime, type Runtime } from '../runtime/runtime.ts';
import { requestTimeoutMs } from '../table/dynamodb.ts';
import { indexLayout } from '../table/index-layout.ts';
import { indexCounter, indexReader } from '../table/index-query.ts';
import { type NextStepOptions, nextStep } from './next-step.ts';

/** Maximum attempts of DynamoDB's client per request. The client retries sooner than a child can: Wait states end on whole seconds. */
const ATTEMPTS = 2;

/**
 * Decides the next step of a child. When a child with a `note` ends, the function also notes in the journal what the child has swept.
 */
export function queryExpired(
  input: QueryExpiredInput,
  { settings, documents, random, clock, logger }: Runtime,
  journal: () => Pick<Journal, 'noteSwept'> = lambdaJournal,
): Promise<QueryExpiredOutput> {
  const { QueryExpired: seconds } = childTimeouts(input.sweep.target.upcomingFrom);
  const requestTimeout = requestTimeoutMs(seconds, ATTEMPTS);
  const options = {
    settings,
    layout: indexLayout(settings.model),
    readIndex: indexReader(documents, settings, { requestTimeout }),
    countIndex: indexCounter(documents, settings),
    showKey: keyShower(settings),
    random,
    clock,
  };
  return queryExpiredWith(input, options, { tableName: settings.tableName, logger, journal });
}

interface Noting {
  readonly tableName: string;
  readonly logger: Pick<Runtime['logger'], 'warn'>;
  readonly journal: () => Pick<Journal, 'noteSwept'>;
}

export async function queryExpiredWith(
  input: QueryExpiredInput,
  options: NextStepOptions,
  { tableName, logger, journal }: Noting,
): Promise<QueryExpiredOutput> {
  const { target, note } = input.sweep;
  const output = await nextStep(input, options);
  if (output.next !== 'end' || note === null) return output;
  const { cursor, brokenAt } = output.progress;
  // Items may be left in the cursor's second: those whose TTLs have fractions.
  const to = Math.min(note.before, target.before, cursor, Math.floor(brokenAt ?? Number.POSITIVE_INFINITY));
  if (to <= target.from) return output;
  try {
    await journal().noteSwept(tableName, { from: target.from, to, ...note.part });
  } catch (error) {
    logger.warn('cannot note what was swept', { error: String(error).slice(0, 500) });
  }
  return output;
}

const runtimeOf = lambdaRuntime({ maxAttempts: ATTEMPTS });

export const handler = async (event: WithSettings<QueryExpiredInput>): Promise<QueryExpiredOutput> =>
  queryExpired(event, runtimeOf(readSettings(event.settings)));
