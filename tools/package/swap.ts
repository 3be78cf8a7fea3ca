import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { withPackedLinks } from './release-content.ts';

/**
 * Replaces some files of the package in the current folder while npm packs the package: `in` replaces them, `out` restores them. Run
 * `out` in the package's folder after an interruption. git shows files that are still replaced.
 */

/** Package → file → function that makes the packed text from the text in the checkout. */
const STAND_INS: Readonly<Record<string, Readonly<Record<string, (text: string) => string>>>> = {
  // The package has another README.md: the repository's README.md is about a checkout, and links to folders that the package lacks.
  'precise-ttl': {
    'README.md': () => readFileSync('tools/package/README.md', 'utf8'),
    ...Object.fromEntries(
      globSync('docs/**/*.md').map(file => [file, (text: string) => withPackedLinks(file, text)]),
    ),
  },
  // The entry points are sources in a checkout, but built files in the package. npm itself cannot replace entry points.
  'stepfunctions-emulator': {
    'package.json': text => `${JSON.stringify(packedManifest(JSON.parse(text)), null, 2)}\n`,
  },
};

/** A workspace's manifest, without `scripts` and `devDependencies`, and with the built files as entry points. */
function packedManifest({ scripts, devDependencies, exports, ...kept }: Record<string, object>): object {
  const exported = Object.entries(exports ?? {}).map(([name, target]) => {
    const path = /^\.\/src\/(.*)\.ts$/.exec(String(target))?.[1];
    const built = { types: `./dist/esm/${path}.d.ts`, default: `./dist/esm/${path}.js` };
    return [name, path === undefined ? target : built];
  });
  return { ...kept, exports: Object.fromEntries(exported) };
}

const ASIDE = '.repository';

const asideOf = (file: string): string => `${ASIDE}/${file}`;

const { name } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly name: string };
const standIns = Object.entries(STAND_INS[name] ?? {});
const direction = process.argv[2];
if (direction === 'in') {
  for (const [file, standIn] of standIns) {
    mkdirSync(dirname(asideOf(file)), { recursive: true });
    // The file is copied, not moved, because npm may read the manifest at any moment, and fails without it.
    if (!existsSync(asideOf(file))) copyFileSync(file, asideOf(file));
    writeFileSync(file, standIn(readFileSync(asideOf(file), 'utf8')));
  }
} else if (direction === 'out') {
  for (const [file] of standIns) {
    if (existsSync(asideOf(file))) renameSync(asideOf(file), file);
  }
  rmSync(ASIDE, { recursive: true, force: true });
} else {
  console.error(`swap: expected in or out, got ${direction ?? 'nothing'}`);
  process.exitCode = 2;
}
