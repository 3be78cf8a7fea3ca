import { Lazy, TerraformResource, type TerraformStack } from 'cdktf';
import { InvalidConfigError, NAMES, type Overrides } from '../config/config.ts';
import { mapValues } from '../config/map-values.ts';
import type { FieldProblem } from '../expiry/errors.ts';
import { isObject } from '../expiry/fields.ts';

/**
 * Merges arguments into all resources of a type, into the one of a type and a name, as in `aws_dynamodb_table.Sessions`, or into the one at
 * an address: for arguments without a field in the configuration. Blocks are merged; a list takes the place of the one that there is.
 * @throws InvalidConfigError for a type, a name or an address that nothing in the stack has
 */
export function applyOverrides(stack: TerraformStack, overrides: Overrides): void {
  const all = stack.node.findAll().filter(TerraformResource.isTerraformResource);
  const problems = Object.entries(overrides).flatMap(([resources, given]): FieldProblem[] => {
    const chosen = all.filter(resource => isMeant(resource, resources));
    for (const resource of chosen) {
      for (const [argument, value] of Object.entries(given)) {
        resource.addOverride(argument, replacing(value));
      }
    }
    return chosen.length > 0 ? [] : [nothingFound(resources, all)];
  });
  if (problems.length > 0) throw new InvalidConfigError(problems);
}

/** The value with its lists wrapped: CDKTF would append a plain list to the one that there is. */
function replacing(value: unknown): unknown {
  if (Array.isArray(value)) return Lazy.anyValue({ produce: () => value });
  return isObject(value) ? mapValues(value, replacing) : value;
}

function isMeant(resource: TerraformResource, resources: string): boolean {
  const { terraformResourceType: type, friendlyUniqueId } = resource;
  if (resources === type || resources === `${type}.${friendlyUniqueId}`) return true;
  return resources.startsWith(`${type}.`) && resources === `${type}.${nameOf(resource)}`;
}

/** The resource's name in AWS; undefined if its type has none. */
function nameOf(resource: TerraformResource): unknown {
  const { resource: types } = resource.toTerraform();
  const given = types[resource.terraformResourceType][resource.friendlyUniqueId];
  // A schedule also has the name of its group.
  return ['name', ...NAMES].map(argument => given[argument]).find(name => name !== undefined);
}

function nothingFound(resources: string, all: readonly TerraformResource[]): FieldProblem {
  const [type] = resources.split('.');
  const named = all.filter(({ terraformResourceType }) => terraformResourceType === type).map(nameOf);
  const types = [...new Set(all.map(({ terraformResourceType }) => terraformResourceType))].sort();
  return {
    field: `overrides.${resources}`,
    expected:
      named.length > 0
        ? `one of these names after ${type}. (${named.join(', ')}), or the address of a resource`
        : `a type of the deployment's resources (${types.join(', ')}), also with the name or the address of one after a dot`,
    got: `${resources}, which it has none of`,
    remedy: 'Correct it, or leave it out. Addresses are in what precise-ttl synth writes, and in each plan.',
  };
}
