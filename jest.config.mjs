/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  // Room for a slow or busy machine; nothing here is timed.
  testTimeout: 30_000,
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  // SWC only strips the types; `npm run typecheck` is what checks them.
  transform: {
    '\\.ts$': ['@swc/jest', { jsc: { target: 'es2024', parser: { syntax: 'typescript' } } }],
  },
};
