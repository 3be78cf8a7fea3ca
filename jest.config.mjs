import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const WITHOUT_TESTED_CODE = new Set(['dist', 'docs', 'node_modules']);

/** The rooms of the code, and not only those of the tests: by them jest finds what a change touches (`--changedSince`, `-o`). */
const ROOMS = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter(each => each.isDirectory() && !each.name.startsWith('.') && !WITHOUT_TESTED_CODE.has(each.name))
  .map(({ name }) => `<rootDir>/${name}`);

const EVERYWHERE = {
  testEnvironment: 'node',
  roots: ROOMS,
  // SWC only strips the types; `npm run typecheck` is what checks them.
  transform: {
    '\\.ts$': ['@swc/jest', { jsc: { target: 'es2024', parser: { syntax: 'typescript' } } }],
  },
};

const IN_SOURCES = {
  ...EVERYWHERE,
  globalSetup: './test/support/global-setup.ts',
  globalTeardown: './test/support/global-teardown.ts',
  setupFiles: ['./test/support/in-sources.ts'],
  // In Jest's sandbox each look-up of a global goes through an interceptor, with which the states' expressions take three times as long.
  // Date is not among these, since fake timers replace it, and neither are the names that some package declares anew.
  sandboxInjectedGlobals: [
    'Array',
    'Error',
    'JSON',
    'Map',
    'Math',
    'Number',
    'Object',
    'Promise',
    'Set',
    'String',
    'Symbol',
  ],
  // Files of the documents import the package by its name.
  // CDKTF loads an archiver that our stacks do not use: half of the time that CDKTF takes to load.
  moduleNameMapper: {
    '^precise-ttl$': '<rootDir>/expiry/index.ts',
    '^archiver$': '<rootDir>/test/support/no-archiver.cjs',
  },
};

/**
 * What `npm test`, `npm run test:slow`, `test:outside` and `test:deploy` run. Their time limits leave room for a busy machine; nothing here is timed.
 *
 * @type {import('jest').Config}
 */
export default {
  // Jest leaves one core free. Much of the time goes into waiting, for DynamoDB Local and for processes.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  // Deployments that run at once in one process take the processor from each other; DynamoDB Local works beside one of them.
  maxConcurrency: 3,
  testSequencer: './test/support/slow-first.mjs',
  projects: [
    {
      ...IN_SOURCES,
      displayName: 'unit',
      testMatch: ['**/*.test.ts'],
      testPathIgnorePatterns: [
        '/node_modules/',
        '\\.slow\\.test\\.ts$',
        '\\.browser\\.test\\.ts$',
        '<rootDir>/test/start/',
      ],
    },
    // Whole deployments, commands as processes, and the job of `npm start`.
    { ...IN_SOURCES, displayName: 'slow', testMatch: ['**/*.slow.test.ts', '**/test/start/*.test.ts'] },
    // What others do with this project, with their tools: the packed packages in applications, the examples, pages in Chromium.
    {
      ...EVERYWHERE,
      displayName: 'outside',
      testMatch: ['**/*.outside-test.ts', '**/*.browser.test.ts'],
      globalSetup: './test/support/global-setup.ts',
      globalTeardown: './test/support/global-teardown.ts',
    },
    // Real Terraform against an emulated AWS, with an emulator, Terraform and a provider as processes.
    {
      ...IN_SOURCES,
      displayName: 'deploy',
      testMatch: ['**/test/deploy/**/*.deploy.ts'],
      globalSetup: './test/deploy/support/global-setup.ts',
    },
  ],
};
