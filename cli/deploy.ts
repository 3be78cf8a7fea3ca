import { CONFIG, defineCommand, isWrongUsage } from './command.ts';
import { TERRAFORM_HELP, Terraform, TerraformError } from './terraform.ts';

export const command = defineCommand({
  name: 'deploy',
  usage: '[flags] [-- FLAGS OF TERRAFORM]',
  flags: {
    diff: { help: 'show what would change (terraform plan), and change nothing' },
    destroy: { help: 'remove everything but the tables, the journal and the bucket' },
    config: CONFIG,
    json: { help: "print the folder and Terraform's exit status; what Terraform prints is then on stderr" },
  },
  passes: true,
  about: `Writes the Terraform of the configuration and runs terraform init and terraform apply in cdktf.out/stacks/precise-ttl, with what
stands behind -- passed on to apply, or with --diff to plan: -- -auto-approve, -- -refresh=false. Terraform shows the plan and asks. A
plan that would delete or replace a table, the journal or the archive's bucket is refused: docs/operate.md of precise-ttl, "Tables are
never deleted". cdktf.out, the provider's lock file and a local state lie beside the configuration.

--diff -- -out="$PWD/FILE" keeps the plan, and deploy -- "$PWD/FILE" applies it.
--destroy applies a stack without sweeps. Tables keep their items, indexes and native TTL; Terraform forgets them, the journal and the
bucket. Queues go with their messages, topics with their subscriptions, and logs. A plain terraform destroy is refused.

${TERRAFORM_HELP}`,
  exits:
    '0 deployed or shown, 1 not; with --diff -- -detailed-exitcode 2 when something would change, and 1 for a wrong configuration',
  async run({ flags: { config, diff, destroy, json }, passed }) {
    const terraform = await Terraform.of({ config, removed: destroy }).catch((error: unknown) => {
      // Status 2 of a plan says that something would change: wrong usage gets status 1.
      throw isWrongUsage(error) && passed.includes('-detailed-exitcode')
        ? new TerraformError(error.message)
        : error;
    });
    const args = [diff ? 'plan' : 'apply', ...passed];
    const exit = await terraform.run(args, json ? process.stderr : process.stdout);
    return { data: { folder: terraform.stack.stack, exit }, exit };
  },
});
