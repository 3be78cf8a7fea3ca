import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { consent, requireConsent } from '../consent.ts';
import { FlagError, type FlagValues } from '../flags.ts';
import { printError } from '../print.ts';
import { stopOnSignal } from '../signals.ts';
import type { CHANGE_FLAGS, DEPLOY_FLAGS } from './flags.ts';
import { StackPlan } from './stack-plan.ts';

export interface Change {
  /** The question that is asked when the plan has changes: `Deploy this?` */
  readonly ask: string;
  /** Remove the deployment, and keep its tables. @default false */
  readonly removed?: boolean;
}

/**
 * Synthesizes, shows the plan, asks, and applies that plan.
 *
 * @returns the exit status
 * @throws {FlagError} when there is no terminal to ask in
 * @throws {DeployError} when Terraform is not installed, or refuses to start
 */
export async function change(
  flags: FlagValues<typeof CHANGE_FLAGS> & { readonly table?: readonly string[] },
  { ask, removed = false }: Change,
): Promise<number> {
  const stack = await StackPlan.of({ ...flags, removed });
  requireConsent(flags);
  const { terraform } = stack;
  await terraform.init(flags);
  return terraform.withPlan(async plan => {
    const { changes, broken } = await stack.plan(plan);
    if (changes === undefined) return 1;
    // A plan without changes may still have to write the state: for resources that were moved or forgotten.
    const declined = changes ? await declinedWith(ask, flags) : undefined;
    if (declined !== undefined) {
      printError('Nothing was changed.');
      return declined;
    }
    const status = await terraform.apply(plan);
    if (status === 0 && broken.length > 0) {
      printError(`Deployed all but ${broken.join(', ')}: mend what is said of it above, and deploy again.`);
    }
    return broken.length > 0 ? 1 : status;
  });
}

/**
 * Applies a saved plan. The plan does not contain the functions' archives, so the stack is synthesized again.
 *
 * @param file as it was typed
 * @returns the exit status
 * @throws {FlagError} when there is no such file, and for flags that a saved plan does not allow
 * @throws {DeployError} when Terraform is not installed, or refuses to start
 */
export async function applyPlan(
  file: string,
  { config, table, upgrade }: FlagValues<typeof DEPLOY_FLAGS>,
): Promise<number> {
  if (upgrade) {
    throw new FlagError(
      '--upgrade: expected none with a plan, which has its provider; give it to diff --out',
    );
  }
  if (table.length > 0) {
    throw new FlagError('--table: expected none with a plan, which has its tables; give it to diff --out');
  }
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
    throw new FlagError(`deploy: expected a file that diff --out has written, got "${file}"`);
  }
  const stack = await StackPlan.of({ config, kept: true });
  await stack.terraform.init();
  await stack.synthesizeAs(resolve(file));
  return stack.terraform.apply(resolve(file));
}

/** @returns the exit status if the user declines; undefined if the user agrees */
async function declinedWith(
  ask: string,
  flags: FlagValues<typeof CHANGE_FLAGS>,
): Promise<number | undefined> {
  // Otherwise Ctrl-C would end the process at once and leave the plan file behind.
  const { signal, status, forget } = stopOnSignal();
  try {
    if (await consent(ask, flags, signal)) return undefined;
    return signal.aborted ? status() : 1;
  } finally {
    forget();
  }
}
