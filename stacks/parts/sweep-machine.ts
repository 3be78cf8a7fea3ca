import type { Construct } from 'constructs';
import { replayDefinition } from '../../statemachine/definition.ts';
import type { FunctionArns } from '../../statemachine/states.ts';
import type { ResolvedProps } from '../props.ts';
import type { Place } from './role.ts';
import { Workflow } from './workflow.ts';

export interface SweepMachineProps {
  readonly place: Place;
  readonly functions: FunctionArns;
  readonly sweep: ResolvedProps;
}

/** The state machine of the sweep. */
export class SweepMachine extends Workflow {
  constructor(scope: Construct, id: string, { place, functions, sweep }: SweepMachineProps) {
    super(scope, id, {
      place,
      name: sweep.name,
      roleName: `${sweep.name}-sweep`,
      functionArns: Object.values(functions),
      definition: sweepDefinition(functions, {
        ...sweep,
        shardConcurrency: concurrentChildren(sweep),
        partition: place.partition,
      }),
      sweep,
    });
  }
}
