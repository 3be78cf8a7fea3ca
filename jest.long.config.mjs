import fast from './jest.config.mjs';

/**
 * What npm test leaves out because it takes as long as all the rest: whole deployments with faults, and the commands as
 * processes.
 *
 * @type {import('jest').Config}
 */
export default {
  ...fast,
  // Beside other runs a file that takes half a minute alone took six.
  testTimeout: 180_000,
  testMatch: ['**/*.long.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
};
