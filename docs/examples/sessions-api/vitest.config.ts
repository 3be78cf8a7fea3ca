import { defineConfig } from 'vitest/config';

// Half an hour of the virtual clock is thirty sweeps, which take time on a slow machine.
export default defineConfig({ test: { testTimeout: 60_000 } });
