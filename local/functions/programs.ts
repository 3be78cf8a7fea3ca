import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { unzipSync } from 'fflate';
import { LocalCloudError } from '../errors.ts';
import type { FunctionResource } from '../stack/synthesized.ts';
import { workerSource } from './worker-source.ts';

const EXTENSIONS = ['.mjs', '.js', '.cjs'];

/**
 * Unpacks a function's deployment package, as Lambda does before the function starts.
 *
 * @param directory folder for the files; it is created
 * @returns the module that holds the handler and the name of its export
 * @throws {LocalCloudError} when the archive can't be read or holds no such module
 */
export function unpack(
  { address, archive, handler }: FunctionResource,
  directory: string,
): { file: string; exportName: string } {
  let files: Record<string, Uint8Array>;
  try {
    files = unzipSync(readFileSync(archive));
  } catch (error) {
    throw new LocalCloudError(
      `${address}.filename: expected a zip file at ${archive}, got: ${error instanceof Error ? error.message : error}; ` +
        'synthesize again',
    );
  }
  for (const [name, content] of Object.entries(files)) {
    const target = resolve(directory, name);
    if (relative(directory, target).startsWith('..')) {
      throw new LocalCloudError(
        `${address}.filename: expected files inside the archive, got the path "${name}"`,
      );
    }
    if (name.endsWith('/')) continue;
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
  const dot = handler.lastIndexOf('.');
  const module = handler.slice(0, dot);
  const extension = EXTENSIONS.find(candidate => `${module}${candidate}` in files);
  if (extension === undefined) {
    throw new LocalCloudError(
      `${address}.handler: expected ${EXTENSIONS.map(e => module + e).join(', ')} in ${archive}, ` +
        `got ${Object.keys(files).join(', ') || 'an empty archive'}`,
    );
  }
  return { file: join(directory, module + extension), exportName: handler.slice(dot + 1) };
}

let program: string | undefined;

/**
 * Writes the program of a thread, `worker.ts` without its types, into a folder. Node can strip types too, but would load its stripping tool
 * again in every thread, and so delay each start.
 * @returns absolute path of the file
 */
export function writeWorkerProgram(directory: string): string {
  program ??= workerSource();
  const file = join(directory, 'worker.mjs');
  writeFileSync(file, program);
  return file;
}
