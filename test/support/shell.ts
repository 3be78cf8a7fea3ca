import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';

/** A command that has ended, and all that it printed. */
export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Of the environment no more than a process needs: whoever runs the tests may be logged in to AWS. */
const ENVIRONMENT = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/no/such/home',
  AWS_EC2_METADATA_DISABLED: 'true',
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
};

export interface Surroundings {
  /** What the process has besides what every process needs. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Is given the process: what it prints can be followed, and it can be sent signals. */
  readonly onStart?: (child: ChildProcessByStdio<null, Readable, Readable>) => void;
}

/** Runs a program as a shell does, without a terminal. @param node the Node that runs it */
export function runNode(
  args: readonly string[],
  { env = {}, cwd = process.cwd(), onStart = () => undefined }: Surroundings = {},
  node = process.execPath,
): Promise<Ended> {
  return new Promise(done => {
    const child = spawn(node, args, {
      cwd,
      env: { ...ENVIRONMENT, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const printed = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        printed[name] += text;
      });
    onStart(child);
    child.on('close', status => done({ status, ...printed }));
  });
}

/** Runs a command of this checkout so. */
export const shellCommand = (args: readonly string[], around?: Surroundings): Promise<Ended> =>
  runNode([resolve('bin/precise-ttl.js'), ...args], around);
