import type { Construct } from 'constructs';
import type { CarriedSettings } from '../../statemachine/contract.ts';
import { replayDefinition, tickDefinition } from '../../statemachine/definition.ts';
import type { FunctionArns } from '../../statemachine/states.ts';
import type { Deployment } from '../deployments.ts';
import { replayName, sweepRole } from '../names.ts';
import type { Place } from './place.ts';
import { Workflow } from './workflow.ts';

export interface SweepMachineProps {
  readonly place: Place;
  readonly functions: FunctionArns;
  readonly deployment: Deployment;
}

/** The state machine of replays, and of what a tick could not finish. It knows all tables. */
export class ReplayMachine extends Workflow {
  constructor(
    scope: Construct,
    id: string,
    {
      place,
      functions,
      deployment,
      tables,
    }: SweepMachineProps & { readonly tables: readonly CarriedSettings[] },
  ) {
    const name = replayName(deployment.name);
    super(scope, id, {
      place,
      type: 'STANDARD',
      name,
      roleName: name,
      functionArns: Object.values(functions),
      definition: replayDefinition(functions, { tables, partition: place.partition }),
      sweep: deployment,
    });
  }
}

/** The state machine of the ticks. It knows the tables that are swept. */
export class TickMachine extends Workflow {
  constructor(
    scope: Construct,
    id: string,
    {
      place,
      functions,
      deployment,
      tables,
      replayArn,
    }: SweepMachineProps & { readonly tables: readonly CarriedSettings[]; readonly replayArn: string },
  ) {
    const { name } = deployment;
    super(scope, id, {
      place,
      type: 'EXPRESS',
      name,
      roleName: sweepRole(name),
      functionArns: Object.values(functions),
      starts: [replayArn],
      definition: tickDefinition(functions, { tables, replayArn, partition: place.partition }),
      sweep: deployment,
    });
  }
}
