import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Packs the packages of this checkout.
 *
 * @param folder where to; it is made
 * @returns the files
 */
export function packAll(folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  const all = ['--workspaces', '--include-workspace-root'];
  execFileSync('npm', ['pack', '--silent', ...all, '--pack-destination', folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return readdirSync(folder)
    .filter(file => file.endsWith('.tgz'))
    .map(file => join(folder, file));
}

/** Calls a function with these packed files, or with those of this checkout, which are deleted afterwards. */
export async function withPackedFiles<T>(
  given: readonly string[],
  use: (files: readonly string[]) => Promise<T>,
): Promise<T> {
  if (given.length > 0) return use(given);
  const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-package-'));
  try {
    return await use(packAll(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
