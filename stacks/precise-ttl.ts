import { TerraformStack } from 'cdktf';
import { Construct } from 'constructs';
import { toEnvironment } from '../functions/runtime/environment.ts';
import { InvalidConfigError } from './config.ts';
import { roleProblem } from './names.ts';
import type { GuardedTable } from './parts/created-tables.ts';
import { ExpiringTable, guarded } from './parts/expiring-table.ts';
import { Place, type Statement } from './parts/role.ts';
import { SweepFunction } from './parts/sweep-function.ts';
import { SweepMachine } from './parts/sweep-machine.ts';
import { SweepSchedules } from './parts/sweep-schedules.ts';
import { type PreciseTtlProps, propProblems, type ResolvedProps, resolveProps } from './props.ts';
import { escaped } from './terraform-text.ts';

/**
 * Precise TTL for one table: the table with its index, the four functions, the state machine and its schedules. Use
 * it in a stack of your own, or name the table in `precise-ttl.config.ts` and let `stacks/main.ts` do it.
 */
export class PreciseTtl extends Construct {
  /** The props with every default filled in. */
  readonly sweep: ResolvedProps;
  readonly tableName: string;
  readonly tableArn: string;
  readonly stateMachineArn: string;
  readonly stateMachineName: string;
  readonly deadLetterQueueUrl: string;

  /** @throws InvalidConfigError with everything that is wrong with the props */
  constructor(scope: Construct, id: string, props: PreciseTtlProps) {
    super(scope, id);
    const problems = propProblems(props);
    if (problems.length > 0) throw new InvalidConfigError(problems);
    const sweep = resolveProps(props);
    this.sweep = sweep;
    refuseTwins(this);

    const place = new Place(this, 'place');
    const table = new ExpiringTable(this, 'table', sweep);
    // The table's name is a reference: functions are made after their table.
    const environment = { ...toEnvironment(sweep, escaped), TABLE_NAME: table.tableName };
    const query: Statement = { actions: ['dynamodb:Query'], resources: [table.indexArn] };
    const remove: Statement = {
      actions: [sweep.deleteMode === 'guarded' ? 'dynamodb:PartiQLDelete' : 'dynamodb:BatchWriteItem'],
      resources: [table.tableArn],
    };
    const functions = {
      PlanSweep: new SweepFunction(this, 'plan-sweep', {
        task: 'PlanSweep',
        environment,
        sweep,
        statements: [query],
      }).arn,
      QueryExpired: new SweepFunction(this, 'query-expired', {
        task: 'QueryExpired',
        environment,
        sweep,
        statements: [query],
      }).arn,
      DeleteChunk: new SweepFunction(this, 'delete-chunk', {
        task: 'DeleteChunk',
        environment,
        sweep,
        statements: [remove],
      }).arn,
      RecordMetrics: new SweepFunction(this, 'record-metrics', {
        task: 'RecordMetrics',
        environment,
        sweep,
        statements: [],
      }).arn,
    };
    const machine = new SweepMachine(this, 'sweep', { place, functions, sweep });
    const schedules = new SweepSchedules(this, 'schedules', { place, stateMachineArn: machine.arn, sweep });

    this.tableName = table.tableName;
    this.tableArn = table.tableArn;
    this.stateMachineArn = machine.arn;
    this.stateMachineName = machine.stateMachineName;
    this.deadLetterQueueUrl = schedules.deadLetterQueueUrl;
  }
}

/** Roles are an account's own, and a stack is deployed to one. */
function refuseTwins(sweep: PreciseTtl): void {
  const others = TerraformStack.of(sweep).node.findAll();
  const problems = others
    .filter((other): other is PreciseTtl => other instanceof PreciseTtl && other !== sweep)
    .flatMap(other => roleProblem('name', sweep.sweep, other.sweep) ?? []);
  if (problems.length > 0) throw new InvalidConfigError(problems);
}

/** The table of a `PreciseTtl` of this id that is not there any more: where it stands in the stack's state. */
export function removedTable(scope: Construct, id: string, props: PreciseTtlProps): GuardedTable {
  const table = new Construct(new Construct(new Construct(scope, id), 'table'), 'table');
  return guarded(table, resolveProps(props));
}
