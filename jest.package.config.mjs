import config from './jest.config.mjs';

/**
 * `npm run test:package`: the packed package in applications, compiled by old and new compilers. It takes longer than
 * belongs into `npm test`.
 * @type {import('jest').Config}
 */
export default {
  testEnvironment: 'node',
  testTimeout: 120_000,
  // Compilers at once.
  maxConcurrency: 2,
  roots: ['<rootDir>/test/package', '<rootDir>/stepfunctions-emulator/test'],
  testMatch: ['**/*.package-test.ts', '**/test/package/*.test.ts', '**/readme-frameworks.test.ts'],
  transform: config.transform,
};
