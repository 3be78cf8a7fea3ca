import { DynamodbTable } from '@cdktf/provider-aws/lib/dynamodb-table/index.js';
import { TerraformStack } from 'cdktf';
import { Construct } from 'constructs';
import { InvalidConfigError } from '../config/config.ts';
import { type Deployment, deploymentOf } from '../config/deployments.ts';
import { mapValues } from '../config/map-values.ts';
import { constructId, type Named, nameProblem, namesOfDeployment, namesOfTable } from '../config/names.ts';
import type { TaskName } from '../statemachine/contract/machines.ts';
import type { FunctionArns } from '../statemachine/states.ts';
import { type ConstructProps, constructProblems, resolveConstruct } from './construct-props.ts';
import type { SweepDashboard } from './dashboard.ts';
import type { SweepAlarms } from './parts/alarms.ts';
import { configurationOf } from './parts/configuration.ts';
import { DeployedSweep } from './parts/deployed-sweep.ts';
import type { Journal } from './parts/journal.ts';
import type { Pipes } from './parts/pipes.ts';
import { Place } from './parts/place.ts';
import type { SweepFunction } from './parts/sweep-function.ts';
import type { ReplayMachine, TickMachine } from './parts/sweep-machines.ts';
import type { SweepSchedules } from './parts/sweep-schedules.ts';
import { SweptTable } from './parts/swept-table.ts';

/**
 * Precise TTL for one table or several: one deployment sweeps all of them, with the pipes of
 * `archive` and `events`, the four functions, the two state machines, the journal, the schedules, the alarms and the
 * dashboard. Use it in a stack of your own, or name the tables in `precise-ttl.config.ts` and let `stacks/main.ts` make the stack.
 *
 * Arguments without a prop can be overridden on their resources: `functions.DeleteChunk.function.addOverride(…)`. The main resource of
 * each construct is its `node.defaultChild`.
 */
export class PreciseTtl extends Construct {
  /** The props that the tables share, with every default filled in. */
  readonly deployment: Deployment;
  /** The tables in the order of the props. */
  readonly tables: readonly SweptTable[];
  /** The functions, by the state that calls them. */
  readonly functions: Readonly<Record<TaskName, SweepFunction>>;
  /** The state machine of the ticks. */
  readonly tick: TickMachine;
  /** The state machine of replays. */
  readonly replay: ReplayMachine;
  readonly journal: Journal;
  readonly schedules: SweepSchedules;
  /** Undefined if no table has `archive` or `events`. */
  readonly pipes: Pipes | undefined;
  readonly alarms: SweepAlarms;
  /** Undefined with `dashboard: false`. */
  readonly dashboard: SweepDashboard | undefined;

  readonly functionArns: FunctionArns;
  readonly stateMachineArn: string;
  readonly stateMachineName: string;
  readonly replayStateMachineArn: string;
  readonly replayStateMachineName: string;
  readonly journalTableName: string;
  readonly journalTableArn: string;
  readonly scheduleArn: string;
  readonly scheduleGroupArn: string;
  readonly deadLetterQueueArn: string;
  readonly deadLetterQueueUrl: string;
  /** The topic that the alarms notify. Undefined without alarms. */
  readonly alarmTopicArn: string | undefined;
  /** ARNs of the alarms that are created, by their names in CloudWatch. */
  readonly alarmArns: Readonly<Record<string, string>>;
  /** Undefined with `dashboard: false`. */
  readonly dashboardName: string | undefined;
  /** ARNs of the roles: of the functions by their states, of both state machines, and of the schedules. */
  readonly roleArns: DeployedSweep['roleArns'];
  readonly logGroupArns: DeployedSweep['logGroupArns'];
  /** For an output, from which commands get their configuration: `terraform output -json ttl > precise-ttl.config.json`. */
  readonly configuration: object;

  /** @throws InvalidConfigError with all errors of the props */
  constructor(scope: Construct, id: string, props: ConstructProps) {
    super(scope, id);
    const problems = constructProblems(this, props);
    if (problems.length > 0) throw new InvalidConfigError(problems);
    const tables = resolveConstruct(this, props);
    this.deployment = deploymentOf(tables.map(table => table.props));
    refuseTwins(this);

    const place = new Place(this, 'place');
    this.tables = tables.map(
      ({ id, ...table }) => new SweptTable(new Construct(this, constructId(id)), { place, ...table }),
    );
    const [only] = this.tables;
    if (!('tables' in props) && only?.table instanceof DynamodbTable) {
      // Where the only table stood in the first versions.
      const former = new Construct(new Construct(this, 'table'), 'table');
      only.table.moveFromId(`aws_dynamodb_table.${TerraformStack.of(this).getLogicalId(former.node)}`);
    }
    const { deployment } = this;
    const sweep = new DeployedSweep(this, { place, deployment, tables: this.tables });
    this.functions = sweep.functions;
    this.tick = sweep.tick;
    this.node.defaultChild = sweep.tick.stateMachine;
    this.replay = sweep.replay;
    this.journal = sweep.journal;
    this.schedules = sweep.schedules;
    this.pipes = sweep.pipes;
    this.alarms = sweep.alarms;
    this.dashboard = sweep.dashboard;
    this.functionArns = sweep.functionArns;
    this.stateMachineArn = sweep.tick.arn;
    this.stateMachineName = sweep.tick.stateMachineName;
    this.replayStateMachineArn = sweep.replay.arn;
    this.replayStateMachineName = sweep.replay.stateMachineName;
    this.journalTableName = sweep.journal.tableName;
    this.journalTableArn = sweep.journal.tableArn;
    this.scheduleArn = sweep.schedules.tick.arn;
    this.scheduleGroupArn = sweep.schedules.group.arn;
    this.deadLetterQueueArn = sweep.schedules.deadLetterQueue.arn;
    this.deadLetterQueueUrl = sweep.schedules.deadLetterQueue.url;
    this.alarmTopicArn = sweep.alarms.topicArn;
    this.alarmArns = mapValues(sweep.alarms.alarms, ({ arn }) => arn);
    this.dashboardName = sweep.dashboard?.dashboardName;
    this.roleArns = sweep.roleArns;
    this.logGroupArns = sweep.logGroupArns;
    this.configuration = configurationOf(place.region, this.tables);
  }

  /** The only table. @throws TypeError when there are several */
  get table(): SweptTable {
    const [table, another] = this.tables;
    if (table !== undefined && another === undefined) return table;
    throw new TypeError(
      `PreciseTtl.table: expected a deployment of one table, got ${this.tables.length}; take one of tables`,
    );
  }
}

/** Refuses two deployments of the same name: role names are unique in an account, and a stack is deployed to one account. */
function refuseTwins(own: PreciseTtl): void {
  const others = TerraformStack.of(own)
    .node.findAll()
    .filter((other): other is PreciseTtl => other instanceof PreciseTtl && other !== own)
    .flatMap(namesOf);
  const problems = namesOf(own).flatMap(each => others.flatMap(other => nameProblem(each, other) ?? []));
  if (problems.length > 0) throw new InvalidConfigError(problems);
}

function namesOf({ deployment }: PreciseTtl): Named[] {
  return [
    namesOfDeployment('sweep', deployment.name),
    ...deployment.tables.map(table => namesOfTable('tableName', table)),
  ];
}
