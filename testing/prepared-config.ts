import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSynthesized, type TableResource } from '../local/terraform/synthesized.ts';
import { synthesize } from '../stacks/app.ts';
import { checkConfig, type DeploymentConfig } from '../stacks/config.ts';
import type { TestedConfig } from './local-precise-ttl.ts';

const REGION = 'us-east-1';

/** What a local cloud is started from. */
export interface PreparedConfig {
  readonly config: DeploymentConfig;
  /** The folder that was synthesized into. */
  readonly cdktfOut: string;
  /** How each table looks that the deployment would find there. */
  readonly existing: readonly TableResource[];
  /** Deletes the folder. */
  remove(): void;
}

/**
 * Checks a configuration and synthesizes it as a deployment does.
 *
 * @throws {InvalidConfigError} naming every field that is wrong
 */
export function prepareConfig(given: TestedConfig): PreparedConfig {
  // What is no object is told by the check.
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  const config = checkConfig(isObject ? { region: REGION, ...given } : given);
  const root = mkdtempSync(join(tmpdir(), 'precise-ttl-testing-'));
  const remove = () => rmSync(root, { recursive: true, force: true });
  try {
    const cdktfOut = join(root, 'as-deployed');
    synthesize({ config, outdir: cdktfOut });
    const existing = config.tables.filter(table => table.existingTable === true);
    if (existing.length === 0) return { config, cdktfOut, existing: [], remove };
    // The stack only refers to them: how they look is what it would say if it made them.
    const asMade = join(root, 'as-made');
    const tables = existing.map(table => ({ ...table, existingTable: false }));
    synthesize({ config: { ...config, tables }, outdir: asMade });
    return { config, cdktfOut, existing: readSynthesized(asMade).tables, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
