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
import { withPackedLinks } from './document-links.ts';

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
}

/**
 * While npm packs the package of this folder, other texts stand in the place of some of its files: `in` before, `out` after.
 * Interrupted, `out` mends it, in the folder of the package; git shows what is left.
 */

/** File → the function that makes its text in the package from its text in the checkout, by package name. */
const STAND_INS: Readonly<Record<string, Readonly<Record<string, (text: string) => string>>>> = {
  // npm publishes only the README.md of this folder, and the repository's is about a checkout: it links to folders that are not in the
  // package.
  'precise-ttl': {
    'README.md': () => readFileSync('tools/package/README.md', 'utf8'),
    ...Object.fromEntries(
      globSync('docs/**/*.md').map(file => [file, (text: string) => withPackedLinks(file, text)]),
    ),
  },
  // npm has no field that applies only to the package. npm publish reads its metadata before packing.
  'stepfunctions-emulator': {
    'package.json': text => `${JSON.stringify(packedManifest(JSON.parse(text)), null, 2)}\n`,
  },
};

/** The manifest of a workspace without what is for the checkout; its entry points are what was built of its sources. */
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

const { name } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const standIns = Object.entries(STAND_INS[name] ?? {});
const direction = process.argv[2];
if (direction === 'in') {
  for (const [file, standIn] of standIns) {
    mkdirSync(dirname(asideOf(file)), { recursive: true });
    // Copied and not moved, because npm and its scripts read the manifest all the time.
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
