/** `npm run deploy`: provisions what the configuration says. See `--help`. */
import { approved, YES } from './deploy/flags.ts';
import { runCdktf } from './deploy/run-cdktf.ts';
import { runCommand } from './run-command.ts';

await runCommand({
  flags: YES,
  help: flags => `npm run deploy -- [flags]

Provisions what precise-ttl.config.ts says, with cdktf deploy. Shows the plan and asks for confirmation before it changes anything.
A plan that would delete or replace a table is refused: docs/deploy.md, "Tables are never deleted".

${flags}

It uses the AWS credentials that Terraform finds. TERRAFORM_BINARY_NAME: another program than terraform, e.g. tofu.

Exit status: 0 deployed, 1 not, 2 wrong flags.`,
  run: flags => runCdktf('deploy', { approve: approved(flags) }),
});
