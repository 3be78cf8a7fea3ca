import { existsSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PreciseTtlError } from '../expiry/errors.ts';

/** The file that says what is provisioned, in the folder that a command is run in. */
export const CONFIG_FILE = 'precise-ttl.config.ts';

/** The configuration file cannot be read; the message is one line that begins with the place. */
export class ConfigFileError extends PreciseTtlError {
  override readonly name = 'ConfigFileError';
}

/**
 * What the configuration file exports, not checked yet.
 * @throws ConfigFileError when the file is missing, broken, throws, or exports nothing
 */
export async function loadConfigFile(): Promise<unknown> {
  const file = resolve(CONFIG_FILE);
  if (!existsSync(file)) {
    throw new ConfigFileError(
      `${CONFIG_FILE}: expected the configuration in this folder, got no such file. Run the command where it lies, or write one: docs/configuration.md.`,
    );
  }
  let exported: Record<string, unknown>;
  try {
    exported = await import(pathToFileURL(file).href);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const cause = text.replaceAll(/\s*\n\s*/g, ' ').replaceAll(`${process.cwd()}${sep}`, '');
    throw new ConfigFileError(`${placeOf(error) ?? CONFIG_FILE}: ${cause}`, { cause: error });
  }
  if ('default' in exported) return exported['default'];
  const others = Object.keys(exported).join(', ');
  throw new ConfigFileError(
    `${CONFIG_FILE}: expected a default export, got ${others ? `only ${others}` : 'none'}. Write export default defineConfig({ … }).`,
  );
}

/**
 * The file and line at which it went wrong, as far as Node says: a stack begins with them when a file could not be parsed;
 * else the line of the configuration itself counts, whichever function it had called.
 */
function placeOf(error: unknown): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const places = [...stack.matchAll(/(^|\(| )(file:\/\/[^\s()]+?):(\d+)(?=[:\n)]|$)/gm)].map(
    ([, before, url, line]) => ({
      isHead: before === '',
      file: relative(process.cwd(), fileURLToPath(url ?? '')),
      line,
    }),
  );
  const place = places.find(({ isHead, file }) => isHead || file === CONFIG_FILE);
  return place && `${place.file}:${place.line}`;
}

/** Does something with what the file exports. What is wrong with it is printed, and is the status of the process. */
export async function useConfigFile(use: (config: unknown) => unknown): Promise<void> {
  try {
    use(await loadConfigFile());
  } catch (error) {
    if (!(error instanceof PreciseTtlError)) throw error;
    console.error(error instanceof ConfigFileError ? error.message : `${CONFIG_FILE}: ${error.message}`);
    process.exitCode = 1;
  }
}
