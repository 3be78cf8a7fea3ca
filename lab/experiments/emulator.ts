/** `npm run bench emulator`: measures the processor time of the emulator's executions on each version of Node. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Measured } from './emulator/rounds.ts';
import { defineExperiment } from './support/experiment.ts';
import { markdownTable } from './support/table.ts';

/** Largest ratio of round 5 to round 1: data that an execution leaves in memory must not slow down later ones. */
const MAX_GROWTH = 1.2;

export default defineExperiment({
  name: 'emulator',
  about: `
Runs rounds of executions that call a function, each on a virtual clock of its own, and a Map over 1,000 items that calls
one, on several versions of Node, and prints the processor time that they take.`,
  flags: {
    nodes: {
      type: 'text',
      default: '20,22,24',
      value: 'VERSIONS',
      help: 'versions of Node, which npm gets from the registry',
    },
  },
  holds: `no version gets slower by more than ${MAX_GROWTH} times from the first round to the last`,
  async run({ flags: { nodes } }) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-emulator-'));
    try {
      const program = join(folder, 'rounds.mjs');
      // Node 20 cannot load TypeScript.
      await build({
        entryPoints: [join(import.meta.dirname, 'emulator/rounds.ts')],
        outfile: program,
        ...{ bundle: true, platform: 'node', format: 'esm', logLevel: 'warning' },
      });
      const rows: string[][] = [];
      const problems: string[] = [];
      for (const node of nodes.split(',')) {
        const args = ['exec', '--yes', `--package=node@${node}`, '--', 'node', program];
        const { version, rounds, map }: Measured = JSON.parse(
          execFileSync('npm', args, { encoding: 'utf8' }),
        );
        const growth = (rounds.at(-1) ?? Number.NaN) / (rounds[0] ?? Number.NaN);
        const cells = rounds.map(ms => `${ms.toFixed(2)} ms`);
        rows.push([version, ...cells, growth.toFixed(2), `${(map / 1000).toFixed(2)} s`]);
        if (!(growth <= MAX_GROWTH)) problems.push(`Node ${version} gets slower: ${growth.toFixed(2)} times`);
      }
      const head = ['Node', 'round 1', '2', '3', '4', '5', 'last : first', 'a Map of 1,000'];
      return { text: markdownTable(head, rows), problems };
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
});
