import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, join, relative, sep } from 'node:path';
import type { Manifest } from './manifest.ts';
import { lintProblems, packAll } from './packed-files.ts';
import { contentProblems, type PackedFile } from './release-content.ts';

/**
 * `npm run release:check`: packs both packages into `.build/release`, searches them for content that must not be published, and prints the
 * commands to publish them. Publishes nothing. Exit status 1 when there is a problem.
 */

const FOLDER = join('.build', 'release');

/** A folder of this machine, unless its name is too common to search for. */
const MACHINE_PATHS = [process.cwd(), homedir(), tmpdir()].filter(path => path.split(sep).length > 2);

interface Release {
  readonly file: string;
  readonly name: string;
  readonly version: string;
  readonly problems: readonly string[];
}

const releases: Release[] = [];
for (const file of packAll(FOLDER)) releases.push(await check(file));
const problems = [...releases.flatMap(release => release.problems), ...checkoutProblems()];
for (const { file, name, version } of releases) {
  const kb = Math.ceil(readFileSync(file).length / 1024);
  console.log(`${name} ${version}: ${basename(file)}, ${kb} KB`);
}
for (const problem of problems) console.error(`✗ ${problem}`);
if (problems.length > 0) process.exitCode = 1;
else console.log(instructions());

async function check(file: string): Promise<Release> {
  const folder = join(FOLDER, basename(file, '.tgz'));
  mkdirSync(folder);
  execFileSync('tar', ['-xzf', file, '-C', folder]);
  const content = filesIn(join(folder, 'package'));
  const manifest = readFileSync(join(folder, 'package', 'package.json'), 'utf8');
  const { name, version } = JSON.parse(manifest) as Manifest;
  const found = [...contentProblems(content, MACHINE_PATHS), ...changelogProblems(content, version)];
  const problems = [...(await lintProblems(file)), ...found.map(problem => `${basename(file)}: ${problem}`)];
  return { file, name, version, problems };
}

function filesIn(folder: string): PackedFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => {
      const path = join(entry.parentPath, entry.name);
      return { path: relative(folder, path).replaceAll(sep, '/'), content: readFileSync(path) };
    });
}

function changelogProblems(content: readonly PackedFile[], version: string): string[] {
  const changelog = content.find(({ path }) => path === 'CHANGELOG.md');
  const text = changelog === undefined ? '' : Buffer.from(changelog.content).toString('utf8');
  const heading = `## [${version}]`;
  return text.includes(heading) ? [] : [`CHANGELOG.md: expected a heading "${heading} - <date>", got none`];
}

/** Checks that all files are committed. */
function checkoutProblems(): string[] {
  const changed = execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' }).trim();
  return changed === '' ? [] : [`the checkout: expected nothing uncommitted, got\n${changed}`];
}

function instructions(): string {
  const commands = releases.map(({ file, version }) => {
    // npm refuses a pre-release version without a tag, because every user would get it.
    const tag = version.includes('-') ? ' --tag next' : '';
    return `  npm publish ${file} --access public --provenance${tag}`;
  });
  return [
    '',
    'No problems. To publish, in a CI job:',
    ...commands,
    '',
    '--provenance signs where and from which commit a package was built. npm takes it from a CI job only that can get an',
    'identity: on GitHub Actions with "permissions: id-token: write", in the repository that package.json names. The files must',
    'be packed in that job.',
  ].join('\n');
}
