import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesize } from '../stacks/app.ts';

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
