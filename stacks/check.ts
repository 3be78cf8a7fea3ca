import { checkConfig } from './config.ts';
import { useConfigFile } from './config-file.ts';

/** Judges the configuration before the CDKTF CLI is started, which would say everything twice and in a frame. */
await useConfigFile(checkConfig);
