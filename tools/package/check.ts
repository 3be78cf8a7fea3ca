import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { contentProblems } from './release-content.ts';

/**
 * `npm run release:check [file.tgz …]`: checks packed packages. Prints each problem; exit status 1 after a problem. Publishes nothing.
 * Without a file, the command packs both packages of this checkout, also checks that CHANGELOG.md has their version and that all is
 * committed, and prints the commands for publishing if there is no problem.
 */

const given = process.argv.slice(2);
const files = given.length > 0 ? given : packAll('.build/release');
const unpacked = files.map(unpack);
const problems = (await Promise.all(unpacked.map(packageProblems))).flat();
if (given.length === 0) problems.push(...unpacked.flatMap(headingProblems), ...checkoutProblems());
for (const problem of problems) console.error(`✗ ${problem}`);
if (problems.length > 0) process.exitCode = 1;
else console.log('No problems.');
if (given.length === 0 && problems.length === 0) {
  console.log(`To publish, in a CI job:
${unpacked.map(publishCommand).join('\n')}

--provenance signs where and from which commit a package was built. npm takes it from a CI job only that can get an
identity: on GitHub Actions with "permissions: id-token: write", in the repository that package.json names. The files must
be packed in that job.`);
}

interface Unpacked {
  readonly file: string;
  readonly folder: string;
  readonly version: string;
}

/** Packs both packages into `folder`, which is emptied before. @returns paths of the packed packages */
function packAll(folder: string): string[] {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const all = ['--workspaces', '--include-workspace-root'];
  execFileSync('npm', ['pack', '--silent', ...all, '--pack-destination', folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return readdirSync(folder).map(file => join(folder, file));
}

function unpack(file: string): Unpacked {
  const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-release-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  execFileSync('tar', ['-xzf', file, '-C', folder]);
  const { version } = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8'));
  return { file, folder, version };
}

async function packageProblems({ file, folder }: Unpacked): Promise<string[]> {
  const tarball = new Uint8Array(readFileSync(file));
  const types = await checkPackage(createPackageFromTarballData(tarball));
  const typeProblems = types.types ? types.problems.filter(isOurs) : [{ kind: 'NoTypes' as const }];
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true });
  const content = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map(path => ({ path: relative(folder, path), content: readFileSync(path) }));
  const ofMachine = [process.cwd(), homedir()].map(path => `${path}/`);
  return [
    ...typeProblems.map(problem => `arethetypeswrong: ${JSON.stringify(problem)}`),
    ...messages.map(message => `publint: ${formatMessage(message, pkg) ?? message.code}`),
    ...contentProblems(content, ofMachine),
  ].map(problem => `${basename(file)}: ${problem}`);
}

/** False for `require` of ES modules, which Node 22.12 can do, and for all problems of Node 10, which is not supported. */
function isOurs(problem: Problem): boolean {
  const isNode10 = 'resolutionKind' in problem && problem.resolutionKind === 'node10';
  return problem.kind !== 'CJSResolvesToESM' && !isNode10;
}

function headingProblems({ file, folder, version }: Unpacked): string[] {
  const heading = `## [${version}]`;
  const isThere = readFileSync(join(folder, 'package/CHANGELOG.md'), 'utf8').includes(heading);
  return isThere
    ? []
    : [`${basename(file)}: CHANGELOG.md: expected a heading "${heading} - <date>", got none`];
}

function checkoutProblems(): string[] {
  const changed = execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' }).trim();
  return changed === '' ? [] : [`the checkout: expected nothing uncommitted, got\n${changed}`];
}

function publishCommand({ file, version }: Unpacked): string {
  // npm refuses a pre-release version without a tag, because every user would get this version by default.
  const tag = version.includes('-') ? ' --tag next' : '';
  return `  npm publish ${file} --access public --provenance${tag}`;
}
