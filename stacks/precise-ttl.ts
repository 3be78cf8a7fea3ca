import { IamRole } from '@cdktf/provider-aws/lib/iam-role/index.js';
import { TerraformStack } from 'cdktf';
import { Construct } from 'constructs';
import { refuse } from './config/config.ts';
import { constructId } from './config/names.ts';
import { type ConstructProps, resolveConstruct } from './construct-props.ts';
import { DeployedSweep } from './parts/deployed-sweep.ts';
import { Place } from './parts/place.ts';
import { SweptTable } from './parts/swept-table.ts';

/**
 * Precise TTL for one table or several, in a stack of your own. Or name the tables in `precise-ttl.config.ts` and let `stacks/main.ts` make
 * the stack.
 *
 * Arguments without a prop can be overridden on their resources: `functions.DeleteChunk.function.addOverride(…)`.
 */
export class PreciseTtl extends DeployedSweep {
  /** @throws InvalidConfigError with all errors of the props */
  constructor(parent: Construct, id: string, props: ConstructProps) {
    super(parent, id, scope => {
      const tables = resolveConstruct(scope, props);
      const place = new Place(scope, 'place');
      return {
        place,
        tables: tables.map(
          ({ id, props, given }) =>
            new SweptTable(new Construct(scope, constructId(id, 'construct')), place, props, given),
        ),
      };
    });
    refuseTwins(this);
  }
}

/** All deployments of a stack are in one account, and IAM does not distinguish upper and lower case in the names of roles. */
function refuseTwins(own: PreciseTtl): void {
  const rolesIn = (scope: Construct) =>
    scope.node
      .findAll()
      .flatMap(each => (each instanceof IamRole ? [String(each.nameInput).toLowerCase()] : []));
  const names = rolesIn(own);
  const all = rolesIn(TerraformStack.of(own));
  const twin = names.find(name => all.indexOf(name) !== all.lastIndexOf(name));
  if (twin === undefined) return;
  const expected = 'a name with which no role of the deployment has that of another in this stack';
  const remedy = `Give one of them another deployment: two would have the role ${twin}.`;
  refuse([{ field: 'deployment', expected, got: own.deployment.name, remedy }]);
}
