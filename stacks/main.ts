import { synthesize } from './app.ts';
import { useConfigFile } from './config/config-file.ts';

/**
 * The app that the CDKTF CLI runs in this repository: `npx cdktf-cli@0.21 deploy`. If the environment variable PRECISE_TTL_REMOVED is
 * set, the deploy deletes the deployment's resources, but no table and not the archive's bucket.
 */

const REMOVED = 'PRECISE_TTL_REMOVED';

await useConfigFile(config => synthesize({ config, removed: process.env[REMOVED] !== undefined }));
