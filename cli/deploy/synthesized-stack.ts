import { mkdirSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { CONFIG_FILES, findConfigFile, loadConfigFile } from '../../config/config-file.ts';

export interface SynthesizedStack {
  /** Absolute path of the configuration's own folder. */
  readonly project: string;
  /** `cdktf.out`, absolute. */
  readonly cdktfOut: string;
  /** The folder in `cdktfOut` in which Terraform runs. */
  readonly stack: string;
}

export interface SynthesisFlags {
  /** Path of the configuration file, as for `loadConfigFile`. */
  readonly config: string | undefined;
  /** Synthesizes a stack that removes the deployment but not its tables. @default false */
  readonly removed?: boolean;
  /** @default `cdktf.out` in the project's folder */
  readonly outdir?: string;
}

/**
 * Writes the Terraform configuration of the stack.
 * @throws {ConfigFileError} or {InvalidConfigError} before anything is written
 */
export async function synthesizeStack(flags: SynthesisFlags): Promise<SynthesizedStack> {
  const config = await loadConfigFile(flags.config);
  // Imported late: the CDKTF app takes most of a second to load, and a wrong file should be reported before.
  const { STACK, synthesize } = await import('../../stacks/app.ts');
  const project = projectFolder(findConfigFile(flags.config));
  const cdktfOut = flags.outdir ?? join(project, 'cdktf.out');
  mkdirSync(cdktfOut, { recursive: true });
  synthesize({ config, outdir: cdktfOut, removed: flags.removed ?? false });
  return { project, cdktfOut, stack: join(cdktfOut, 'stacks', STACK) };
}

/**
 * The folder for what is made from a configuration: `cdktf.out`, and Terraform's state if that is local. It lies beside the
 * configuration file, wherever the command is run. A file with another name has a folder of its own, `precise-ttl.<its name>`: two
 * configurations with one state would each remove what the other one deployed.
 *
 * @param configFile absolute path
 */
export function projectFolder(configFile: string): string {
  const folder = dirname(configFile);
  const name = basename(configFile);
  if (CONFIG_FILES.includes(name)) return folder;
  return join(folder, `precise-ttl.${basename(name, extname(name))}`);
}
