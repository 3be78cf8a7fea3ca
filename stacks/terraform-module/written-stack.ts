import { TerraformElement, TerraformOutput, TerraformStack } from 'cdktf';
import type { Node } from 'constructs';
import { DEPLOYMENT_PROPS, type ResolvedProps } from '../../config/props.ts';
import { expression } from '../../config/values.ts';
import { snake } from './snake.ts';

/** The outputs by name: description and value. */
export type Outputs = Readonly<Record<string, readonly [description: string, value: unknown]>>;

/** A stack from which a module is written. */
export abstract class WrittenStack extends TerraformStack {
  protected outputs(outputs: Outputs): void {
    for (const [name, [description, value]] of Object.entries(outputs)) {
      new TerraformOutput(this, name, { description, value });
    }
  }

  /**
   * Makes the names that a person would choose: they are the addresses in a team's state. A prefix that all names in a module share is
   * left out.
   */
  protected override allocateLogicalId(element: TerraformElement | Node): string {
    const path = (element instanceof TerraformElement ? element.node : element).path.split('/');
    const words = path.flatMap((word, index) => (word === path[index - 1] ? [] : [word])).slice(1);
    return words.join('_').replaceAll('-', '_');
  }
}

/** The variables with the deployment's settings: separate ones, or the fields of one. */
export type SharedScope = 'var' | 'var.deployment';

/** The settings that a deployment has once, for all tables. */
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
