/** Whoever runs the tests may have a terminal with colours: what they compare is what a script gets. Jest hands both on. */
delete process.env['FORCE_COLOR'];
delete process.env['COLUMNS'];

/**
 * Jest loads `stacks/bundle.ts` and `local/functions/worker-source.ts` anew for every test file, which would make again what
 * has not changed since the run began: they all get what global-setup.ts made with the same functions. Tests may change process.env: it is read here.
 */
const { PRECISE_TTL_TEST_BUNDLES: bundles = '', PRECISE_TTL_TEST_WORKER: worker = '' } = process.env;

jest.mock('../../stacks/bundle.ts', () => ({ bundleFunctions: () => JSON.parse(bundles) }));

jest.mock('../../local/functions/worker-source.ts', () => ({ workerSource: () => worker }));

/**
 * CDKTF notes for every token where it was made, for the message should it not resolve. Jest maps each such stack trace
 * back to its source, which takes more time than everything else that a synthesis does.
 */
jest.mock('cdktf/lib/tokens/private/stack-trace.js', () => ({ captureStackTrace: () => [] }));
