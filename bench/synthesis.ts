/** `npm run bench synthesis`: what generated configurations synthesize to, to hold two versions against each other. See `--help`. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { type FlagValues, SEED } from '../cli/flags.ts';
import { runCommand } from '../cli/run-command.ts';
import { STACK, synthesize } from '../stacks/app.ts';
import { anyConfig } from './synthesis/any-config.ts';

const FLAGS = {
  count: {
    type: 'number',
    min: 1,
    max: 10_000,
    whole: true,
    default: 300,
    value: 'N',
    help: 'configurations',
  },
  seed: { ...SEED, default: 1, help: 'makes the same configurations again' },
  to: {
    type: 'text',
    default: 'synthesized',
    value: 'FOLDER',
    help: 'a file for each; what is there is removed first',
  },
} as const;

const help = (flags: string) => `npm run bench synthesis -- [flags]

Writes what configurations synthesize to, each drawn from the props' own rules: the configuration, and the Terraform JSON of its stack. Run
it before a change of stacks/ and after it, each into a folder of its own, and compare the two with diff -r: what differs is what the change
does to deployments.

${flags}

Exit status: 0 written, 2 wrong flags.`;

async function run({ count, seed, to }: FlagValues<typeof FLAGS>): Promise<number> {
  const started = performance.now();
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  for (const [index, config] of fc.sample(anyConfig, { numRuns: count, seed }).entries()) {
    const name = `${String(index + 1).padStart(String(count).length, '0')}.json`;
    writeFileSync(
      join(to, name),
      `${JSON.stringify({ config, terraform: synthesizedJson(config) }, null, 1)}\n`,
    );
  }
  const seconds = (performance.now() - started) / 1_000;
  console.log(
    `${count} configurations, each with its Terraform JSON, in ${to} after ${seconds.toFixed(0)} s`,
  );
  return 0;
}

/** As it is written for Terraform. */
function synthesizedJson(config: unknown): unknown {
  const outdir = mkdtempSync(join(tmpdir(), 'precise-ttl-synth-'));
  try {
    synthesize({ config, outdir });
    return JSON.parse(readFileSync(join(outdir, 'stacks', STACK, 'cdk.tf.json'), 'utf8'));
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

await runCommand({ flags: FLAGS, help, run });
