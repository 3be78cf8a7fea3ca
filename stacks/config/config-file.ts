import { existsSync, readFileSync } from 'node:fs';
// The whole module is imported, because Node before 22.15 has no `registerHooks`, and importing this name would fail there.
import * as nodeModule from 'node:module';
import { relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PreciseTtlError } from '../../expiry/errors.ts';
import { checkConfig, type DeploymentConfig } from './config.ts';

export const CONFIG_FILE = 'precise-ttl.config.ts';

export const CONFIG_FILES = ['ts', 'js', 'mjs', 'cjs', 'json'].map(
  extension => `precise-ttl.config.${extension}`,
);

export class ConfigFileError extends PreciseTtlError {
  override readonly name = 'ConfigFileError';
}

/**
 * Returns the configuration's absolute path. @param named value of `--config`. @default the one of CONFIG_FILES in the current directory
 * @throws ConfigFileError for no file, several files, or an extension that is not in CONFIG_FILES
 */
export function findConfigFile(named?: string): string {
  if (named !== undefined) {
    if (existsSync(named) && /\.([cm]?js|ts|json)$/.test(named)) return resolve(named);
    if (existsSync(named))
      throw new ConfigFileError(
        `${named}: expected a file .ts, .js, .mjs, .cjs or .json, got another one. Correct --config.`,
      );
    throw new ConfigFileError(
      `${named}: expected the configuration, got no such file. Correct --config, or leave it out for the one in this folder.`,
    );
  }
  const [found, other] = CONFIG_FILES.filter(name => existsSync(name));
  if (found === undefined) {
    throw new ConfigFileError(
      `${CONFIG_FILE}: expected the configuration in this folder, got no such file. Run the command where it lies, name it with ` +
        '--config, or write one with npx precise-ttl init.',
    );
  }
  if (other !== undefined) {
    throw new ConfigFileError(
      `${found}: expected one configuration in this folder, got ${other} too. Say which one with --config, or remove one.`,
    );
  }
  return resolve(found);
}

/**
 * Loads the configuration, without checking its content.
 * @throws ConfigFileError as {@link findConfigFile}, and for a file that cannot be loaded or has no default export
 */
export async function loadConfigFile(named?: string): Promise<unknown> {
  const file = findConfigFile(named);
  const name = nameOf(file);
  let exported: Record<string, unknown>;
  const isTypeScript = file.endsWith('.ts');
  if (isTypeScript) takeTypeScriptAsModules();
  try {
    if (file.endsWith('.json')) return JSON.parse(readFileSync(file, 'utf8'));
    exported = await import(pathToFileURL(file).href);
  } catch (error) {
    if (isTypeScript && !process.features.typescript) {
      throw new ConfigFileError(
        `${name}: expected Node 22.18 or later, which reads TypeScript, got ${process.versions.node}. Use it, or write the ` +
          'configuration in JavaScript or JSON: precise-ttl.config.mjs, precise-ttl.config.json.',
      );
    }
    const text = error instanceof Error ? error.message : String(error);
    const cause = text.replaceAll(/\s*\n\s*/g, ' ').replaceAll(`${process.cwd()}${sep}`, '');
    if (error instanceof SyntaxError && file.endsWith('.json'))
      throw new ConfigFileError(`${name}: expected JSON, got an error in it: ${cause}. Correct it there.`);
    throw new ConfigFileError(`${placeOf(error, name) ?? name}: ${cause}`, { cause: error });
  }
  if ('default' in exported) return exported['default'];
  const others = Object.keys(exported).join(', ');
  throw new ConfigFileError(
    `${name}: expected a default export, got ${others ? `only ${others}` : 'none'}. Write export default { … }.`,
  );
}

const nameOf = (file: string): string => relative(process.cwd(), file) || file;

let hooked = false;

/** Makes Node load `.ts` files as ES modules: with `"type": "commonjs"`, which `npm init` writes, Node refuses `import` and `export`. */
function takeTypeScriptAsModules(): void {
  if (hooked || !process.features.typescript || !('registerHooks' in nodeModule)) return;
  hooked = true;
  nodeModule.registerHooks({
    load: (url, context, nextLoad) =>
      /^file:.*\.ts$/.test(url) && !url.includes('/node_modules/')
        ? nextLoad(url, { ...context, format: 'module-typescript' })
        : nextLoad(url, context),
  });
}

/** Returns `file:line` of an error: a parse error's stack begins with it; otherwise it is the first stack frame in the configuration. */
function placeOf(error: unknown, config: string): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const places = [...stack.matchAll(/(^|\(| )(file:\/\/[^\s()]+?):(\d+)(?=[:\n)]|$)/gm)].map(
    ([, before, url, line]) => ({
      isHead: before === '',
      file: relative(process.cwd(), fileURLToPath(url ?? '')),
      line,
    }),
  );
  const place = places.find(({ isHead, file }) => isHead || file === config);
  return place && `${place.file}:${place.line}`;
}

export async function useConfigFile(use: (config: unknown) => unknown): Promise<void> {
  try {
    use(await loadConfigFile());
  } catch (error) {
    if (!(error instanceof PreciseTtlError)) throw error;
    console.error(error instanceof ConfigFileError ? error.message : `${CONFIG_FILE}: ${error.message}`);
    process.exitCode = 1;
  }
}

export async function loadConfig(file?: string): Promise<DeploymentConfig> {
  return checkConfig(await loadConfigFile(file));
}
