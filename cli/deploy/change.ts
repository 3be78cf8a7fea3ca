import type { FlagValues } from '../flags.ts';
import { question } from '../question.ts';
import { approved, type CHANGE_FLAGS } from './flags.ts';
import { Terraform } from './run-terraform.ts';
import { synthesizeStack } from './synthesized-stack.ts';
import { requireTerraform, terraformBinary } from './terraform-binary.ts';

export interface Change {
  /** Asked when the plan changes something: `Deploy this?` */
  readonly ask: string;
  /** Remove the deployment, and keep its tables. @default false */
  readonly removed?: boolean;
}

/**
 * Synthesizes, shows the plan, asks, and does what was shown.
 *
 * @returns the exit status
 * @throws {DeployError} when there is no Terraform that can be run, or it refuses to begin
 */
export async function change(
  flags: FlagValues<typeof CHANGE_FLAGS>,
  { ask, removed = false }: Change,
): Promise<number> {
  const program = terraformBinary(process.env);
  await requireTerraform(program);
  const { stack } = await synthesizeStack({ config: flags.config, removed });
  const terraform = new Terraform(program, stack);
  await terraform.init();
  try {
    const changes = await terraform.plan();
    if (changes === undefined) return 1;
    // Without changes it may still have to write its state: where something was moved to, what is forgotten.
    if (changes && !approved(flags) && !(await agrees(ask))) {
      console.error('Nothing was changed.');
      return 1;
    }
    return await terraform.apply();
  } finally {
    terraform.forgetPlan();
  }
}

const agrees = async (ask: string) => /^y(es)?$/i.test(await question(`\n${ask} [y/N] `));
