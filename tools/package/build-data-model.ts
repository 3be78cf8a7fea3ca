import { build } from 'esbuild';
import { compile } from './compile.ts';

/** Builds the part of the package that applications and browsers run; the compiler refuses names that only Node has. */
export async function buildDataModel(): Promise<void> {
  await compile('tsconfig.build.json');
  await build({
    entryPoints: ['expiry/index.ts', 'expiry/data-model.ts'],
    outdir: 'dist/esm',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    logLevel: 'error',
  });
}
