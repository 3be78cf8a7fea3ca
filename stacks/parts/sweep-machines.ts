import type { Construct } from 'constructs';
import type { Deployment } from '../../config/deployments.ts';
import { replayName, sweepRole } from '../../config/names.ts';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import { replayDefinition, tickDefinition } from '../../statemachine/definition.ts';
import type { FunctionArns } from '../../statemachine/states.ts';
import type { Place } from './place.ts';
import type { Statement } from './role-policies.ts';
import { Workflow } from './workflow.ts';

export interface SweepMachineProps {
  readonly place: Place;
  readonly functions: FunctionArns;
  readonly deployment: Deployment;
  readonly tables: readonly CarriedSettings[];
}

export interface TickMachineProps extends SweepMachineProps {
  readonly replayArn: string;
  /** Permissions for the queries that the tick makes by itself. */
  readonly statements: readonly Statement[];
}

/** The state machine of replays, and of work that a tick hands over because it could not finish it. It knows all tables. */
export class ReplayMachine extends Workflow {
  constructor(scope: Construct, id: string, props: SweepMachineProps) {
    const { place, functions, deployment, tables } = props;
    const name = replayName(deployment.name);
    super(scope, id, {
      ...inDeployment(props),
      type: 'STANDARD',
      name,
      roleName: name,
      definition: replayDefinition(functions, { tables, partition: place.partition }),
    });
  }
}

/** The state machine of the ticks. It knows the tables that are enabled. */
export class TickMachine extends Workflow {
  constructor(scope: Construct, id: string, props: TickMachineProps) {
    const { place, functions, deployment, tables, replayArn, statements } = props;
    const { name } = deployment;
    super(scope, id, {
      ...inDeployment(props),
      type: 'EXPRESS',
      name,
      roleName: sweepRole(name),
      starts: [replayArn],
      statements,
      definition: tickDefinition(functions, { tables, replayArn, partition: place.partition }),
    });
  }
}

function inDeployment({ place, functions, deployment }: SweepMachineProps) {
  return { place, functionArns: Object.values(functions), sweep: deployment };
}
