import { Construct } from 'constructs';
import { constructId } from '../config/names.ts';
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
      // Tables have names of their own, which may be those of parts.
      const ofTables = new Construct(scope, 'tables');
      return {
        place,
        tables: tables.map(
          ({ id, props, given }) =>
            new SweptTable(new Construct(ofTables, constructId(id)), place, props, given),
        ),
      };
    });
  }
}
