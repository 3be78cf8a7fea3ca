import { commandLine } from '../../operate/command-line.ts';
import { Terraform } from '../deploy/run-terraform.ts';
import { synthesizeStack } from '../deploy/synthesized-stack.ts';
import { DeployError, requireTerraform, terraformBinary } from '../deploy/terraform-binary.ts';

/**
 * Reads the outputs of the deployment of a configuration, by tables.
 *
 * @param config the file of the configuration. @default that of the working directory
 * @throws {DeployError} when there is no deployment, or Terraform cannot read its state
 */
export async function deployedOutputs(config: string | undefined): Promise<object> {
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
  return { tables: tables.value };
}
