'use strict';
/*
 * npm scripts load this before anything else (`node -r`): where packages or the right Node are missing, the program
 * itself can't even be read, and Node's own words for that name neither the cause nor the cure. Written so that any
 * Node can read it, and without packages.
 */
var fs = require('fs');
var path = require('path');

/** The major version that the package `node` brings, which is the functions' runtime. */
var NODE_MAJOR = 24;

function missingPackages() {
  var manifest = require('../package.json');
  var names = Object.keys(manifest.dependencies || {}).concat(Object.keys(manifest.devDependencies));
  return names.filter(function (name) {
    return !fs.existsSync(path.join(__dirname, '..', 'node_modules', name, 'package.json'));
  });
}

function problem() {
  var missing = missingPackages();
  if (missing.length > 0) {
    return (
      'node_modules: expected the packages of package.json, got none for ' +
      (missing.length > 3
        ? missing.slice(0, 3).join(', ') + ' and ' + (missing.length - 3) + ' more'
        : missing.join(', ')) +
      '; run npm ci, which needs the network this once'
    );
  }
  var version = process.versions.node;
  if (Number(version.split('.')[0]) < NODE_MAJOR) {
    return (
      'Node: expected ' +
      NODE_MAJOR +
      ' or later, which npm ci installs for the npm scripts, got ' +
      version +
      '; run npm ci without --ignore-scripts, and start this by npm or npx'
    );
  }
  return undefined;
}

var found = problem();
if (found !== undefined) {
  console.error(found);
  process.exit(1);
}
