import { basename, dirname, extname, join } from 'node:path';
import { CONFIG_FILES } from '../../config/config-file.ts';

/**
 * Where what is made of a configuration lies: `cdktf.out`, and Terraform's state if it is a local one. That is beside the file,
 * from wherever the command is run. A file of another name has a folder of its own, `precise-ttl.<its name>`: two configurations
 * that shared a state would each remove what the other one deployed.
 *
 * @param configFile absolute path
 */
export function projectFolder(configFile: string): string {
  const folder = dirname(configFile);
  const name = basename(configFile);
  if (CONFIG_FILES.includes(name)) return folder;
  return join(folder, `precise-ttl.${basename(name, extname(name))}`);
}
