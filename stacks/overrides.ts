import { TerraformResource, type TerraformStack } from 'cdktf';
import { InvalidConfigError, type Overrides } from '../config/config.ts';
import type { FieldProblem } from '../expiry/errors.ts';

/**
 * Merges arguments into all resources of a type, or into the resource at an address: for arguments without a field in the configuration.
 * @throws InvalidConfigError for a type or an address that nothing in the stack has
 */
export function applyOverrides(stack: TerraformStack, overrides: Overrides): void {
  const all = stack.node.findAll().filter(TerraformResource.isTerraformResource);
  const problems = Object.entries(overrides).flatMap(([resources, given]): FieldProblem[] => {
    const chosen = all.filter(resource =>
      [resource.terraformResourceType, addressOf(resource)].includes(resources),
    );
    for (const resource of chosen) {
      for (const [argument, value] of Object.entries(given)) resource.addOverride(argument, value);
    }
    if (chosen.length > 0) return [];
    const types = [...new Set(all.map(({ terraformResourceType }) => terraformResourceType))].sort();
    return [
      {
        field: `overrides.${resources}`,
        expected: `a type of the deployment's resources (${types.join(', ')}), or the address of one`,
        got: `${resources}, which it has none of`,
        remedy:
          'Correct it, or leave it out. Addresses are in what precise-ttl synth writes, and in each plan.',
      },
    ];
  });
  if (problems.length > 0) throw new InvalidConfigError(problems);
}

function addressOf({ terraformResourceType, friendlyUniqueId }: TerraformResource): string {
  return `${terraformResourceType}.${friendlyUniqueId}`;
}
