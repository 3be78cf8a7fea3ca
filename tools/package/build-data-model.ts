import { compile } from './compile.ts';

/** Builds the part of the package that applications import, as ES modules in `dist/esm`. */
export const buildDataModel = (): Promise<void> => compile('tsconfig.build.json');
