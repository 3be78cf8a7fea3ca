#!/usr/bin/env node
// Starts the command: in the package from a bundle, in a checkout of the repository from the sources. The syntax of this file is old, so
// that a Node that is too old can run the file and print an error.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Oldest version of Node that the package runs on. */
const OLDEST = [22, 12];
/** Oldest major version of Node that runs the sources in a checkout. `npm ci` installs this version. */
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

/** Runs this command again, with the Node that `npm ci` installed. This process then ends with the same exit code or signal. */
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
