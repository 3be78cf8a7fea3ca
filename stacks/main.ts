import { synthesize } from './app.ts';
import { useConfigFile } from './config/config-file.ts';

/**
 * The app of the CDKTF CLI in this repository: `npx cdktf-cli@0.21 deploy`. It deletes all but tables and the archive's bucket if the
 * environment variable PRECISE_TTL_REMOVED is set.
 */

const REMOVED = 'PRECISE_TTL_REMOVED';

await useConfigFile(config => synthesize({ config, removed: process.env[REMOVED] !== undefined }));
