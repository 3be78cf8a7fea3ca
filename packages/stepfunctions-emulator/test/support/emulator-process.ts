import { join } from 'node:path';
import { startNode } from '../../../../test/support/shell.ts';

const BIN = join(import.meta.dirname, '../../bin/stepfunctions-emulator.js');

export type EmulatorProcess = ReturnType<typeof startNode>;

/** Runs `stepfunctions-emulator` as npx does, on this Node. The caller ends it. */
export const startEmulator = (
  args: readonly string[],
  { cwd = process.cwd(), bin = BIN } = {},
): EmulatorProcess => startNode([bin, ...args], { cwd, env: process.env });

/** The variables that it printed for pasting. */
export const exportedBy = ({ printed }: EmulatorProcess): Record<string, string> =>
  Object.fromEntries(
    [...printed.stdout.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
