import { availableParallelism } from 'node:os';

/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  // Jest leaves one core free. Much of the time goes into waiting, for DynamoDB Local and for processes: three workers on two
  // cores take a tenth less than two.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  // Room for a slow or busy machine, where single tests took 22 seconds; nothing here is timed.
  testTimeout: 60_000,
  testSequencer: './test/support/slow-first.mjs',
  globalSetup: './test/support/global-setup.ts',
  globalTeardown: './test/support/global-teardown.ts',
  setupFiles: ['./test/support/shared-bundles.ts', './test/support/tokens-without-stacks.ts'],
  roots: ['<rootDir>/test', '<rootDir>/stepfunctions-emulator/test'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    // Whole deployments, commands as processes, and `npm start` with every value of every field: npm run test:slow.
    '\\.slow\\.test\\.ts$',
    '<rootDir>/test/start/',
    // Starts other test frameworks: npm run test:outside.
    '<rootDir>/stepfunctions-emulator/test/readme-frameworks.test.ts',
  ],
  // SWC only strips the types; `npm run typecheck` is what checks them.
  transform: {
    '\\.ts$': ['@swc/jest', { jsc: { target: 'es2024', parser: { syntax: 'typescript' } } }],
  },
};
