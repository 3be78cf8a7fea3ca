/** `precise-ttl deploy`: deploys the configuration. See `--help`. */
import { TERRAFORM_HELP, Terraform } from './deploy/run-terraform.ts';
import { CONFIG, switchFlag } from './flags.ts';
import { defineCommand } from './run-command.ts';

export const command = defineCommand({
  flags: {
    config: CONFIG,
    diff: switchFlag('show what would change (terraform plan), and change nothing'),
    destroy: switchFlag('remove everything but the tables and the buckets of their archives'),
  },
  passes: true,
  help: flags => `npx precise-ttl deploy [flags] [-- FLAGS OF TERRAFORM]

Writes the Terraform of the configuration and runs terraform init and terraform apply in cdktf.out/stacks/precise-ttl, with what
stands behind -- passed on to apply, or with --diff to plan: -- -auto-approve, -- -refresh=false. Terraform shows the plan and asks. A
plan that would delete or replace a table, or anything else that holds something, is refused: docs/operate.md of precise-ttl,
"Tables are never deleted". cdktf.out, the provider's lock file and a local state lie beside the configuration.

--diff -- -out="$PWD/FILE" keeps the plan, and deploy -- "$PWD/FILE" applies it.
--destroy applies a stack without sweeps. Tables keep their items, indexes and native TTL. Queues go with their messages, topics with
their subscriptions, and logs. A plain terraform destroy is refused while the stack manages a table.

${flags}

${TERRAFORM_HELP}

Exit status: 0 deployed or shown, 1 not, or a wrong command line; with --diff -- -detailed-exitcode 2 when something would change.`,
  failureStatus: 1,
  async run({ config, diff, destroy }, { passed }) {
    const terraform = await Terraform.of({ config, removed: destroy });
    return terraform.run([diff ? 'plan' : 'apply', ...passed]);
  },
});
