import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/** The findings of arethetypeswrong and publint on a packed package, one sentence each. */
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

/** The packages hold ES modules alone: Node 22.12 can `require` them, and Node 10's resolution is not for them. */
const isOurs = (problem: Problem): boolean =>
  problem.kind !== 'CJSResolvesToESM' &&
  !('resolutionKind' in problem && problem.resolutionKind === 'node10');
