#!/usr/bin/env node
import { existsSync } from 'node:fs';

// Two folders, one path: npm links it before anything is built, and what it registers of a package is the manifest of the
// checkout. A package holds what was built, the checkout its sources.
const built = new URL('../dist/esm/cli/main.js', import.meta.url);
const source = new URL('../src/cli/main.ts', import.meta.url);
const { main } = await import((existsSync(source) ? source : built).href);
await main(process.argv.slice(2));
