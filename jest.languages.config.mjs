import config from './jest.config.mjs';

/**
 * `npm run test:languages`: the functions in docs/writers.md, by the Python, Go and Java of this machine. Apart from the other
 * tests, since compilers take longer than belongs into `npm test`.
 *
 * @type {import('jest').Config}
 */
export default {
  testEnvironment: 'node',
  testTimeout: 300_000,
  roots: ['<rootDir>/test/languages'],
  testMatch: ['**/*.languages-test.ts'],
  transform: config.transform,
};
