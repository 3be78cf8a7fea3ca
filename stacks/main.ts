import { synthesize } from './app.ts';
import { useConfigFile } from './config-file.ts';

/** The CDKTF app: what `cdktf synth` and `cdktf deploy` run. */
await useConfigFile(config => synthesize({ config }));
