import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const BIN = join(import.meta.dirname, '../../bin/stepfunctions-emulator.js');

export interface EmulatorProcess {
  readonly child: ChildProcess;
  readonly printed: { stdout: string; stderr: string };
  /** The exit status, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  /** Waits until what was printed matches. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
}

/** Runs `stepfunctions-emulator` as npx does, on this Node. The caller ends it. */
export function startEmulator(
  args: readonly string[],
  {
    cwd = process.cwd(),
    bin = BIN,
    env = {},
  }: { cwd?: string; bin?: string; env?: Record<string, string> } = {},
): EmulatorProcess {
  const child = spawn(process.execPath, [bin, ...args], { cwd, env: { ...process.env, ...env } });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (data: Buffer) => {
      printed[name] += data;
      child.emit('printed');
    });
  }
  const ended = once(child, 'close').then(([status, signal]) => status ?? signal);
  return {
    child,
    printed,
    ended,
    async until(pattern) {
      for (;;) {
        const match = pattern.exec(printed.stdout);
        if (match) return match;
        if (child.exitCode !== null || child.signalCode !== null) {
          throw new Error(`ended without ${pattern}: ${printed.stdout}${printed.stderr}`);
        }
        await Promise.race([once(child, 'printed'), ended]);
      }
    },
  };
}

/** The variables that it printed for pasting. */
export const exportedBy = ({ printed }: EmulatorProcess): Record<string, string> =>
  Object.fromEntries(
    [...printed.stdout.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
