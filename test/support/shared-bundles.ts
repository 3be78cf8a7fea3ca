/**
 * Jest loads `stacks/bundle.ts` anew for every test file, which would bundle again what has not changed since the run
 * began: they all get the bundles that global-setup.ts made with the same functions.
 */
jest.mock('../../stacks/bundle.ts', () => ({
  ...jest.requireActual<typeof import('../../stacks/bundle.ts')>('../../stacks/bundle.ts'),
  bundleFunctions: () => JSON.parse(process.env['PRECISE_TTL_TEST_BUNDLES'] ?? '').ofSweep,
  bundleBackfill: () => JSON.parse(process.env['PRECISE_TTL_TEST_BUNDLES'] ?? '').ofBackfill,
}));
