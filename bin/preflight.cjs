'use strict';
/*
 * npm scripts load this before anything else (`node -r`): before npm ci they run on the shell's Node, whose own words for what is missing
 * name neither the cause nor the cure. Written so that any Node can read it, and without packages.
 */
var fs = require('fs');
var path = require('path');

/** The major version that the package `node` brings, which is the functions' runtime. */
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
