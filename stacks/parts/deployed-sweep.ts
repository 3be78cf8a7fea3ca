import { Construct } from 'constructs';
import type { TaskName } from '../../statemachine/contract/machines.ts';
import { type Deployment, deploymentOf } from '../config/deployments.ts';
import { mapValues } from '../config/map-values.ts';
import { readsStream } from '../config/props.ts';
import { deleteStatements, queryStatements } from './access-statements.ts';
import { configurationOf } from './configuration.ts';
import { Journal } from './journal.ts';
import { KeptTables } from './kept-tables.ts';
import { Pipes } from './pipes.ts';
import type { Place } from './place.ts';
import type { Statement } from './role.ts';
import { SweepFunction } from './sweep-function.ts';
import { SweepMachine } from './sweep-machines.ts';
import { SweepSchedules } from './sweep-schedules.ts';
import type { SweptTable } from './swept-table.ts';
import { SweepAlarms, SweepDashboard, saveQueries } from './watch.ts';

export interface SweptTables {
  readonly place: Place;
  readonly tables: readonly SweptTable[];
}

/**
 * A deployment that sweeps its tables: the four functions, the two state machines, the journal, the schedules, the pipes of `archive` and
 * `events`, the alarms and the dashboard. The main resource of each construct is its `node.defaultChild`.
 */
export class DeployedSweep extends Construct {
  readonly deployment: Deployment;
  readonly tables: readonly SweptTable[];
  readonly functions: Readonly<Record<TaskName, SweepFunction>>;
  readonly tick: SweepMachine;
  readonly replay: SweepMachine;
  readonly journal: Journal;
  readonly schedules: SweepSchedules;
  /** Undefined if no table has `archive` or `events`. */
  readonly pipes: Pipes | undefined;
  readonly alarms: SweepAlarms;
  /** Undefined with `dashboard: false`. */
  readonly dashboard: SweepDashboard | undefined;
  /** An output of this value gives commands their configuration: `terraform output -json ttl > precise-ttl.config.json`. */
  readonly configuration: object;

  constructor(parent: Construct, id: string, makeTables: (scope: Construct) => SweptTables) {
    super(parent, id);
    const { place, tables } = makeTables(this);
    const deployment = deploymentOf(tables.map(({ props }) => props));
    const part = { place, deployment };
    this.tables = tables;
    this.deployment = deployment;
    const settings = tables.map(table => table.settings);
    const query = tables.flatMap(table => queryStatements(table, place));

    new KeptTables(this, part, tables);
    this.journal = new Journal(this, 'journal', part);
    const environment = { DEPLOYMENT_NAME: deployment.name, JOURNAL_TABLE: this.journal.tableName };
    const statements: Readonly<Record<TaskName, readonly Statement[]>> = {
      PlanSweep: [...this.journal.statements('Query', 'UpdateItem'), ...query],
      QueryExpired: [...query, ...this.journal.statements('UpdateItem')],
      DeleteChunk: [
        ...tables.flatMap(table => deleteStatements(table, place)),
        ...this.journal.statements('Query'),
      ],
      RecordMetrics: this.journal.statements('BatchWriteItem', 'UpdateItem'),
    };
    this.functions = mapValues(
      statements,
      (own, task) => new SweepFunction(this, part, task, { environment, statements: own }),
    );
    const functions = mapValues(this.functions, ({ arn }) => arn);
    this.tick = new SweepMachine(this, 'sweep', part, functions, settings);
    this.replay = new SweepMachine(this, 'replay', part, functions, settings, this.tick.role);
    this.schedules = new SweepSchedules(this, 'schedules', part, this.tick.arn);
    const piped = tables.filter(({ props }) => readsStream(props));
    const failuresArn = this.schedules.deadLetterQueue.arn;
    if (piped.length > 0) this.pipes = new Pipes(this, 'pipes', part, piped, failuresArn);
    this.alarms = new SweepAlarms(this, 'alarms', part, this.tick.arn);
    if (deployment.dashboard)
      this.dashboard = new SweepDashboard(this, 'dashboard', part, this.tick.arn, this.alarms);
    saveQueries(this, deployment.name, {
      recordMetrics: [this.functions.RecordMetrics.logGroup.name],
      all: [...Object.values(this.functions), this.tick, this.replay].map(({ logGroup }) => logGroup.name),
    });
    this.node.defaultChild = this.tick.stateMachine;
    this.configuration = configurationOf(place.region, tables);
  }
}
