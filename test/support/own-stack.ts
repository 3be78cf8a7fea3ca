import { AwsProvider } from '@cdktf/provider-aws/lib/provider/index.js';
import { TerraformStack, Testing } from 'cdktf';
import type { TerraformJson } from './synthesized.ts';

/** A stack as a team has it, into which constructs go. */
export function ownStack(): TerraformStack {
  const stack = new TerraformStack(Testing.app(), 'own');
  new AwsProvider(stack, 'aws', { region: 'eu-central-1' });
  return stack;
}

export function synthesizedStack(stack: TerraformStack): TerraformJson {
  return JSON.parse(Testing.synth(stack));
}
