#!/usr/bin/env node
import { existsSync } from 'node:fs';

// A checkout of the repository contains the TypeScript sources. The published package contains only the built files.
const built = new URL('../dist/esm/cli/main.js', import.meta.url);
const source = new URL('../src/cli/main.ts', import.meta.url);
const { main } = await import((existsSync(source) ? source : built).href);
await main(process.argv.slice(2));
