import { isDeepStrictEqual } from 'node:util';
import { DynamodbTable } from '@cdktf/provider-aws/lib/dynamodb-table/index.js';
import { SchedulerSchedule } from '@cdktf/provider-aws/lib/scheduler-schedule/index.js';
import { SchedulerScheduleGroup } from '@cdktf/provider-aws/lib/scheduler-schedule-group/index.js';
import { SqsQueue } from '@cdktf/provider-aws/lib/sqs-queue/index.js';
import { Token } from 'cdktf';
import { Construct } from 'constructs';
import { isObject } from '../../expiry/fields.ts';
import { EXPIRES, JOURNAL_KEYS, journalName } from '../../functions/journal/layout.ts';
import type { TaskName } from '../../statemachine/contract/machines.ts';
import { type Deployment, deploymentOf, EVERY_MINUTE, TICK_INPUT } from '../config/deployments.ts';
import { deadLetterQueueOf, tickName } from '../config/names.ts';
import { type FlatProps, PROP_NAMES, propsOfSettings, readsStream, resolveProps } from '../config/props.ts';
import { escaped } from '../config/terraform-text.ts';
import { KeptTables } from './kept-tables.ts';
import { Pipes } from './pipes.ts';
import type { Part, Place } from './place.ts';
import {
  deleteStatements,
  queryStatements,
  ServiceRole,
  type Statement,
  senderKeyStatement,
  tableKeyStatements,
} from './role.ts';
import { SweepFunction } from './sweep-function.ts';
import { SweepMachine } from './sweep-machines.ts';
import type { SweptTable } from './swept-table.ts';
import { SweepAlarms, SweepDashboard, saveQueries } from './watch.ts';

interface SweptTables {
  readonly place: Place;
  readonly tables: readonly SweptTable[];
}

/** The constructs of a deployment. If a construct has a main resource, its `node.defaultChild` is this resource. */
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
  /** The configuration, for a Terraform output: `terraform output -json NAME > precise-ttl.config.json` writes the file for commands. */
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

export function mapValues<Key extends string, Value, Result>(
  values: Readonly<Record<Key, Value>>,
  map: (value: Value, key: Key) => Result,
): Record<Key, Result> {
  const entries = Object.entries<Value>(values).map(([key, value]) => [key, map(value, key as Key)]);
  return Object.fromEntries(entries) as Record<Key, Result>;
}

/** The configuration for commands such as `status`. Each table has `existingTable: true`: the table exists after the deployment. */
function configurationOf(region: string, tables: readonly SweptTable[]): object {
  return { region, tables: tables.map(entryOf) };
}

function entryOf({ props, tableName }: SweptTable): unknown {
  const { partitionKey, indexedBy } = props;
  const byDefault = resolveProps({ tableName: props.tableName, partitionKey, indexedBy });
  const set = PROP_NAMES.filter(name => !isDeepStrictEqual(props[name], byDefault[name]));
  const written = { ...Object.fromEntries(set.map(name => [name, props[name]])), partitionKey, indexedBy };
  const entry = propsOfSettings({ ...written, tableName: props.tableName } as FlatProps);
  return { ...(literals(entry) as object), tableName, existingTable: true };
}

export function literals(value: unknown): unknown {
  if (typeof value === 'string') return Token.isUnresolved(value) ? value : escaped(value);
  if (Array.isArray(value)) return value.map(literals);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, literals(each)]));
}

/** The table of watermarks, pauses and reports (`functions/journal/layout.ts`). Terraform and DynamoDB protect it from deletion. */
export class Journal extends Construct {
  readonly tableName: string;
  readonly tableArn: string;
  readonly table: DynamodbTable;
  readonly #part: Part;

  constructor(scope: Construct, id: string, part: Part) {
    super(scope, id);
    this.#part = part;
    const { place, deployment } = part;
    const name = journalName(deployment.name);
    const { partitionKey, sortKey } = JOURNAL_KEYS;
    this.table = new DynamodbTable(this, 'table', {
      name,
      billingMode: 'PAY_PER_REQUEST',
      hashKey: partitionKey,
      rangeKey: sortKey,
      attribute: [partitionKey, sortKey].map(each => ({ name: each, type: 'S' })),
      ttl: { attributeName: EXPIRES, enabled: true },
      pointInTimeRecovery: { enabled: true },
      deletionProtectionEnabled: true,
      lifecycle: { preventDestroy: true },
      ...(deployment.kmsKeyArn !== undefined && {
        serverSideEncryption: { enabled: true, kmsKeyArn: deployment.kmsKeyArn },
      }),
    });
    this.node.defaultChild = this.table;
    this.tableName = this.table.name;
    this.tableArn = this.table.arn;
    place.know(this.tableArn, name, 'table/');
  }

  statements(...actions: readonly string[]): Statement[] {
    const { place, deployment } = this.#part;
    return [
      { actions: actions.map(each => `dynamodb:${each}`), resources: [this.tableArn] },
      ...tableKeyStatements('write', { tableKmsKeyArn: deployment.kmsKeyArn }, place),
    ];
  }
}

/** Attributes of the schedule that deployments leave as they are: a person may have turned the schedule off, or set its start. */
const LEFT_ALONE = ['state', 'start_date'];

/** Seconds for which Scheduler retries a failed start. A later start is useless: the next ticks find the same items. */
const RETRY_SECONDS = 300;

class SweepSchedules extends Construct {
  readonly group: SchedulerScheduleGroup;
  readonly deadLetterQueue: SqsQueue;
  readonly role: ServiceRole;
  readonly tick: SchedulerSchedule;

  constructor(scope: Construct, id: string, { place, deployment }: Part, tickArn: string) {
    super(scope, id);
    const { name, kmsKeyArn } = deployment;
    this.group = new SchedulerScheduleGroup(this, 'group', { name });
    this.deadLetterQueue = new SqsQueue(this, 'dead-letters', {
      name: deadLetterQueueOf(name),
      messageRetentionSeconds: 14 * 24 * 60 * 60,
      ...(kmsKeyArn === undefined ? { sqsManagedSseEnabled: true } : { kmsMasterKeyId: kmsKeyArn }),
    });
    this.role = new ServiceRole(this, 'role', {
      place,
      name: `${name}-schedule`,
      service: 'scheduler',
      sourceArn: place.arn('scheduler', `schedule-group/${name}`),
      statements: [
        { actions: ['states:StartExecution'], resources: [tickArn] },
        { actions: ['sqs:SendMessage'], resources: [this.deadLetterQueue.arn] },
        senderKeyStatement(deployment, this.deadLetterQueue.arn),
      ],
    });
    this.tick = new SchedulerSchedule(this, 'tick', {
      name: tickName(name),
      groupName: this.group.name,
      scheduleExpression: EVERY_MINUTE,
      scheduleExpressionTimezone: 'UTC',
      flexibleTimeWindow: { mode: 'OFF' },
      state: 'ENABLED',
      target: {
        arn: tickArn,
        roleArn: this.role.arn,
        input: JSON.stringify(TICK_INPUT),
        retryPolicy: { maximumEventAgeInSeconds: RETRY_SECONDS, maximumRetryAttempts: 5 },
        deadLetterConfig: { arn: this.deadLetterQueue.arn },
      },
      dependsOn: [...this.role.policies],
      lifecycle: { ignoreChanges: LEFT_ALONE },
    });
    this.node.defaultChild = this.tick;
  }
}
