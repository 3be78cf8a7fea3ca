/** `npm run diff`: what a deployment would change. See `--help`. */
import { runCdktf } from './deploy/run-cdktf.ts';
import { runCommand } from './run-command.ts';

await runCommand({
  flags: {},
  help: flags => `npm run diff

Shows what npm run deploy would change, with cdktf diff. Changes nothing.

${flags}

Exit status: 0 shown, 1 not, 2 wrong flags.`,
  run: () => runCdktf('diff', { approve: false }),
});
