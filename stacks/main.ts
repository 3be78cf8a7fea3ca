import { pathToFileURL } from 'node:url';
import { PreciseTtlError } from '../expiry/errors.ts';
import { synthesize } from './app.ts';

/** The CDKTF app: what `cdktf synth` and `cdktf deploy` run. */

/** Set by `npm run destroy`. */
const REMOVED = 'PRECISE_TTL_REMOVED';

const CONFIG_FILE = 'precise-ttl.config.ts';

try {
  const file: { default?: unknown } = await import(pathToFileURL(CONFIG_FILE).href);
  synthesize({ config: file.default, removed: process.env[REMOVED] !== undefined });
} catch (error) {
  if (!(error instanceof PreciseTtlError)) throw error;
  console.error(`${CONFIG_FILE}: ${error.message}`);
  process.exitCode = 1;
}
