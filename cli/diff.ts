/** `precise-ttl diff`: shows what a deployment would change. See `--help`. */
import { PLAN_FLAGS, TABLES, TERRAFORM_HELP } from './deploy/flags.ts';
import { StackPlan } from './deploy/stack-plan.ts';
import { switchFlag, textFlag } from './flags.ts';
import { printData } from './print.ts';
import { defineCommand } from './run-command.ts';
import { writableFile } from './writable-file.ts';

/** Exit status when there are changes, as in `terraform plan`. */
const CHANGES_STATUS = 2;

export const command = defineCommand({
  flags: {
    ...PLAN_FLAGS,
    ...TABLES,
    out: textFlag('FILE', 'keep the plan, which can hold what is secret'),
    json: switchFlag('print the plan as JSON, as terraform show -json does'),
    'detailed-exitcode': switchFlag(`exit with ${CHANGES_STATUS} when something would change`),
  },
  help: flags => `npx precise-ttl diff [flags]

Shows what npx precise-ttl deploy would change, as a plan of Terraform. Changes nothing.
npx precise-ttl diff --out FILE keeps the plan for npx precise-ttl deploy FILE.
With --table, and without a table that is not as the configuration says, it shows what npx precise-ttl deploy does with the others.

${flags}

${TERRAFORM_HELP}

Exit status: 0 shown, 1 not, or not of all tables, or wrong flags; with --detailed-exitcode ${CHANGES_STATUS} when something would change.`,
  failureStatus: 1,
  async run({ config, table, upgrade, out, json, 'detailed-exitcode': detailed }) {
    const file = out === undefined ? undefined : writableFile('--out', out);
    const stack = await StackPlan.of({ config, table });
    const { terraform } = stack;
    await terraform.init({ upgrade });
    const show = async (plan: string) => {
      const { changes, broken } = await stack.plan(plan, { quiet: json });
      if (changes === undefined) return 1;
      if (json) printData(JSON.stringify(await terraform.planned(plan)));
      if (broken.length > 0) return 1;
      return changes && detailed ? CHANGES_STATUS : 0;
    };
    return file === undefined ? terraform.withPlan(show) : show(file);
  },
});
