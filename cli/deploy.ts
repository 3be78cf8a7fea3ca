/** `precise-ttl deploy`: deploys the configuration. See `--help`. */
import { TERRAFORM_HELP, Terraform } from './deploy/run-terraform.ts';
import { CONFIG, switchFlag } from './flags.ts';
import { printError } from './print.ts';
import { defineCommand } from './run-command.ts';

export const command = defineCommand({
  flags: {
    config: CONFIG,
    diff: switchFlag('show what would change (terraform plan), and change nothing'),
    destroy: switchFlag('remove everything but the tables, the journal and the bucket'),
  },
  passes: true,
  help: flags => `npx precise-ttl deploy [flags] [-- FLAGS OF TERRAFORM]

Writes the Terraform of the configuration and runs terraform init and terraform apply in cdktf.out/stacks/precise-ttl, with what
stands behind -- passed on to apply, or with --diff to plan: -- -auto-approve, -- -refresh=false. Terraform shows the plan and asks. A
plan that would delete or replace a table, the journal or the archive's bucket is refused: docs/operate.md of precise-ttl, "Tables are
never deleted". After a first deployment that broke off, the command is printed that lets it go on. cdktf.out, the provider's lock file and a local state lie beside the configuration.

--diff -- -out="$PWD/FILE" keeps the plan, and deploy -- "$PWD/FILE" applies it.
--destroy applies a stack without sweeps. Tables keep their items, indexes and native TTL; Terraform forgets them, the journal and the
bucket. Queues go with their messages, topics with their subscriptions, and logs. A plain terraform destroy is refused.

${flags}

${TERRAFORM_HELP}

Exit status: 0 deployed or shown, 1 not, or a wrong command line; with --diff -- -detailed-exitcode 2 when something would change.`,
  failureStatus: 1,
  async run({ config, diff, destroy }, { passed }) {
    const terraform = await Terraform.of({ config, removed: destroy });
    const status = await terraform.run([diff ? 'plan' : 'apply', ...passed]);
    const commands = status === 1 ? await terraform.untaintCommands() : [];
    if (commands.length > 0) {
      printError(`
The creation of a table or a bucket broke off, and Terraform would replace it. To go on with it as it is:
${commands.map(each => `  ${each}\n`).join('')}Then deploy again.`);
    }
    return status;
  },
});
