import { defineConfig } from 'vitest/config';

// An hour of the virtual clock is sixty sweeps, which take time on a slow machine.
export default defineConfig({ test: { testTimeout: 60_000 } });
