import { PreciseTtlError } from '../expiry/errors.ts';
import { synthesize } from './app.ts';
import { CONFIG_FILE, ConfigFileError, loadConfigFile } from './config-file.ts';

/** The CDKTF app: what `cdktf synth` and `cdktf deploy` run. */

try {
  synthesize({ config: await loadConfigFile() });
} catch (error) {
  if (!(error instanceof PreciseTtlError)) throw error;
  console.error(error instanceof ConfigFileError ? error.message : `${CONFIG_FILE}: ${error.message}`);
  process.exitCode = 1;
}
