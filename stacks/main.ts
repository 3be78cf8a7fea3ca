import { useConfigFile } from '../config/config-file.ts';
import { synthesize } from './app.ts';

/** The CDKTF app, for who runs the CDKTF CLI in this checkout: `npx cdktf deploy`. The commands in `cli/` synthesize themselves. */

/** Set to remove everything but the tables, as `npx precise-ttl destroy` does. */
const REMOVED = 'PRECISE_TTL_REMOVED';

await useConfigFile(config => synthesize({ config, removed: process.env[REMOVED] !== undefined }));
