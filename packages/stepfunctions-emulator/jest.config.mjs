import root from '../../jest.config.mjs';

/**
 * `npm test -w stepfunctions-emulator`: the tests of this package alone. They are part of the repository's `npm test`, too.
 *
 * @type {import('jest').Config}
 */
export default {
  testEnvironment: root.testEnvironment,
  maxWorkers: root.maxWorkers,
  testTimeout: root.testTimeout,
  roots: ['<rootDir>/test'],
  testMatch: root.testMatch,
  // Needs Chromium: npm run test:outside.
  testPathIgnorePatterns: ['/node_modules/', '\\.browser\\.test\\.ts$'],
  transform: root.transform,
};
