/** `npm run destroy`: removes everything but the tables. See `--help`. */
import { approved, YES } from './deploy/flags.ts';
import { runCdktf } from './deploy/run-cdktf.ts';
import { runCommand } from './run-command.ts';

await runCommand({
  flags: YES,
  help: flags => `npm run destroy -- [flags]

Removes everything that npm run deploy has provisioned except the tables, which keep their items, their indexes and native
TTL. It deploys an empty stack; a plain cdktf destroy is refused while the stack manages a table. Delete a table yourself: docs/deploy.md, "Deleting a table".

${flags}

Exit status: 0 removed, 1 not, 2 wrong flags.`,
  run: flags => runCdktf('deploy', { approve: approved(flags), environment: { PRECISE_TTL_REMOVED: '1' } }),
});
