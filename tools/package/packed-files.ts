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
