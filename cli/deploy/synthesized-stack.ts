import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findConfigFile, loadConfigFile } from '../../config/config-file.ts';
import type { Narrowed } from './narrow.ts';
import { projectFolder } from './project.ts';

export interface SynthesizedStack {
  /** Where the configuration keeps what is its own, absolute. */
  readonly project: string;
  /** `cdktf.out`, absolute. */
  readonly cdktfOut: string;
  /** The folder in it in which Terraform runs. */
  readonly stack: string;
}

export interface SynthesisFlags {
  /** As for `loadConfigFile`. */
  readonly config: string | undefined;
  /** Write what removes the deployment and keeps its tables. @default false */
  readonly removed?: boolean;
  /** Instead of what the file says. @default all of it */
  readonly narrowed?: { readonly config: unknown; readonly left?: Narrowed['left'] };
  /** @default `cdktf.out` in the project's folder */
  readonly outdir?: string;
}

/**
 * Writes the Terraform of the configuration.
 * @throws {ConfigFileError} or {InvalidConfigError} before anything is written
 */
export async function synthesizeStack(flags: SynthesisFlags): Promise<SynthesizedStack> {
  const { config, left } = flags.narrowed ?? { config: await loadConfigFile(flags.config) };
  // Only now: loading the CDKTF app takes most of a second, which a wrong file shall not wait for.
  const { STACK, synthesize } = await import('../../stacks/app.ts');
  const project = projectFolder(findConfigFile(flags.config));
  const cdktfOut = flags.outdir ?? join(project, 'cdktf.out');
  mkdirSync(cdktfOut, { recursive: true });
  synthesize({ config, outdir: cdktfOut, removed: flags.removed ?? false, ...(left && { left }) });
  return { project, cdktfOut, stack: join(cdktfOut, 'stacks', STACK) };
}
