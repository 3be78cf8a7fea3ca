/** `precise-ttl deploy`: deploys the configuration. See `--help`. */
import { applyPlan, change } from './deploy/change.ts';
import { DEPLOY_FLAGS, TERRAFORM_HELP } from './deploy/flags.ts';
import { defineCommand } from './run-command.ts';

export const command = defineCommand({
  flags: DEPLOY_FLAGS,
  operand: true,
  help: flags => `npx precise-ttl deploy [FILE] [flags]

Provisions what the configuration says, with Terraform. Shows the plan and asks for confirmation before it changes anything;
without a terminal to ask at it refuses, unless you give --yes. A plan that would delete or replace a table, or anything else that
holds something, is refused: docs/operate.md of precise-ttl, "Tables are never deleted". cdktf.out,
and the state if it is a local one, lie beside the configuration. It leaves a pause (npx precise-ttl pause) as it is.

With --table it deploys what the configuration says of that table. The other tables stay as they are deployed, with what stands beside
them in the configuration, which may be in the middle of a change: docs/operate.md, "One table". An existing table that is gone, or not
as the configuration says, does not stop the others: it stays as it is deployed, and the exit status is 1.

With FILE it deploys the plan that npx precise-ttl diff --out FILE has kept there, and asks nothing: it was looked
at. What the configuration says of the tables by now does not matter. Terraform refuses a plan when something was deployed after it.

${flags}

${TERRAFORM_HELP}

Exit status: 0 deployed, 1 not, or not all, 2 wrong flags.`,
  run: (flags, { word: plan }) =>
    plan === '' ? change(flags, { ask: 'Deploy this?' }) : applyPlan(plan, flags),
});
