import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Not of a fresh clone, or not needed for packing. */
const LEFT_OUT = /[/\\](node_modules|dist|test|cdktf\.out|\.git)$/;

export interface PackedPackage {
  readonly name: string;
  /** Holds all this, and the applications that are made of it. It goes at the end of the run. */
  readonly folder: string;
  /** The copy of the checkout that was packed. */
  readonly checkout: string;
  /** The file that npm made. */
  readonly file: string;
  /** What the file holds, unpacked. */
  readonly content: string;
}

/**
 * Packs a package as `npm publish` would, without a network, into the temporary folder of the run. It is packed once: the first test file that asks for it packs, and
 * those beside it wait.
 *
 * @param workspace its folder. @default the package of the repository
 */
export async function packPackage(workspace?: string): Promise<PackedPackage> {
  const folder = join(tmpdir(), 'packed', workspace ?? 'precise-ttl');
  const ended = `${folder}.json`;
  if (mkdirSync(folder, { recursive: true }) !== undefined) {
    const end = await pack(folder, workspace).catch((error: Error) => ({ error: error.message }));
    // Nobody reads half of it.
    writeFileSync(`${ended}.part`, JSON.stringify(end));
    renameSync(`${ended}.part`, ended);
  }
  while (!existsSync(ended)) await setTimeout(100);
  const end: PackedPackage | { readonly error: string } = JSON.parse(readFileSync(ended, 'utf8'));
  if ('error' in end) throw new Error(end.error);
  return end;
}

async function pack(folder: string, workspace: string | undefined): Promise<PackedPackage> {
  const checkout = join(folder, 'checkout');
  const filter = (source: string) => !LEFT_OUT.test(source);
  // Packing builds, and swaps files for a moment.
  cpSync(resolve('.'), checkout, { recursive: true, filter });
  symlinkSync(resolve('node_modules'), join(checkout, 'node_modules'));
  const args = ['pack', '--offline', '--silent', '--pack-destination', folder];
  const of = workspace === undefined ? [] : ['--workspace', workspace];
  const { stdout } = await run('npm', [...args, ...of], { cwd: checkout });
  const file = join(folder, stdout.trim().split('\n').at(-1) ?? '');
  await run('tar', ['-xzf', file, '-C', folder]);
  const content = join(folder, 'package');
  return { name: manifestOf(content).name, folder, checkout, file, content };
}

/** The manifest of a package. */
export function manifestOf(content: string): {
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
} {
  return JSON.parse(readFileSync(join(content, 'package.json'), 'utf8'));
}

/** An application's folder with the package, and what that depends on, installed, and these files in it. */
export function makeApplication(
  { name, folder: parent, content }: PackedPackage,
  files: Readonly<Record<string, string | object>>,
): string {
  const folder = mkdtempSync(join(parent, 'application-'));
  mkdirSync(join(folder, 'node_modules'));
  cpSync(content, join(folder, 'node_modules', name), { recursive: true });
  useInstalled(folder, Object.keys(manifestOf(content).dependencies ?? {}));
  for (const [file, text] of Object.entries(files)) {
    writeFileSync(join(folder, file), typeof text === 'string' ? text : JSON.stringify(text));
  }
  return folder;
}

/** Lets an application use packages that this checkout has installed. */
export function useInstalled(folder: string, names: readonly string[]): void {
  for (const name of names) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(resolve('node_modules', name), link);
  }
}

/** Runs a program of this checkout on this Node. Whatever it prints is in the error when it fails. */
export async function runNode(cwd: string, args: readonly string[]): Promise<string> {
  try {
    return (await run(process.execPath, [...args], { cwd })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`node ${args.join(' ')}\n${stdout ?? ''}${stderr ?? ''}`);
  }
}

/** Runs a program on the oldest Node that the packages are for, which npm gets from the registry. */
export async function runOldestNode(cwd: string, args: readonly string[]): Promise<string> {
  const oldest = ['exec', '--yes', '--package=node@22.12', '--', 'node'];
  return (await run('npm', [...oldest, ...args], { cwd })).stdout;
}

/**
 * Compiles files of an application, strictly, into its folder `out`.
 *
 * @param options of the compiler, besides or instead of what is usual here
 */
export async function compile(folder: string, files: readonly string[], options: object): Promise<void> {
  const compilerOptions = {
    strict: true,
    target: 'es2022',
    lib: ['es2022'],
    types: [],
    outDir: 'out',
    ...options,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  await runNode(folder, [resolve('node_modules/typescript/bin/tsc'), '-p', folder]);
}
