import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

/** Of the environment no more than a process needs: whoever runs the tests may be logged in to AWS. */
const ENVIRONMENT = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/no/such/home',
  AWS_EC2_METADATA_DISABLED: 'true',
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
};

interface Surroundings {
  /** What the process has besides what every process needs. */
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/** Starts a program as a shell does, without a terminal. The caller ends it. @param node the Node that runs it */
export function startNode(
  args: readonly string[],
  { env = {}, cwd = process.cwd() }: Surroundings = {},
  node = process.execPath,
) {
  const child = spawn(node, args, {
    cwd,
    env: { ...ENVIRONMENT, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
      child.emit('printed');
    });
  /** The exit status, or the signal that ended it. */
  const ended = once(child, 'close').then(([status, signal]): number | string => status ?? signal);
  return {
    ...{ child, printed, ended },
    /** Waits until what was printed matches. */
    async until(pattern: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        const match = pattern.exec(printed.stdout);
        if (match) return match;
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`ended without ${pattern}: ${printed.stdout}${printed.stderr}`);
        await Promise.race([once(child, 'printed'), ended]);
      }
    },
  };
}

/** Runs a program so to its end, and returns all that it printed. @param onStart is given the process */
export async function runNode(
  args: readonly string[],
  {
    onStart,
    ...around
  }: Surroundings & { onStart?: (child: ReturnType<typeof startNode>['child']) => void } = {},
  node?: string,
) {
  const { child, printed, ended } = startNode(args, around, node);
  onStart?.(child);
  return { status: await ended, ...printed };
}

/** Runs a command of this checkout so. */
export const shellCommand = (args: readonly string[], around?: Parameters<typeof runNode>[1]) =>
  runNode([resolve('bin/precise-ttl.js'), ...args], around);
