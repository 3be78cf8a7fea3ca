/** `npm run bench emulator`: what executions of the emulator take on each version of Node. See `--help`. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { FlagValues } from '../cli/flags.ts';
import { runCommand } from '../cli/run-command.ts';
import type { Measured } from './emulator/rounds.ts';

const FLAGS = {
  nodes: {
    type: 'text',
    default: '20,22,24',
    value: 'VERSIONS',
    help: 'versions of Node, which npm gets from the registry',
  },
} as const;

/** Round 5 against round 1: what an execution leaves behind must not make the next ones slower. */
const MOST_GROWTH = 1.2;

const help = (flags: string) => `npm run bench emulator -- [flags]

Runs rounds of executions that call a function, each on a virtual clock of its own, and a Map over 1,000 items that calls
one, on several versions of Node, and prints the processor time that they take.

${flags}

Exit status: 0 no version gets slower; 1 one does, by more than ${MOST_GROWTH} times from the first round to the last.`;

async function run({ nodes }: FlagValues<typeof FLAGS>): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-emulator-'));
  try {
    const program = join(folder, 'rounds.mjs');
    // Node 20 cannot load TypeScript.
    await build({
      entryPoints: [join(import.meta.dirname, 'emulator/rounds.ts')],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'warning',
    });
    console.log('| Node | round 1 | 2 | 3 | 4 | 5 | last : first | a Map of 1,000 |');
    console.log('|---|--:|--:|--:|--:|--:|--:|--:|');
    let status = 0;
    for (const node of nodes.split(',')) {
      const args = ['exec', '--yes', `--package=node@${node}`, '--', 'node', program];
      const { version, rounds, map }: Measured = JSON.parse(execFileSync('npm', args, { encoding: 'utf8' }));
      const growth = (rounds.at(-1) ?? Number.NaN) / (rounds[0] ?? Number.NaN);
      const cells = rounds.map(ms => `${ms.toFixed(2)} ms`);
      console.log(
        `| ${[version, ...cells, growth.toFixed(2), `${(map / 1000).toFixed(2)} s`].join(' | ')} |`,
      );
      if (!(growth <= MOST_GROWTH)) status = 1;
    }
    return status;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

await runCommand({ flags: FLAGS, help, run });
