/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  // Jest leaves one core free, and of two cores one is half. Much of the time goes into waiting for DynamoDB Local.
  maxWorkers: '100%',
  // Room for a slow or busy machine; nothing here is timed.
  testTimeout: 30_000,
  testSequencer: './test/support/slow-first.mjs',
  globalSetup: './test/support/global-setup.ts',
  globalTeardown: './test/support/global-teardown.ts',
  setupFiles: ['./test/support/shared-bundles.ts', './test/support/tokens-without-stacks.ts'],
  roots: ['<rootDir>/test', '<rootDir>/stepfunctions-emulator/test'],
  testMatch: ['**/*.test.ts'],
  // Three minutes of their own: npm run test:start.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/start/'],
  // SWC only strips the types; `npm run typecheck` is what checks them.
  transform: {
    '\\.ts$': ['@swc/jest', { jsc: { target: 'es2024', parser: { syntax: 'typescript' } } }],
  },
};
