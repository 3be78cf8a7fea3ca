import { fieldProblems, isObject, kind, oneOf, text, type ValueOf, whole } from '../../expiry/fields.ts';
import { type ExpiryModel, type ExpiryModelProps, expiryModel, MODEL_KINDS } from '../../expiry/model.ts';
import { MAX_DELETES_PER_SECOND } from '../../statemachine/contract/limits.ts';
import { InvalidSettingsError } from './errors.ts';

export const DELETE_MODES = ['guarded', 'batch'] as const;
export type DeleteMode = (typeof DELETE_MODES)[number];

export const PRECISIONS = ['second', 'minute'] as const;

export const LOG_KEYS = ['full', 'hash', 'none'] as const;
export type LogKeys = (typeof LOG_KEYS)[number];

/** Accepted attribute names: no lone surrogate, as Terraform's files are UTF-8, and no zero byte, as some programs cut a text there. */
const ATTRIBUTE_NAME = kind<string>(
  value => MODEL_KINDS.partitionKey.is(value) && value.isWellFormed() && !value.includes('\0'),
  `${MODEL_KINDS.partitionKey.expected} of UTF-8 without a zero`,
);

/**
 * Allowed values of a table's settings. The definition of a state machine contains the settings, and passes them to the functions, which
 * check them ({@link readSettings}).
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
  marginSeconds: whole(0, 60),
  precision: oneOf(PRECISIONS),
  pollSeconds: whole(0, 60),
  maxDeletesPerSecond: whole(0, MAX_DELETES_PER_SECOND),
  logKeys: oneOf(LOG_KEYS),
};

type SettingName = keyof typeof SETTING_KINDS;

const ABSENT_SETTINGS = ['sortKey', 'marginSeconds'] as const satisfies readonly SettingName[];
type AbsentName = (typeof ABSENT_SETTINGS)[number];

const REQUIRED_SETTINGS = Object.keys(SETTING_KINDS).filter(
  name => !(ABSENT_SETTINGS as readonly string[]).includes(name),
);

export type Settings = {
  readonly [Name in Exclude<SettingName, AbsentName>]: ValueOf<(typeof SETTING_KINDS)[Name]>;
} & { readonly [Name in AbsentName]?: ValueOf<(typeof SETTING_KINDS)[Name]> };

export type WithSettings<Input> = Input & { readonly settings: unknown };

export type SweepSettings = Omit<Settings, keyof ExpiryModelProps> & {
  readonly model: ExpiryModel;
  /** Minimum number of seconds between an item's expiry and its delete by a sweep. 0 if the table has neither `archive` nor `events`. */
  readonly marginSeconds: number;
};

export function readSettings(carried: unknown): SweepSettings {
  const remedy = 'Deploy again.';
  if (!isObject(carried)) {
    throw new InvalidSettingsError({ field: 'settings', expected: 'an object', got: carried, remedy });
  }
  const [problem] = fieldProblems(SETTING_KINDS, carried, { required: REQUIRED_SETTINGS, remedy });
  if (problem) throw new InvalidSettingsError({ ...problem, remedy });
  const settings = carried as unknown as Settings;
  return { ...settings, marginSeconds: settings.marginSeconds ?? 0, model: modelOfSettings(settings) };
}

/**
 * Picks the settings that {@link readSettings} reads. Settings without a value are left out.
 * @param write converts each text, for example escapes it for Terraform
 */
export function carriedSettings(
  settings: Settings,
  write: (value: string) => string = value => value,
): Settings {
  const fields = Object.entries(settings).filter(
    ([name, value]) => name in SETTING_KINDS && value !== undefined,
  );
  return Object.fromEntries(
    fields.map(([name, value]) => [name, typeof value === 'string' ? write(value) : value]),
  ) as unknown as Settings;
}

export function modelOfSettings(settings: Settings): ExpiryModel {
  return expiryModel(modelPropsOfSettings(settings));
}

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
