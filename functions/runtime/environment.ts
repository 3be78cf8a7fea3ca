import { kind, oneOf, text, type ValueOf, whole } from '../../expiry/fields.ts';
import { type ExpiryModel, type ExpiryModelProps, expiryModel, MODEL_KINDS } from '../../expiry/model.ts';
import {
  MAX_DELETES_PER_SECOND,
  MAX_GRACE_SECONDS,
  MAX_LOOKBACK_MINUTES,
} from '../../statemachine/contract.ts';
import { type Environment, readVariables, toVariables } from './variables.ts';

/** How expired items are deleted: re-checking each one's TTL, or without a condition. */
export const DELETE_MODES = ['guarded', 'batch'] as const;
export type DeleteMode = (typeof DELETE_MODES)[number];

/** What logs, reports and causes of failures show of items' keys. */
export const LOG_KEYS = ['full', 'hash', 'none'] as const;
export type LogKeys = (typeof LOG_KEYS)[number];

/** Which metrics a sweep records: all of them, or only what cannot be had for free. */
export const METRIC_SETS = ['all', 'essential'] as const;
export type MetricSet = (typeof METRIC_SETS)[number];

/** The name of an attribute: DynamoDB takes any text. A zero byte cannot be in a function's environment. */
const ATTRIBUTE_NAME = kind<string>(
  value => MODEL_KINDS.partitionKey.is(value) && value.isWellFormed() && !value.includes('\0'),
  `${MODEL_KINDS.partitionKey.expected} of UTF-8 without a zero`,
);

/**
 * The props of a deployment that its functions know. Each is an environment variable of theirs: `granularityMinutes` is
 * GRANULARITY_MINUTES. `stacks/props.ts` takes them from here.
 */
export const SETTING_KINDS = {
  tableName: text(/^[A-Za-z0-9_.-]{3,255}$/, 'a table name: 3 to 255 letters, digits, `_`, `-` and `.`'),
  indexName: text(/^[A-Za-z0-9_.-]{3,255}$/, 'an index name: 3 to 255 letters, digits, `_`, `-` and `.`'),
  partitionKey: ATTRIBUTE_NAME,
  sortKey: ATTRIBUTE_NAME,
  ttlAttribute: ATTRIBUTE_NAME,
  indexedBy: MODEL_KINDS.indexedBy,
  windowAttribute: ATTRIBUTE_NAME,
  granularityMinutes: MODEL_KINDS.granularityMinutes,
  shards: MODEL_KINDS.shards,
  deleteMode: oneOf(DELETE_MODES),
  holdAttribute: ATTRIBUTE_NAME,
  graceSeconds: whole(0, MAX_GRACE_SECONDS),
  marginSeconds: whole(0, 60),
  lookbackMinutes: whole(1, MAX_LOOKBACK_MINUTES),
  precisionSeconds: whole(1, 60),
  pollSeconds: whole(0, 60),
  maxDeletesPerSecond: whole(0, MAX_DELETES_PER_SECOND),
  shardConcurrency: whole(0, 1000),
  deleteAttempts: whole(1, 100),
  backoffBaseSeconds: whole(1, 60),
  backoffCapSeconds: whole(1, 30),
  logKeys: oneOf(LOG_KEYS),
  metrics: oneOf(METRIC_SETS),
};

type SettingName = keyof typeof SETTING_KINDS;

/** What a table can be without: its functions have no such variable then. */
const ABSENT_SETTINGS = [
  'sortKey',
  'holdAttribute',
  'marginSeconds',
] as const satisfies readonly SettingName[];
type AbsentName = (typeof ABSENT_SETTINGS)[number];

/** The settings as props have them. A table without a sort key has none here either. */
export type Settings = {
  readonly [Name in Exclude<SettingName, AbsentName>]: ValueOf<(typeof SETTING_KINDS)[Name]>;
} & { readonly [Name in AbsentName]?: ValueOf<(typeof SETTING_KINDS)[Name]> };

/** What a function knows of the table it sweeps. What each setting means: docs/configuration.md. */
export type SweepSettings = Omit<Settings, keyof ExpiryModelProps> & { readonly model: ExpiryModel };

/**
 * The environment of a function, which {@link readSettings} reads.
 * @param write what a value becomes on its way there, e.g. Terraform's escapes
 */
export function toEnvironment(settings: Settings, write: (value: string) => string): Record<string, string> {
  return toVariables(SETTING_KINDS, settings, write);
}

/** @throws InvalidEnvironmentError, or InvalidModelError for a model that does not hold together */
export function readSettings(env: Environment): SweepSettings {
  // Every other one is there: readVariables has seen to that.
  const settings = readVariables(SETTING_KINDS, env, ABSENT_SETTINGS) as Settings;
  const {
    partitionKey,
    sortKey,
    ttlAttribute,
    indexedBy,
    windowAttribute,
    granularityMinutes,
    shards,
    ...others
  } = settings;
  return { ...others, model: modelOfSettings(settings) };
}

/**
 * The model of a table with these settings.
 * @throws InvalidModelError
 */
export function modelOfSettings(settings: Settings): ExpiryModel {
  return expiryModel(modelPropsOfSettings(settings));
}

/** The fields of that model, none of them left to a default. */
export function modelPropsOfSettings(settings: Settings): ExpiryModelProps {
  const { partitionKey, sortKey, ttlAttribute, indexedBy, windowAttribute, granularityMinutes, shards } =
    settings;
  return {
    partitionKey,
    ...(sortKey === undefined ? {} : { sortKey }),
    ttlAttribute,
    indexedBy,
    ...(indexedBy === 'window' && { windowAttribute, granularityMinutes, shards }),
  };
}
