import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/**
 * Packs the packages of this checkout.
 *
 * @param folder for the packages; the folder is made anew
 * @returns paths of the packages
 */
export function packAll(folder: string): string[] {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const all = ['--workspaces', '--include-workspace-root'];
  execFileSync('npm', ['pack', '--silent', ...all, '--pack-destination', folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return readdirSync(folder)
    .filter(file => file.endsWith('.tgz'))
    .map(file => join(folder, file));
}

export async function lintProblems(file: string): Promise<string[]> {
  const tarball = new Uint8Array(readFileSync(file));
  const types = await checkPackage(createPackageFromTarballData(tarball));
  const typeProblems = types.types ? types.problems.filter(isOurs) : [{ kind: 'NoTypes' as const }];
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true });
  return [
    ...typeProblems.map(problem => `arethetypeswrong: ${JSON.stringify(problem)}`),
    ...messages.map(message => `publint: ${formatMessage(message, pkg) ?? message.code}`),
  ].map(problem => `${basename(file)}: ${problem}`);
}

/** Leaves out two problems of ES modules: Node 22.12 can `require` ES modules, and Node 10 is not supported. */
const isOurs = (problem: Problem): boolean =>
  problem.kind !== 'CJSResolvesToESM' &&
  !('resolutionKind' in problem && problem.resolutionKind === 'node10');

/**
 * `npm run lint:package [file.tgz …]`: checks packed packages with arethetypeswrong and publint. Without a file the command first packs
 * the packages of this checkout. Prints each problem on a line; exit status 1 after a problem.
 */
if (import.meta.main) {
  const given = process.argv.slice(2);
  const files = given.length > 0 ? given : packAll('.build/package');
  const problems = (await Promise.all(files.map(lintProblems))).flat();
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log('arethetypeswrong and publint: no problems');
}
