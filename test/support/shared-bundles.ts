/**
 * Jest loads `stacks/bundle.ts` and `local/functions/worker-source.ts` anew for every test file, which would make again what
 * has not changed since the run began: they all get what global-setup.ts made with the same functions.
 */
jest.mock('../../stacks/bundle.ts', () => ({
  ...jest.requireActual<typeof import('../../stacks/bundle.ts')>('../../stacks/bundle.ts'),
  bundleFunctions: () => JSON.parse(process.env['PRECISE_TTL_TEST_BUNDLES'] ?? ''),
}));

jest.mock('../../local/functions/worker-source.ts', () => ({
  workerSource: () => process.env['PRECISE_TTL_TEST_WORKER'] ?? '',
}));
