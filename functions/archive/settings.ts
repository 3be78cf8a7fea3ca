import { oneOf, text } from '../../expiry/fields.ts';
import { type Environment, readVariables, toVariables } from '../runtime/variables.ts';

/**
 * Formats of archived items: DynamoDB JSON, which can be written back, or plain JSON for reading only, where a set is a list and
 * bytes are text.
 */
export const ARCHIVE_FORMATS = ['dynamodb-json', 'json'] as const;
export type ArchiveFormat = (typeof ARCHIVE_FORMATS)[number];

/** Removals that are archived: only those of expired items, or all. */
export const ARCHIVE_REMOVALS = ['expiries', 'all'] as const;
export type ArchiveRemovals = (typeof ARCHIVE_REMOVALS)[number];

/** Longest prefix. An object's key has at most 1,024 bytes; table, partition and name take less than half. Source: Amazon S3 User Guide. */
const MAX_PREFIX_LENGTH = 512;

/**
 * A general purpose bucket, by its own name. Names with these beginnings and ends are aliases or other kinds of buckets, which policies
 * and requests must name in another way. Source: Amazon S3 User Guide, "General purpose bucket naming rules".
 */
export const BUCKET = text(
  /^(?!xn--|sthree-|amzn-s3-demo-)(?!.*(-s3alias|--ol-s3|\.mrap|--x-s3|--table-s3)$)(?!.*\.\.)(?!\d+\.\d+\.\d+\.\d+$)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
  'the name of a bucket: 3 to 63 small letters, digits, `-` and single `.`, no IP address, and without the beginnings and ends that S3 keeps for itself',
);

/** The environment variables of every function that archives: ARCHIVE_BUCKET and so on. `config/props.ts` takes the kinds from here. */
export const ARCHIVE_KINDS = {
  archiveBucket: BUCKET,
  // S3 and its clients treat `.` and `..` as steps between folders.
  archivePrefix: text(
    new RegExp(`^$|^(?!/)(?!(.*/)?\\.\\.?/)[A-Za-z0-9!_.*'()/=-]{1,${MAX_PREFIX_LENGTH - 1}}/$`),
    `'' or a beginning of keys such as 'expired/': letters, digits and \`!_.*'()=-\`, with a slash at the end, none at the beginning, and no part that is . or ..`,
  ),
  archiveFormat: oneOf(ARCHIVE_FORMATS),
  archiveRemovals: oneOf(ARCHIVE_REMOVALS),
};

/** Where and in which format a function archives. */
export interface ArchiveSettings {
  readonly archiveBucket: string;
  /** Prefix of every key; '' for none. */
  readonly archivePrefix: string;
  readonly archiveFormat: ArchiveFormat;
  readonly archiveRemovals: ArchiveRemovals;
}

/** Returns the environment that {@link readArchiveSettings} reads. */
export function toArchiveEnvironment(
  settings: ArchiveSettings,
  write: (value: string) => string,
): Record<string, string> {
  return toVariables(ARCHIVE_KINDS, settings, write);
}

/**
 * Reads the archive's settings from the environment.
 *
 * @throws InvalidEnvironmentError
 */
export function readArchiveSettings(env: Environment): ArchiveSettings {
  const settings = readVariables(ARCHIVE_KINDS, env, ['archivePrefix']);
  return { archivePrefix: '', ...settings } as ArchiveSettings;
}
