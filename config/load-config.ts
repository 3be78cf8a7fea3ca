import { checkConfig, type DeploymentConfig } from './config.ts';
import { loadConfigFile } from './config-file.ts';

/** Reads a configuration file and checks it. @param file @default precise-ttl.config.* in the working directory */
export async function loadConfig(file?: string): Promise<DeploymentConfig> {
  return checkConfig(await loadConfigFile(file));
}
