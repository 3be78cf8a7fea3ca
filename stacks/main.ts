import { synthesize } from './app.ts';
import { useConfigFile } from './config/config-file.ts';

/**
 * The CDKTF app for users of the CDKTF CLI in this checkout: `npx cdktf-cli@0.21 deploy`. The commands in `cli/` do not use this app. If
 * the variable PRECISE_TTL_REMOVED is set, everything except the tables is removed, as with `npx precise-ttl deploy --destroy`.
 */

const REMOVED = 'PRECISE_TTL_REMOVED';

await useConfigFile(config => synthesize({ config, removed: process.env[REMOVED] !== undefined }));
