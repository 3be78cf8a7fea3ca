import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalCloud } from '../../local/cloud.ts';
import { NotFoundError } from '../../local/errors.ts';
import type { TableResource } from '../../local/terraform.ts';
import { synthesize } from '../../stacks/app.ts';
import type { PreciseTtlProps } from '../../stacks/props.ts';

/** Synthesizes tables as `cdktf deploy` would have them, for as long as `use` takes. */
export async function withSynthesized<T>(
  tables: readonly PreciseTtlProps[],
  use: (cdktfOut: string) => Promise<T>,
): Promise<T> {
  const cdktfOut = mkdtempSync(join(tmpdir(), 'precise-ttl-bench-'));
  try {
    synthesize({ config: { region: 'us-east-1', tables }, outdir: cdktfOut });
    return await use(cdktfOut);
  } finally {
    rmSync(cdktfOut, { recursive: true, force: true });
  }
}

export function synthesizedTable({ synthesized }: LocalCloud, name: string): TableResource {
  const table = synthesized.tables.find(candidate => candidate.name === name);
  if (table === undefined) throw new NotFoundError(`table: expected "${name}" in what was synthesized`);
  return table;
}
