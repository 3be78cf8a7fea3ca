import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { LICENCES_FILE, licencesOf } from '../../stacks/licences.ts';
import { compile } from './compile.ts';
import { copyDeclarations } from './declarations.ts';

export interface Library {
  /** Name of the folder and of the entry: `testing`. */
  readonly room: string;
  /** Packages that the application provides, which are not bundled. */
  readonly external?: string[];
  readonly plugins?: Plugin[];
  /** Code that runs before the library. */
  readonly banner?: string;
}

/**
 * Builds `precise-ttl/ROOM` with everything that it needs inside: once, as CommonJS, which jest can load. ES modules get the same
 * code through a module that hands on its names.
 */
export async function buildLibrary({
  room,
  external = [],
  plugins = [],
  banner = '',
}: Library): Promise<void> {
  const folder = join('dist', room);
  const entry = `${room}/index`;
  const { metafile } = await build({
    entryPoints: [`${entry}.ts`],
    outfile: join(folder, 'index.js'),
    bundle: true,
    // Not minified: test runners print the source line of an error.
    minifySyntax: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    define: { 'import.meta.dirname': '__dirname', 'import.meta.url': 'preciseTtlUrl' },
    banner: {
      js: `${banner}\nconst preciseTtlUrl = require('node:url').pathToFileURL(__filename).href;`,
    },
    inject: [join(import.meta.dirname, 'group-by.ts')],
    external,
    plugins,
    metafile: true,
    logLevel: 'error',
  });
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
  writeFileSync(join(folder, LICENCES_FILE), licencesOf(inputsOf(metafile)));
  const names = Object.keys(createRequire(import.meta.url)(resolve(folder, 'index.js')));
  writeFileSync(
    join(folder, 'index.mjs'),
    `import ${room} from './index.js';\n\nexport const { ${names.sort().join(', ')} } = ${room};\n`,
  );
  const declarations = mkdtempSync(join(tmpdir(), 'precise-ttl-declarations-'));
  try {
    await compile(`tsconfig.build.${room}.json`, ['--outDir', declarations]);
    copyDeclarations(entry, declarations, join(folder, 'types'));
  } finally {
    rmSync(declarations, { recursive: true, force: true });
  }
  writeFileSync(join(folder, 'index.d.mts'), `export * from './types/${entry}.js';\n`);
}

/** The files whose code is in the bundle. */
function inputsOf({ outputs }: Metafile): string[] {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
}
