import { copyFileSync, existsSync, renameSync } from 'node:fs';

/**
 * `npm pack` takes the README.md of this folder and no other, and this repository's is about a checkout: it links to
 * folders that are not in the package. So the package's own stands in its place while npm packs: `in` before, `out`
 * after. Interrupted, `out` mends it; git shows what is left.
 */

const README = 'README.md';
const PACKAGED = 'package/README.md';
const SET_ASIDE = '.repository-readme.md';

const direction = process.argv[2];
if (direction === 'in') {
  if (!existsSync(SET_ASIDE)) renameSync(README, SET_ASIDE);
  copyFileSync(PACKAGED, README);
} else if (direction === 'out') {
  if (existsSync(SET_ASIDE)) renameSync(SET_ASIDE, README);
} else {
  console.error(`swap-readme: expected in or out, got ${direction ?? 'nothing'}`);
  process.exitCode = 2;
}
