import { TerraformElement, TerraformOutput, TerraformStack } from 'cdktf';
import type { Node } from 'constructs';
import { DEPLOYMENT_PROPS, type ResolvedProps } from '../../config/props.ts';
import { expression } from '../../config/values.ts';
import { snake } from './snake.ts';

/** By name: what it is, and its value. */
export type Outputs = Readonly<Record<string, readonly [description: string, value: unknown]>>;

/** A stack that a module is written of. */
export abstract class WrittenStack extends TerraformStack {
  protected outputs(outputs: Outputs): void {
    for (const [name, [description, value]] of Object.entries(outputs)) {
      new TerraformOutput(this, name, { description, value });
    }
  }

  /** Names as a person gives them: they are the addresses of a team's state. What all begin with that are in a module is left out. */
  protected override allocateLogicalId(element: TerraformElement | Node): string {
    const path = (element instanceof TerraformElement ? element.node : element).path.split('/');
    const words = path.flatMap((word, index) => (word === path[index - 1] ? [] : [word])).slice(1);
    return words.join('_').replaceAll('-', '_');
  }
}

/** Where the settings of the deployment stand: in variables, or in a field of one. */
export type SharedScope = 'var' | 'var.deployment';

/** The settings that a deployment has once. */
export function openShared(scope: SharedScope): Pick<ResolvedProps, (typeof DEPLOYMENT_PROPS)[number]> {
  const shared = DEPLOYMENT_PROPS.map(prop => [prop, expression(`${scope}.${snake(prop)}`)]);
  return {
    ...Object.fromEntries(shared),
    roleArns: undefined,
    vpc: {
      subnetIds: expression('local.vpc.subnet_ids'),
      securityGroupIds: expression('local.vpc.security_group_ids'),
    },
    tags: expression(`${scope}.tags`),
  };
}

/** The value of `local.vpc`. */
export function vpcLocal(scope: SharedScope): string {
  const list = (name: string) => `${name} = ${scope}.vpc == null ? [] : ${scope}.vpc.${name}`;
  return `{\n  ${list('subnet_ids')}\n  ${list('security_group_ids')}\n}`;
}
