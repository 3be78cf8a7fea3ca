/** `precise-ttl diff`: what a deployment would change. See `--help`. */
import { TERRAFORM_HELP } from './deploy/flags.ts';
import { describeLoweredGraces } from './deploy/lowered-grace.ts';
import { Terraform } from './deploy/run-terraform.ts';
import { synthesizeStack } from './deploy/synthesized-stack.ts';
import { requireTerraform, terraformBinary } from './deploy/terraform-binary.ts';
import { CONFIG } from './flags.ts';
import { print } from './print.ts';
import { defineCommand } from './run-command.ts';

export const command = defineCommand({
  flags: { config: CONFIG },
  help: (flags, call) => `${call('diff', '[flags]')}

Shows what ${call('deploy')} would change, as a plan of Terraform. Changes nothing.

${flags}

${TERRAFORM_HELP}

Exit status: 0 shown, 1 not, 2 wrong flags.`,
  async run({ config }) {
    const program = terraformBinary(process.env);
    await requireTerraform(program);
    const terraform = new Terraform(program, (await synthesizeStack({ config })).stack);
    await terraform.init();
    try {
      const changes = await terraform.plan();
      const lowered = changes ? describeLoweredGraces(await terraform.planned()) : '';
      if (lowered !== '') print(`\n${lowered}`);
      return changes === undefined ? 1 : 0;
    } finally {
      terraform.forgetPlan();
    }
  },
});
