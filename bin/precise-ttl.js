#!/usr/bin/env node
// The same file in the package, where the commands are bundled, and in the checkout, whose sources Node reads itself.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';

/** Oldest version of Node that the package runs on; the checkout needs a newer one. */
const OLDEST = [20, 12];
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  console.error(
    `Node: expected ${OLDEST.join('.')} or later, got ${process.versions.node}; install a newer one`,
  );
  process.exitCode = 1;
} else {
  const source = new URL('../cli/main.ts', import.meta.url);
  const inCheckout = existsSync(source);
  // Ends the process if it cannot continue.
  if (inCheckout) createRequire(import.meta.url)('../cli/preflight.cjs');
  const { main } = await import(
    inCheckout ? source.href : new URL('../dist/cli/main.mjs', import.meta.url).href
  );
  await main(new URL('../package.json', import.meta.url), process.argv.slice(2));
}
