import { synthesize } from './app.ts';
import { useConfigFile } from './config/config-file.ts';

/**
 * The app that the CDKTF CLI runs in this repository: `npx cdktf-cli@0.21 deploy`. The commands in `cli/` do not use this app. If the
 * variable PRECISE_TTL_REMOVED is set, the deployment is removed except for its data, as by `npx precise-ttl deploy --destroy`.
 */

const REMOVED = 'PRECISE_TTL_REMOVED';

await useConfigFile(config => synthesize({ config, removed: process.env[REMOVED] !== undefined }));
