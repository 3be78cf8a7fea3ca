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

/**
 * Runs a command of this checkout as a shell does, without a terminal.
 *
 * @param environment what the process has besides what every process needs
 * @param onStart is given the process: what it prints can be followed, and it can be sent signals
 */
export type ShellCommand = (
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  onStart?: (child: ChildProcessByStdio<null, Readable, Readable>) => void,
) => Promise<Ended>;

export function shellCommand(...command: readonly string[]): ShellCommand {
  return (args, environment, onStart = () => undefined) =>
    new Promise(done => {
      const child = spawn(process.execPath, [resolve('bin/precise-ttl.js'), ...command, ...args], {
        env: { ...ENVIRONMENT, ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const printed = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const) {
        child[name].on('data', (data: Buffer) => {
          printed[name] += data;
        });
      }
      onStart(child);
      child.on('close', status => done({ status, ...printed }));
    });
}
