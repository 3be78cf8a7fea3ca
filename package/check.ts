import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/**
 * `npm run lint:package [file.tgz …]`: what arethetypeswrong and publint say of packed packages. Without a file it packs those
 * of this checkout first. Prints each problem on a line; exit status 1 when there is one.
 */

const problems = await withPackedFiles(process.argv.slice(2), async files =>
  (await Promise.all(files.map(problemsOf))).flat(),
);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log('arethetypeswrong and publint: no problems');

async function problemsOf(file: string): Promise<string[]> {
  const tarball = new Uint8Array(readFileSync(file));
  const types = await checkPackage(createPackageFromTarballData(tarball));
  const typeProblems = types.types ? types.problems : [{ kind: 'NoTypes' }];
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true });
  return [
    ...typeProblems.map(problem => `arethetypeswrong: ${JSON.stringify(problem)}`),
    ...messages.map(message => `publint: ${formatMessage(message, pkg) ?? message.code}`),
  ].map(problem => `${basename(file)}: ${problem}`);
}

async function withPackedFiles<T>(
  given: readonly string[],
  use: (files: readonly string[]) => Promise<T>,
): Promise<T> {
  if (given.length > 0) return use(given);
  const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-package-'));
  try {
    const all = ['--workspaces', '--include-workspace-root'];
    execFileSync('npm', ['pack', '--silent', ...all, '--pack-destination', folder]);
    return await use(readdirSync(folder).map(file => join(folder, file)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
