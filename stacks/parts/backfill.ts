import { Construct } from 'constructs';
import { backfillName } from '../../config/names.ts';
import type { ResolvedProps } from '../../config/props.ts';
import { backfillDefinition } from '../../statemachine/backfill.ts';
import { BACKFILL_TASKS, type BackfillTaskName } from '../../statemachine/backfill-contract.ts';
import type { Place } from './place.ts';
import type { Statement } from './role-policies.ts';
import { SweepFunction, tableInWords } from './sweep-function.ts';
import { tableKeyStatements } from './table-key.ts';
import { Workflow } from './workflow.ts';

export interface BackfillProps {
  readonly place: Place;
  readonly environment: Readonly<Record<string, string>>;
  readonly tableArn: string;
  readonly sweep: ResolvedProps;
}

/** The backfill, which writes the windows of existing items: its functions and its state machine. It is only started by hand. */
export class Backfill extends Construct {
  /** The functions, by the state that calls them. */
  readonly functions: Readonly<Record<BackfillTaskName, SweepFunction>>;
  readonly machine: Workflow;
  readonly stateMachineArn: string;

  constructor(scope: Construct, id: string, { place, environment, tableArn, sweep }: BackfillProps) {
    super(scope, id);
    const table: Statement[] = [
      { actions: ['dynamodb:Scan', 'dynamodb:UpdateItem'], resources: [tableArn] },
      ...tableKeyStatements('write', sweep, place),
    ];
    const backfillFunction = (task: BackfillTaskName, statements: readonly Statement[]) =>
      new SweepFunction(this, BACKFILL_TASKS[task], {
        place,
        task,
        worksFor: tableInWords(sweep),
        environment,
        sweep,
        statements,
      });
    this.functions = {
      PlanBackfill: backfillFunction('PlanBackfill', []),
      BackfillSegment: backfillFunction('BackfillSegment', table),
    };
    const { PlanBackfill, BackfillSegment } = this.functions;
    const arns = { PlanBackfill: PlanBackfill.arn, BackfillSegment: BackfillSegment.arn };
    const name = backfillName(sweep.name);
    this.machine = new Workflow(this, 'workflow', {
      place,
      type: 'STANDARD',
      name,
      roleName: name,
      roleKey: 'backfill',
      functionArns: Object.values(arns),
      definition: backfillDefinition(arns, place.partition),
      sweep,
    });
    this.node.defaultChild = this.machine.stateMachine;
    this.stateMachineArn = this.machine.arn;
  }
}
