import { basename, dirname, extname, join } from 'node:path';
import { CONFIG_FILES } from '../../config/config-file.ts';

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
