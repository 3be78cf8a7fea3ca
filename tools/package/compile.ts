import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

// Called by its path: tsc in node_modules/.bin can be one of the older versions that the packages' tests use.
const COMPILER = join(import.meta.dirname, '../..', 'node_modules', 'typescript', 'bin', 'tsc');

/**
 * Compiles a project.
 * @param args of the compiler, besides the project
 * @throws Error with what the compiler says
 */
export async function compile(project: string, args: readonly string[] = []): Promise<void> {
  try {
    await promisify(execFile)(process.execPath, [COMPILER, '-p', project, ...args]);
  } catch (error) {
    const { stdout } = error as { stdout?: string };
    throw stdout ? new Error(`${project} does not compile:\n${stdout}`) : error;
  }
}
