import type { CloudwatchLogGroup } from '@cdktf/provider-aws/lib/cloudwatch-log-group/index.js';
import type { Construct } from 'constructs';
import { InvalidConfigError } from '../../config/config.ts';
import { type Deployment, settingsProblem } from '../../config/deployments.ts';
import { mapValues } from '../../config/map-values.ts';
import { deadLetterQueueOf } from '../../config/names.ts';
import { readsStream } from '../../config/props.ts';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import { TASKS, type TaskName } from '../../statemachine/contract/machines.ts';
import type { FunctionArns } from '../../statemachine/states.ts';
import { SweepDashboard } from '../dashboard.ts';
import { deleteStatements, queryStatements } from './access-statements.ts';
import { SweepAlarms } from './alarms.ts';
import { LeftBucket } from './archive.ts';
import { Journal } from './journal.ts';
import { KeptTables } from './kept-tables.ts';
import { Pipes } from './pipes.ts';
import type { Place } from './place.ts';
import type { Statement } from './role.ts';
import { SavedQueries } from './saved-queries.ts';
import { SweepFunction, tableInWords } from './sweep-function.ts';
import { ReplayMachine, TickMachine } from './sweep-machines.ts';
import { SweepSchedules } from './sweep-schedules.ts';
import type { SweptTable } from './swept-table.ts';

export interface DeployedSweepProps {
  readonly place: Place;
  readonly deployment: Deployment;
  /** Tables of the deployment, in its order. */
  readonly tables: readonly SweptTable[];
}

/** The data on a deployment's tables that roles and definitions need. */
interface TablesAccess {
  readonly settings: readonly CarriedSettings[];
  readonly query: readonly Statement[];
  readonly delete: readonly Statement[];
}

function together(tables: readonly SweptTable[], place: Place): TablesAccess {
  return {
    settings: tables.map(table => table.settings),
    query: tables.flatMap(table => queryStatements(table, place)),
    delete: tables.flatMap(table => deleteStatements(table, place)),
  };
}

/**
 * A deployment that sweeps its tables: the four functions, the two state machines, the journal, the schedules, the alarms and the
 * dashboard. Its parts are made in the given scope.
 */
export class DeployedSweep {
  readonly deployment: Deployment;
  /** The functions, by the state that calls them. */
  readonly functions: Readonly<Record<TaskName, SweepFunction>>;
  readonly functionArns: FunctionArns;
  readonly tick: TickMachine;
  readonly replay: ReplayMachine;
  readonly journal: Journal;
  readonly schedules: SweepSchedules;
  /** Undefined if no table has `archive` or `events`. */
  readonly pipes: Pipes | undefined;
  readonly alarms: SweepAlarms;
  /** Undefined with `dashboard: false`. */
  readonly dashboard: SweepDashboard | undefined;

  /** @throws InvalidConfigError when there are more tables than one deployment can sweep */
  constructor(scope: Construct, { place, deployment, tables }: DeployedSweepProps) {
    const access = together(tables, place);
    this.deployment = deployment;
    const tooMuch = settingsProblem(deployment);
    if (tooMuch !== null) throw new InvalidConfigError([tooMuch]);

    new KeptTables(scope, { place, name: deployment.name, tables });
    this.journal = new Journal(scope, 'journal', { place, deployment: deployment.name, sweep: deployment });
    const environment = { DEPLOYMENT_NAME: deployment.name, JOURNAL_TABLE: this.journal.tableName };
    const statements: Readonly<Record<TaskName, readonly Statement[]>> = {
      PlanSweep: [...this.journal.planStatements(), ...access.query],
      QueryExpired: [...access.query, ...this.journal.noteStatements()],
      DeleteChunk: [...access.delete, ...this.journal.pauseStatements()],
      RecordMetrics: this.journal.recordStatements(),
    };
    const [only, another] = deployment.tables;
    const sweepFunction = (task: TaskName) =>
      new SweepFunction(scope, TASKS[task], {
        place,
        task,
        worksFor: only !== undefined && another === undefined ? tableInWords(only) : deployment.name,
        environment,
        statements: statements[task],
        sweep: deployment,
      });
    this.functions = mapValues(TASKS, (_file, task) => sweepFunction(task));
    const functions = mapValues(this.functions, ({ arn }) => arn);
    this.functionArns = functions;
    this.tick = new TickMachine(scope, 'sweep', {
      place,
      functions,
      deployment,
      tables: access.settings,
    });
    this.replay = new ReplayMachine(scope, 'replay', {
      place,
      functions,
      deployment,
      tables: access.settings,
      role: this.tick.role,
    });
    this.schedules = new SweepSchedules(scope, 'schedules', {
      place,
      stateMachineArn: this.tick.arn,
      deployment,
    });
    const piped = tables.filter(({ props }) => readsStream(props));
    const failuresArn = this.schedules.deadLetterQueue.arn;
    this.pipes =
      piped.length === 0
        ? undefined
        : new Pipes(scope, 'pipes', { place, deployment, tables: piped, failuresArn });
    if (this.pipes?.archive?.bucket === undefined) new LeftBucket(scope);
    const resources = {
      stateMachineArn: this.tick.arn,
      deadLetterQueueName: deadLetterQueueOf(deployment.name),
    };
    this.alarms = new SweepAlarms(scope, 'alarms', { place, resources, deployment });
    const alarmArns = Object.values(this.alarms.alarms).map(({ arn }) => arn);
    const names = Object.values(this.logGroups).map(({ name }) => name);
    new SavedQueries(scope, 'queries', {
      name: deployment.name,
      logs: { recordMetrics: this.functions.RecordMetrics.logGroup.name, all: names },
    });
    this.dashboard = deployment.dashboard
      ? new SweepDashboard(scope, 'dashboard', {
          resources: {
            ...resources,
            region: place.region,
            alarmArns,
          },
          deployment,
        })
      : undefined;
  }

  /** ARNs of the roles: of the functions by their states, of both state machines, of the schedules. */
  get roleArns(): Readonly<Record<TaskName | 'sweep' | 'schedule', string>> {
    return {
      ...mapValues(this.functions, ({ role }) => role.arn),
      sweep: this.tick.role.arn,
      schedule: this.schedules.role.arn,
    };
  }

  /** ARNs of the log groups: of the functions by their states, of the state machines. */
  get logGroupArns(): Readonly<Record<TaskName | 'sweep' | 'replay', string>> {
    return mapValues(this.logGroups, ({ arn }) => arn);
  }

  get logGroups(): Readonly<Record<TaskName | 'sweep' | 'replay', CloudwatchLogGroup>> {
    return {
      ...mapValues(this.functions, ({ logGroup }) => logGroup),
      sweep: this.tick.logGroup,
      replay: this.replay.logGroup,
    };
  }
}
