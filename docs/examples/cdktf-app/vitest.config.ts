import { defineConfig } from 'vitest/config';

// A test advances the virtual clock by five minutes, which takes time on a slow machine.
export default defineConfig({ test: { testTimeout: 60_000 } });
