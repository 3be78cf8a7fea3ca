import { defineConfig } from 'vitest/config';

// A minute of the virtual clock by second is a sweep with a poll for each second: seconds on a slow machine.
export default defineConfig({ test: { testTimeout: 120_000 } });
