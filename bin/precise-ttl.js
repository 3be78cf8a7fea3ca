#!/usr/bin/env node
// This file is in the package, which has bundled commands, and in the checkout, where Node runs the sources. The syntax of this file is
// old, so that an older Node can read the file and say what is wrong.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Oldest version of Node that the package runs on. */
const OLDEST = [22, 12];
/** Oldest major version of Node for the sources of the checkout: `npm ci` installs it. */
const OF_THE_CHECKOUT = 24;
const [major, minor] = process.versions.node.split('.').map(Number);
const isOlder = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);

const source = new URL('./commands.ts', import.meta.url);
const inCheckout = existsSync(source);
if (inCheckout && major < OF_THE_CHECKOUT) {
  startAgain();
} else if (isOlder) {
  fail(`Node: expected ${OLDEST.join('.')} or later, got ${process.versions.node}; install a newer one`);
} else {
  const program = inCheckout ? source : new URL('../dist/node/command.js', import.meta.url);
  import(program.href).then(({ main }) =>
    main(new URL('../package.json', import.meta.url), process.argv.slice(2)),
  );
}

/** Runs this command on the Node of the checkout, as if it were this process. */
function startAgain() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const node = fileURLToPath(new URL(`../node_modules/node/bin/${name}`, import.meta.url));
  if (!existsSync(node)) {
    fail(
      `Node: expected ${OF_THE_CHECKOUT} or later, got ${process.versions.node}; run npm ci, which installs it`,
    );
    return;
  }
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  // A terminal sends SIGINT to both processes. If this process passed SIGINT on, the child would get a second SIGINT, and end at once.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.on('SIGHUP', () => child.kill('SIGHUP'));
  child.on('exit', (status, signal) => {
    if (signal === null) process.exit(status);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
