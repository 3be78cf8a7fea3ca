import config from './jest.config.mjs';

/**
 * `npm run test:examples`: every example with the packed package and what its package.json asks of the registry.
 *
 * @type {import('jest').Config}
 */
export default {
  testEnvironment: 'node',
  testTimeout: 900_000,
  maxWorkers: 1,
  roots: ['<rootDir>/test/examples'],
  testMatch: ['**/*.examples-test.ts'],
  transform: config.transform,
};
