import { synthesize } from './app.ts';
import { useConfigFile } from './config-file.ts';

/** The CDKTF app: what `cdktf synth` and `cdktf deploy` run. */

/** Set by `npm run destroy`. */
const REMOVED = 'PRECISE_TTL_REMOVED';

await useConfigFile(config => synthesize({ config, removed: process.env[REMOVED] !== undefined }));
