import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesize } from '../../stacks/app.ts';
import type { DeploymentConfig } from '../../stacks/config.ts';
import { readSynthesized, type TableResource } from './synthesized.ts';

/**
 * How the tables with `existingTable: true` look. The stack only refers to them: this is what it would say if it made them.
 *
 * @throws {InvalidConfigError} for a person to read
 */
export function existingTablesAsMade(config: DeploymentConfig): readonly TableResource[] {
  const tables = config.tables
    .filter(({ existingTable }) => existingTable === true)
    .map(table => ({ ...table, existingTable: false }));
  if (tables.length === 0) return [];
  const outdir = mkdtempSync(join(tmpdir(), 'precise-ttl-existing-'));
  try {
    synthesize({ config: { ...config, tables }, outdir });
    return readSynthesized(outdir).tables;
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}
