import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/**
 * `npm run lint:package [file.tgz]`: what arethetypeswrong and publint say of the packed package. Without a file it packs
 * one first. Prints each problem on a line; exit status 1 when there is one.
 */

const problems = await withPackedFile(process.argv[2], async file => {
  const tarball = new Uint8Array(readFileSync(file));
  const types = await checkPackage(createPackageFromTarballData(tarball));
  const typeProblems = types.types ? types.problems : [{ kind: 'NoTypes' }];
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true });
  return [
    ...typeProblems.map(problem => `arethetypeswrong: ${JSON.stringify(problem)}`),
    ...messages.map(message => `publint: ${formatMessage(message, pkg) ?? message.code}`),
  ];
});
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log('arethetypeswrong and publint: no problems');

async function withPackedFile<T>(given: string | undefined, use: (file: string) => Promise<T>): Promise<T> {
  if (given !== undefined) return use(given);
  const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-package-'));
  try {
    const printed = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
      encoding: 'utf8',
    });
    return await use(join(folder, printed.trim().split('\n').at(-1) ?? ''));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
