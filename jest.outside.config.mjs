import { availableParallelism } from 'node:os';
import config from './jest.config.mjs';

/**
 * `npm run test:outside`: what others do with this project, with their tools: the packed packages in applications; the examples, with what
 * their package.json asks of the registry; pages in Chromium. `npm run test:outside -- test/package` runs one of them.
 *
 * @type {import('jest').Config}
 */
export default {
  testEnvironment: 'node',
  testTimeout: 900_000,
  // Jest leaves one core free; each packs, compiles or waits for a browser.
  maxWorkers: availableParallelism(),
  // Compilers at once.
  maxConcurrency: 2,
  globalSetup: './test/support/outside-setup.ts',
  globalTeardown: './test/support/outside-teardown.ts',
  roots: ['<rootDir>/test', '<rootDir>/packages/stepfunctions-emulator/test'],
  testMatch: ['**/*.outside-test.ts', '**/*.browser.test.ts'],
  transform: config.transform,
};
