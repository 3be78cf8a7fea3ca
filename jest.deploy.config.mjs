import { availableParallelism } from 'node:os';
import base from './jest.config.mjs';

/**
 * Real Terraform against an emulated AWS: `npm run test:deploy`. Apart from the other tests, since it needs programs that
 * these do not, and some minutes when it is run for the first time.
 *
 * @type {import('jest').Config}
 */
export default {
  ...base,
  testMatch: ['**/test/deploy/**/*.deploy.ts'],
  globalSetup: './test/deploy/support/global-setup.ts',
  // Each has an emulator, Terraform and a provider as processes besides.
  maxWorkers: availableParallelism(),
  testTimeout: 600_000,
};
