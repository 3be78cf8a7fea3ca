/** `precise-ttl diff`: what a deployment would change. See `--help`. */
import { tellLoweredGraces } from './deploy/change.ts';
import { PLAN_FLAGS, TERRAFORM_HELP } from './deploy/flags.ts';
import { Terraform } from './deploy/run-terraform.ts';
import { synthesizeStack } from './deploy/synthesized-stack.ts';
import { requireTerraform, terraformBinary } from './deploy/terraform-binary.ts';
import { print } from './print.ts';
import { defineCommand } from './run-command.ts';
import { writableFile } from './writable-file.ts';

/** Something would change. As Terraform's own plan says it. */
const CHANGES_STATUS = 2;

export const command = defineCommand({
  flags: {
    ...PLAN_FLAGS,
    out: { type: 'text', value: 'FILE', help: 'keep the plan, which can hold what is secret' },
    json: { type: 'switch', help: 'print the plan as JSON, as terraform show -json does' },
    'detailed-exitcode': { type: 'switch', help: `exit with ${CHANGES_STATUS} when something would change` },
  },
  help: (flags, call) => `${call('diff', '[flags]')}

Shows what ${call('deploy')} would change, as a plan of Terraform. Changes nothing.
${call('diff', '--out FILE')} keeps the plan for ${call('deploy', 'FILE')}.

${flags}

${TERRAFORM_HELP}

Exit status: 0 shown, 1 not, or wrong flags; with --detailed-exitcode ${CHANGES_STATUS} when something would change.`,
  failureStatus: 1,
  async run({ config, upgrade, out, json, 'detailed-exitcode': detailed }) {
    const file = out === undefined ? undefined : writableFile('--out', out);
    const program = terraformBinary(process.env);
    await requireTerraform(program);
    const terraform = new Terraform(program, await synthesizeStack({ config }));
    await terraform.init({ upgrade });
    const show = async (plan: string) => {
      const changes = await terraform.plan(plan, { quiet: json });
      if (changes === undefined) return 1;
      if (json) print(JSON.stringify(await terraform.planned(plan)));
      else if (changes) await tellLoweredGraces(terraform, plan);
      return changes && detailed ? CHANGES_STATUS : 0;
    };
    return file === undefined ? terraform.withPlan(show) : show(file);
  },
});
