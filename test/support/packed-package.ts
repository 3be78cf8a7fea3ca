import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What `npm pack` needs of this checkout. It runs in a copy, since it builds, and swaps README.md for a moment. */
const SOURCES = [
  'package.json',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  'tsconfig.json',
  'tsconfig.build.json',
  'tsconfig.build.commonjs.json',
  'expiry',
  'package',
];

export interface PackedPackage {
  /** Holds all this, and the applications that are made of it; the caller deletes it. */
  readonly folder: string;
  /** The copy of the checkout that was packed. */
  readonly checkout: string;
  /** The file that npm made. */
  readonly file: string;
  /** What the file holds, unpacked. */
  readonly content: string;
}

/** Packs the package as `npm publish` would, without a network. */
export async function packPackage(): Promise<PackedPackage> {
  const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-package-'));
  const checkout = join(folder, 'checkout');
  for (const source of SOURCES) cpSync(source, join(checkout, source), { recursive: true });
  symlinkSync(resolve('node_modules'), join(checkout, 'node_modules'));
  const { stdout } = await run('npm', ['pack', '--offline', '--silent', '--pack-destination', folder], {
    cwd: checkout,
  });
  const file = join(folder, stdout.trim().split('\n').at(-1) ?? '');
  await run('tar', ['-xzf', file, '-C', folder]);
  return { folder, checkout, file, content: join(folder, 'package') };
}

/** An application's folder with the package installed and these files in it. */
export function makeApplication(
  { folder: parent, content }: PackedPackage,
  files: Readonly<Record<string, string | object>>,
): string {
  const folder = mkdtempSync(join(parent, 'application-'));
  mkdirSync(join(folder, 'node_modules'));
  cpSync(content, join(folder, 'node_modules', 'precise-ttl'), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), typeof text === 'string' ? text : JSON.stringify(text));
  }
  return folder;
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
