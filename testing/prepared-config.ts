import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { existingTablesAsMade } from '../local/terraform/existing-tables.ts';
import type { TableResource } from '../local/terraform/synthesized.ts';
import { synthesize } from '../stacks/app.ts';
import { checkConfig, type DeploymentConfig } from '../stacks/config.ts';
import type { TestedConfig } from './local-precise-ttl.ts';

/** The region of a configuration that names none, and no ARN of another one. */
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
  const config = checkConfig(isObject ? { region: regionOf(given.tables), ...given } : given);
  const cdktfOut = mkdtempSync(join(tmpdir(), 'precise-ttl-testing-'));
  const remove = () => rmSync(cdktfOut, { recursive: true, force: true });
  try {
    synthesize({ config, outdir: cdktfOut });
    return { config, cdktfOut, existing: existingTablesAsMade(config), remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** The region of the first ARN that a table names: the tables of a deployment and what they name are in one. */
function regionOf(tables: unknown): string {
  const text = JSON.stringify(tables) ?? '';
  return /"arn:[a-z0-9-]+:[a-z0-9-]+:([a-z0-9-]+):/.exec(text)?.[1] ?? REGION;
}
