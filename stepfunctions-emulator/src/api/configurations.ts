import { ApiError } from './errors.ts';
import type { Members } from './members.ts';
import { type Configuration, NO_LOGGING } from './state-machine.ts';

const LEVELS = ['ALL', 'ERROR', 'FATAL', 'OFF'] as const;
const ENCRYPTION_TYPES = ['AWS_OWNED_KEY', 'CUSTOMER_MANAGED_KMS_KEY'] as const;

/**
 * Limits of a data key's lifetime, seconds. https://docs.aws.amazon.com/step-functions/latest/apireference/API_EncryptionConfiguration.html
 */
const REUSE_PERIOD = { min: 60, max: 900, default: 300 };

/**
 * Checks `loggingConfiguration` as AWS does, except that the log group need not exist.
 * @returns as it is described later; undefined when there is none
 * @throws {ApiError} InvalidLoggingConfiguration
 */
export function takeLogging(members: Members): Configuration | undefined {
  const logging = members.object('loggingConfiguration');
  if (logging === undefined) return undefined;
  const level = logging.oneOf('level', LEVELS) ?? NO_LOGGING['level'];
  const includeExecutionData = logging.boolean('includeExecutionData') ?? NO_LOGGING['includeExecutionData'];
  const destinations = logging.objects('destinations');
  const count = destinations?.length ?? 0;
  if (count > 1 || (count === 0 && level !== 'OFF')) {
    throw invalidLogging('Must specify exactly one Log Destination.');
  }
  return {
    level,
    includeExecutionData,
    ...(destinations !== undefined && { destinations: destinations.map(takeDestination) }),
  };
}

function takeDestination(destination: Members): Configuration {
  const logGroupArn = destination
    .object('cloudWatchLogsLogGroup')
    ?.optionalString('logGroupArn', { min: 1, max: 256 });
  if (logGroupArn === undefined || !/^arn:aws[a-z-]*:logs:[^:]+:[^:]+:log-group:[^:]+/.test(logGroupArn)) {
    const got = logGroupArn === undefined ? 'none' : `'${logGroupArn}'`;
    throw invalidLogging(`Expected the ARN of a log group, got ${got}.`);
  }
  if (!logGroupArn.endsWith(':*')) {
    throw invalidLogging("Log Group ARN must be provided with '*' qualifier.");
  }
  return { cloudWatchLogsLogGroup: { logGroupArn } };
}

const invalidLogging = (why: string): ApiError =>
  new ApiError('InvalidLoggingConfiguration', `Invalid Logging Configuration: ${why}`);

/**
 * Checks `tracingConfiguration`. An empty one means disabled: SDKs leave out false.
 * @throws {ApiError} InvalidTracingConfiguration
 */
export function takeTracing(members: Members): Configuration | undefined {
  const tracing = members.object('tracingConfiguration');
  if (tracing === undefined) return undefined;
  const other = tracing.names.find(name => name !== 'enabled');
  if (other !== undefined && !tracing.has('enabled')) {
    throw new ApiError(
      'InvalidTracingConfiguration',
      `Invalid Tracing Configuration: expected 'enabled', got '${other}'`,
    );
  }
  return { enabled: tracing.boolean('enabled') ?? false };
}

/**
 * Checks `encryptionConfiguration`. The key need not exist, because nothing is encrypted locally.
 * @throws {ApiError} InvalidEncryptionConfiguration
 */
export function takeEncryption(members: Members): Configuration | undefined {
  const encryption = members.object('encryptionConfiguration');
  if (encryption === undefined) return undefined;
  const type = encryption.oneOf('type', ENCRYPTION_TYPES);
  const kmsKeyId = encryption.optionalString('kmsKeyId', { min: 1, max: 2048 });
  const seconds = encryption.integer('kmsDataKeyReusePeriodSeconds', 0, Number.MAX_SAFE_INTEGER);
  if (type === undefined) throw invalidEncryption("'type' is missing");
  if (type === 'AWS_OWNED_KEY') {
    if (kmsKeyId === undefined && seconds === undefined) return { type };
    throw invalidEncryption(`expected no key and no reuse period of keys for ${type}`);
  }
  if (kmsKeyId === undefined) throw invalidEncryption(`'kmsKeyId' is missing, which ${type} needs`);
  const { min, max } = REUSE_PERIOD;
  if (seconds !== undefined && (seconds < min || seconds > max)) {
    throw invalidEncryption(
      `'kmsDataKeyReusePeriodSeconds': expected ${min} to ${max} seconds, got ${seconds}`,
    );
  }
  return { type, kmsKeyId, kmsDataKeyReusePeriodSeconds: seconds ?? REUSE_PERIOD.default };
}

const invalidEncryption = (why: string): ApiError =>
  new ApiError('InvalidEncryptionConfiguration', `Invalid Encryption Configuration: ${why}`);
