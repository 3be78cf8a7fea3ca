import { commandLine } from '../operate/command-line.ts';
/** `precise-ttl outputs`: prints the outputs of the deployment, for scripts. See `--help`. */
import { TERRAFORM_HELP } from './deploy/flags.ts';
import { Terraform } from './deploy/run-terraform.ts';
import { synthesizeStack } from './deploy/synthesized-stack.ts';
import { DeployError, requireTerraform, terraformBinary } from './deploy/terraform-binary.ts';
import { CONFIG } from './flags.ts';
import { printData } from './print.ts';
import { defineCommand } from './run-command.ts';

export const command = defineCommand({
  flags: { config: CONFIG },
  help: flags => `npx precise-ttl outputs [flags]

Prints the deployment's outputs as JSON: by table its ARN, that of its stream where archive or events reads it, its deployment with
the ARNs of the state machines of the ticks and of replays, the URL of the queue of starts that did not get through, the ARN of the
topic that its alarms tell, the name and the address of its dashboard, the expiry model that its writers must have, and with
index.backfill the ARN of its state machine. Everything else that it says goes to stderr.

${flags}

${TERRAFORM_HELP}

Exit status: 0 printed, 1 not (nothing deployed yet, no access to the state), 2 wrong flags.`,
  async run({ config }) {
    const program = terraformBinary(process.env);
    await requireTerraform(program);
    const terraform = new Terraform(program, await synthesizeStack({ config }));
    await terraform.init();
    const { tables } = await terraform.outputs();
    if (tables === undefined) {
      throw new DeployError(
        `Outputs: expected those of a deployment, got none; run ${commandLine('deploy')} first.`,
      );
    }
    printData(JSON.stringify({ tables: tables.value }, null, 2));
    return 0;
  },
});
