import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STACK, synthesize } from '../stacks/app.ts';

/**
 * Synthesizes a configuration as `cdktf synth` does, into a folder that is there for as long as `use` takes.
 *
 * @throws {InvalidConfigError} for a person to read
 */
export async function withSynthesized<T>(config: unknown, use: (cdktfOut: string) => Promise<T>): Promise<T> {
  const cdktfOut = mkdtempSync(join(tmpdir(), 'precise-ttl-synth-'));
  try {
    synthesize({ config, outdir: cdktfOut });
    return await use(cdktfOut);
  } finally {
    rmSync(cdktfOut, { recursive: true, force: true });
  }
}

/** Blocks of Terraform by their type and id. */
export type Blocks = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;

/**
 * The Terraform of a configuration, with references as they stand in it.
 *
 * @throws {InvalidConfigError} for a person to read
 */
export function synthesizedJson(config: unknown): { readonly resource: Blocks; readonly data: Blocks } {
  const outdir = mkdtempSync(join(tmpdir(), 'precise-ttl-synth-'));
  try {
    synthesize({ config, outdir });
    return JSON.parse(readFileSync(join(outdir, 'stacks', STACK, 'cdk.tf.json'), 'utf8'));
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}
