/** `npm run bench synthesis`: synthesizes generated configurations, to compare two versions. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { STACK, synthesize } from '../../stacks/app.ts';
import { defineExperiment, seed, whole } from './support/experiment.ts';
import { anyConfig } from './synthesis/any-config.ts';

export default defineExperiment({
  name: 'synthesis',
  about: `
Writes what configurations synthesize to, each drawn from the props' own rules: the configuration, and the Terraform JSON of its stack. Run
it before a change of stacks/ and after it, each into a folder of its own, and compare the two with diff -r: what differs is what the change
does to deployments.`,
  flags: {
    count: whole({ min: 1, max: 10_000 }, 300, 'configurations'),
    seed: seed('makes the same configurations again'),
    to: {
      type: 'text',
      default: 'synthesized',
      value: 'FOLDER',
      help: 'a file for each; what is there is removed first',
    },
  },
  holds: 'written',
  async run({ flags: { count, seed, to } }) {
    rmSync(to, { recursive: true, force: true });
    mkdirSync(to, { recursive: true });
    for (const [index, config] of fc.sample(anyConfig, { numRuns: count, seed }).entries()) {
      const name = `${String(index + 1).padStart(String(count).length, '0')}.json`;
      writeFileSync(
        join(to, name),
        `${JSON.stringify({ config, terraform: synthesizedJson(config) }, null, 1)}\n`,
      );
    }
    return { text: `${count} configurations, each with its Terraform JSON, in ${to}` };
  },
});

/** The JSON that is written for Terraform. */
function synthesizedJson(config: unknown): unknown {
  const outdir = mkdtempSync(join(tmpdir(), 'precise-ttl-synth-'));
  try {
    synthesize({ config, outdir });
    return JSON.parse(readFileSync(join(outdir, 'stacks', STACK, 'cdk.tf.json'), 'utf8'));
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}
