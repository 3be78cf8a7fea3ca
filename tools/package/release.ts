import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join, relative, sep } from 'node:path';
import { lintProblems, packAll } from './check.ts';
import { contentProblems } from './release-content.ts';

/**
 * `npm run release:check`: packs both packages into `.build/release`, checks the packages, and prints the commands for publishing.
 * Publishes nothing. After a problem, exit status 1 and no commands.
 */

const FOLDER = join('.build', 'release');

const files = packAll(FOLDER);
const problems = (await Promise.all(files.map(problemsOf))).flat();
const changed = execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' }).trim();
if (changed !== '') problems.push(`the checkout: expected nothing uncommitted, got\n${changed}`);
for (const problem of problems) console.error(`✗ ${problem}`);
if (problems.length > 0) process.exitCode = 1;
else {
  console.log(`No problems. To publish, in a CI job:
${files.map(publishCommand).join('\n')}

--provenance signs where and from which commit a package was built. npm takes it from a CI job only that can get an
identity: on GitHub Actions with "permissions: id-token: write", in the repository that package.json names. The files must
be packed in that job.`);
}

async function problemsOf(file: string): Promise<string[]> {
  const folder = join(FOLDER, basename(file, '.tgz'));
  mkdirSync(folder);
  execFileSync('tar', ['-xzf', file, '-C', folder]);
  const { version } = manifestOf(file);
  const heading = `## [${version}]`;
  const hasHeading = readFileSync(join(folder, 'package', 'CHANGELOG.md'), 'utf8').includes(heading);
  const content = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map(path => ({ path: relative(folder, path), content: readFileSync(path) }));
  // The name of a folder directly below the root is too common to search for.
  const ofMachine = [process.cwd(), homedir()].filter(path => path.split(sep).length > 2);
  return [
    ...(await lintProblems(file)),
    ...(hasHeading ? [] : [`CHANGELOG.md: expected a heading "${heading} - <date>", got none`]),
    ...contentProblems(content, ofMachine).map(problem => `${basename(file)}: ${problem}`),
  ];
}

function publishCommand(file: string): string {
  // npm refuses a pre-release version without a tag: every user would get the version.
  const tag = manifestOf(file).version.includes('-') ? ' --tag next' : '';
  return `  npm publish ${file} --access public --provenance${tag}`;
}

function manifestOf(file: string): { readonly version: string } {
  const path = join(FOLDER, basename(file, '.tgz'), 'package', 'package.json');
  return JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string };
}
