/**
 * Jest loads `stacks/bundle.ts` and `local/functions/worker-source.ts` anew for every test file, which would make again what
 * has not changed since the run began: they all get what global-setup.ts made with the same functions. Tests may change process.env: it is read here.
 */
const { PRECISE_TTL_TEST_BUNDLES: bundles = '', PRECISE_TTL_TEST_WORKER: worker = '' } = process.env;

jest.mock('../../stacks/bundle.ts', () => ({ bundleFunctions: () => JSON.parse(bundles) }));

jest.mock('../../local/functions/worker-source.ts', () => ({ workerSource: () => worker }));
