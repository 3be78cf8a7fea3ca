import type { ExpiryModel, WindowModel } from '../../expiry/model.ts';
import type { BackfillSegmentInput, BackfillSegmentOutput } from '../../statemachine/backfill-contract.ts';
import { keyShower } from '../report/shown-keys.ts';
import { readEnvironment, type SweepSettings } from '../runtime/environment.ts';
import { InvalidEnvironmentError } from '../runtime/errors.ts';
import { lambdaRuntime, type Runtime } from '../runtime/runtime.ts';
import { keyAttributeNames, toItemKey } from '../table/item-key.ts';
import { segmentReader } from './scan-page.ts';
import { backfillSegment } from './segment.ts';
import { windowWriter } from './write-window.ts';

/** One attempt per call: the state machine waits when a page cannot be read, and writes have their own backoff. */
const ATTEMPTS = 1;

/**
 * Reads the next items of a table's segment, and writes into each item the window of its TTL. A second call with the same input is
 * harmless: items that the first call stamped are right already.
 *
 * @throws DynamoDbBusyError; DynamoDB's error when no item can be read or written
 */
export function segmentBackfill(
  input: BackfillSegmentInput,
  { settings, documents, logger, clock, random, sleep }: Runtime,
): Promise<BackfillSegmentOutput> {
  const { tableName, model } = settings;
  requireWindows(model);
  const table = { tableName, model };
  const showKey = keyShower(settings);
  return backfillSegment(input, {
    model,
    settings,
    scanPage: segmentReader(documents, table, input.progress),
    writeWindow: windowWriter(documents, table, (item, error) =>
      logger.error('cannot stamp', { key: showKey(toItemKey(item, keyAttributeNames(model))), error }),
    ),
    clock,
    random,
    sleep,
  });
}

function requireWindows(model: ExpiryModel): asserts model is WindowModel {
  if (model.windowAttribute !== undefined) return;
  throw new InvalidEnvironmentError({
    field: 'INDEXED_BY',
    expected: 'window: by second there is nothing to stamp',
    got: model.indexedBy,
    remedy: 'Deploy the function again.',
  });
}

const runtime = lambdaRuntime({ maxAttempts: ATTEMPTS });
let settings: SweepSettings | undefined;

/** Reads the settings at the first call. */
function ownSettings(): SweepSettings {
  settings ??= readEnvironment(process.env);
  return settings;
}

export const handler = (event: BackfillSegmentInput): Promise<BackfillSegmentOutput> =>
  segmentBackfill(event, runtime(ownSettings()));
