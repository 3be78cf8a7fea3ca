import { type ExpiryModel, expiryModel } from '../../expiry/model.ts';
import type { BackoffSettings } from '../retry/backoff.ts';
import { InvalidEnvironmentError } from './errors.ts';

/** How expired items are deleted: re-checking each one's TTL, or without a condition. */
export const DELETE_MODES = ['guarded', 'batch'] as const;
export type DeleteMode = (typeof DELETE_MODES)[number];

/** What a function knows of the table it sweeps. */
export interface SweepSettings extends BackoffSettings {
  readonly tableName: string;
  readonly indexName: string;
  readonly model: ExpiryModel;
  readonly deleteMode: DeleteMode;
  readonly lookbackMinutes: number;
  /** Seconds between two polls of an upcoming minute at least; 60 is the plain mode, without upcoming minutes. */
  readonly precisionSeconds: number;
  /** Seconds between two polls of an upcoming minute at most; 0 = poll only when something known expires. */
  readonly pollSeconds: number;
  /** Calls of DeleteChunk for one chunk, the first included. */
  readonly deleteAttempts: number;
}

/** The variables that `stacks/` sets on every function. */
export type SweepEnvironment = Readonly<
  Record<
    | 'TABLE_NAME'
    | 'INDEX_NAME'
    | 'PARTITION_KEY'
    | 'TTL_ATTRIBUTE'
    | 'WINDOW_ATTRIBUTE'
    | 'GRANULARITY_MINUTES'
    | 'SHARDS'
    | 'DELETE_MODE'
    | 'LOOKBACK_MINUTES'
    | 'PRECISION_SECONDS'
    | 'POLL_SECONDS'
    | 'DELETE_ATTEMPTS'
    | 'BACKOFF_BASE_SECONDS'
    | 'BACKOFF_CAP_SECONDS',
    string
  > & { readonly SORT_KEY?: string }
>;

/** @throws InvalidEnvironmentError, or InvalidModelError for a model that does not hold together */
export function readSettings(env: Readonly<Record<string, string | undefined>>): SweepSettings {
  const text = (field: string): string => {
    const value = env[field];
    if (value) return value;
    throw invalid(field, 'a value', value);
  };
  const whole = (field: string, least = 1): number => {
    const value = Number(text(field));
    if (Number.isInteger(value) && value >= least) return value;
    throw invalid(field, `a whole number from ${least} on`, env[field]);
  };
  const deleteMode = DELETE_MODES.find(mode => mode === env['DELETE_MODE']);
  if (!deleteMode) throw invalid('DELETE_MODE', DELETE_MODES.join(' or '), env['DELETE_MODE']);
  return {
    tableName: text('TABLE_NAME'),
    indexName: text('INDEX_NAME'),
    model: expiryModel({
      partitionKey: text('PARTITION_KEY'),
      ...(env['SORT_KEY'] ? { sortKey: env['SORT_KEY'] } : {}),
      ttlAttribute: text('TTL_ATTRIBUTE'),
      windowAttribute: text('WINDOW_ATTRIBUTE'),
      granularityMinutes: whole('GRANULARITY_MINUTES'),
      shards: whole('SHARDS'),
    }),
    deleteMode,
    lookbackMinutes: whole('LOOKBACK_MINUTES'),
    precisionSeconds: whole('PRECISION_SECONDS'),
    pollSeconds: whole('POLL_SECONDS', 0),
    deleteAttempts: whole('DELETE_ATTEMPTS'),
    backoffBaseSeconds: whole('BACKOFF_BASE_SECONDS'),
    backoffCapSeconds: whole('BACKOFF_CAP_SECONDS'),
  };
}

function invalid(field: string, expected: string, got: unknown): InvalidEnvironmentError {
  return new InvalidEnvironmentError({ field, expected, got, remedy: 'Deploy the function again.' });
}
