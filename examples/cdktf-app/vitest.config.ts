import { defineConfig } from 'vitest/config';

// Five minutes of the virtual clock, on a slow machine.
export default defineConfig({ test: { testTimeout: 60_000 } });
