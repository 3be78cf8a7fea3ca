'use strict';
/*
 * Ends an npm script, which loads this file first (`node -r`), if Node is too old or `npm ci` has not run: later errors would name neither
 * the cause nor the cure. So this file needs no packages, and old versions of Node can read it.
 */
var fs = require('fs');
var path = require('path');

/** Major version of Node in the package `node`. The functions' runtime has the same major version. */
var NODE_MAJOR = 24;
var version = process.versions.node;

if (
  Number(version.split('.')[0]) < NODE_MAJOR ||
  !fs.existsSync(path.join(__dirname, '../node_modules/node/package.json'))
) {
  console.error(
    'node_modules: expected what npm ci installs, Node ' +
      NODE_MAJOR +
      ' among it, got Node ' +
      version +
      '; run npm ci without --ignore-scripts, and start this by npm or npx',
  );
  process.exit(1);
}
