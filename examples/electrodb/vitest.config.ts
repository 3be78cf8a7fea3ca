import { defineConfig } from 'vitest/config';

// By second the sweep polls each second, so a minute of the virtual clock takes seconds on a slow machine.
export default defineConfig({ test: { testTimeout: 120_000 } });
