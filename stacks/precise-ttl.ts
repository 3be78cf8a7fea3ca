import type { CloudwatchMetricAlarm } from '@cdktf/provider-aws/lib/cloudwatch-metric-alarm/index.js';
import { TerraformStack } from 'cdktf';
import { Construct } from 'constructs';
import type { ExpiryModelProps } from '../expiry/model.ts';
import { modelPropsOfSettings, toEnvironment } from '../functions/runtime/environment.ts';
import { TASKS, type TaskName } from '../statemachine/contract.ts';
import type { FunctionArns } from '../statemachine/states.ts';
import type { AlarmName } from './alarms.ts';
import { InvalidConfigError } from './config.ts';
import { type ConstructProps, constructProblems, resolveConstruct } from './construct-props.ts';
import { deadLetterQueueOf, nameProblem } from './names.ts';
import { SweepAlarms } from './parts/alarms.ts';
import { Archive } from './parts/archive.ts';
import { guardedBucket, guardName } from './parts/archive-bucket.ts';
import { Backfill } from './parts/backfill.ts';
import { SweepDashboard } from './parts/dashboard.ts';
import { Events } from './parts/events.ts';
import { ExpiringTable, guarded } from './parts/expiring-table.ts';
import { Guard } from './parts/guard.ts';
import { Place, type Statement } from './parts/role.ts';
import { SweepFunction } from './parts/sweep-function.ts';
import { SweepMachine } from './parts/sweep-machine.ts';
import { SweepSchedules } from './parts/sweep-schedules.ts';
import { tableKeyStatements } from './parts/table-key.ts';
import { functionSettings, type PreciseTtlProps, type ResolvedProps, resolveProps } from './props.ts';
import { resolvedArchive } from './stream-props.ts';
import { escaped } from './terraform-text.ts';

/** Id of the archive, of which a bucket's address is made. */
const ARCHIVE = 'archive';

/**
 * Precise TTL for one table: the table with its index, the four functions, the state machine and its schedules, alarms and a
 * dashboard; with the prop `backfill` what writes the window into the items that are there, with `archive` and `events` what reads the
 * table's stream. Use it in a stack of your own, or name the table in `precise-ttl.config.ts` and let `stacks/main.ts` do it.
 *
 * Whatever no prop is for can be overridden where it stands: `functions.DeleteChunk.function.addOverride(…)`. The resource that
 * each construct is about is its `node.defaultChild`.
 */
export class PreciseTtl extends Construct {
  /** The props with every default filled in. */
  readonly sweep: ResolvedProps;
  /** What writers and readers give to `expiryModel`; as JSON it is for those in other languages too. */
  readonly expiryModel: ExpiryModelProps;
  readonly table: ExpiringTable;
  /** By the state that calls it. */
  readonly functions: Readonly<Record<TaskName, SweepFunction>>;
  readonly machine: SweepMachine;
  readonly schedules: SweepSchedules;
  /** Undefined without the prop `backfill`. */
  readonly backfill: Backfill | undefined;
  /** Undefined without the prop `archive`. */
  readonly archive: Archive | undefined;
  /** Undefined without the prop `events`. */
  readonly events: Events | undefined;
  readonly alarms: SweepAlarms;
  /** Undefined with `dashboard: false`. */
  readonly dashboard: SweepDashboard | undefined;

  readonly tableName: string;
  readonly tableArn: string;
  readonly indexArn: string;
  /** Undefined without a stream that the deployment knows of. */
  readonly tableStreamArn: string | undefined;
  readonly functionArns: FunctionArns;
  readonly stateMachineArn: string;
  readonly stateMachineName: string;
  /** Undefined without the prop `backfill`. */
  readonly backfillStateMachineArn: string | undefined;
  /** By what follows the name of the sweep in theirs: `tick`, `reconcile`, `reconcile-2`…; none when it is not enabled. */
  readonly scheduleArns: Readonly<Record<string, string>>;
  readonly scheduleGroupArn: string;
  readonly deadLetterQueueArn: string;
  readonly deadLetterQueueUrl: string;
  /** Of the created bucket, or of the one that the prop names. Undefined without the prop `archive`. */
  readonly archiveBucketName: string | undefined;
  readonly archiveBucketArn: string | undefined;
  /** Of the queue for what was given up. Undefined without the prop `archive`. */
  readonly archiveFailureQueueArn: string | undefined;
  readonly archiveFailureQueueUrl: string | undefined;
  /** The same of the prop `events`. */
  readonly eventFailureQueueArn: string | undefined;
  readonly eventFailureQueueUrl: string | undefined;
  /** That the alarms tell. Undefined without alarms. */
  readonly alarmTopicArn: string | undefined;
  /** Of those that there are. */
  readonly alarmArns: Readonly<Partial<Record<AlarmName, string>>>;
  /** Undefined with `dashboard: false`. */
  readonly dashboardName: string | undefined;
  readonly roleArns: Readonly<Record<TaskName | 'sweep' | 'schedule', string>>;
  readonly logGroupArns: Readonly<Record<TaskName | 'sweep', string>>;

  /** @throws InvalidConfigError with everything that is wrong with the props */
  constructor(scope: Construct, id: string, props: ConstructProps) {
    super(scope, id);
    const problems = constructProblems(props);
    if (problems.length > 0) throw new InvalidConfigError(problems);
    const sweep = resolveConstruct(props);
    this.sweep = sweep;
    this.expiryModel = modelPropsOfSettings(sweep);
    refuseTwins(this);

    const place = new Place(this, 'place');
    this.table = new ExpiringTable(this, 'table', sweep, props.table);
    this.tableName = this.table.tableName;
    this.tableArn = this.table.tableArn;
    this.indexArn = this.table.indexArn;
    this.tableStreamArn = this.table.streamArn;

    // The table's name is a reference: functions are made after their table.
    const environment = {
      ...toEnvironment(functionSettings(sweep), escaped),
      TABLE_NAME: this.tableName,
    };
    this.archive = this.#archive(place, environment);
    this.events = this.#events(place, environment);
    this.archiveBucketName = this.archive?.bucketName;
    this.archiveBucketArn = this.archive?.bucketArn;
    this.archiveFailureQueueArn = this.archive?.reader.failures.arn;
    this.archiveFailureQueueUrl = this.archive?.reader.failures.url;
    this.eventFailureQueueArn = this.events?.reader.failures.arn;
    this.eventFailureQueueUrl = this.events?.reader.failures.url;

    const first = sweep.archiveFirst ? this.archive : undefined;
    const query: Statement[] = [
      { actions: ['dynamodb:Query'], resources: [this.indexArn] },
      ...tableKeyStatements('read', sweep, place),
      ...heldStatements(sweep, this.tableArn),
    ];
    const remove: Statement[] = [
      {
        actions: [sweep.deleteMode === 'guarded' ? 'dynamodb:PartiQLDelete' : 'dynamodb:BatchWriteItem'],
        resources: [this.tableArn],
      },
      ...(first?.firstStatements(this.tableArn) ?? []),
      ...tableKeyStatements('write', sweep, place),
    ];
    const sweepFunction = (task: TaskName, statements: readonly Statement[], archive?: Archive) =>
      new SweepFunction(this, TASKS[task], {
        place,
        task,
        environment: { ...environment, ...archive?.environment },
        sweep,
        statements,
        ...(archive && { dependsOn: archive.beforeObjects }),
      });
    this.functions = {
      PlanSweep: sweepFunction('PlanSweep', query),
      QueryExpired: sweepFunction('QueryExpired', query),
      DeleteChunk: sweepFunction('DeleteChunk', remove, first),
      RecordMetrics: sweepFunction('RecordMetrics', []),
    };
    this.functionArns = mapValues(this.functions, ({ arn }) => arn);
    this.machine = new SweepMachine(this, 'sweep', { place, functions: this.functionArns, sweep });
    this.stateMachineArn = this.machine.arn;
    this.stateMachineName = this.machine.stateMachineName;
    this.node.defaultChild = this.machine.stateMachine;

    const { tableArn } = this;
    this.backfill = sweep.backfill
      ? new Backfill(this, 'backfill', { place, environment, tableArn, sweep })
      : undefined;
    this.backfillStateMachineArn = this.backfill?.stateMachineArn;

    this.schedules = new SweepSchedules(this, 'schedules', {
      place,
      stateMachineArn: this.stateMachineArn,
      sweep,
    });
    this.scheduleArns = mapValues(this.schedules.schedules, ({ arn }) => arn);
    this.scheduleGroupArn = this.schedules.group.arn;
    this.deadLetterQueueArn = this.schedules.deadLetterQueue.arn;
    this.deadLetterQueueUrl = this.schedules.deadLetterQueue.url;

    const resources = {
      stateMachineArn: this.stateMachineArn,
      deadLetterQueueName: deadLetterQueueOf(sweep),
      tableName: this.tableName,
    };
    this.alarms = new SweepAlarms(this, 'alarms', { place, resources, sweep });
    this.alarmTopicArn = this.alarms.topicArn;
    this.alarmArns = mapValues(
      this.alarms.alarms as Record<AlarmName, CloudwatchMetricAlarm>,
      ({ arn }) => arn,
    );
    this.dashboard = sweep.dashboard
      ? new SweepDashboard(this, 'dashboard', {
          resources: { ...resources, region: place.region, alarmArns: Object.values(this.alarmArns) },
          sweep,
        })
      : undefined;
    this.dashboardName = this.dashboard?.dashboardName;
    this.roleArns = {
      ...mapValues(this.functions, ({ role }) => role.arn),
      sweep: this.machine.role.arn,
      schedule: this.schedules.role.arn,
    };
    this.logGroupArns = {
      ...mapValues(this.functions, ({ logGroup }) => logGroup.arn),
      sweep: this.machine.logGroup.arn,
    };

    const guard = Guard.of(this);
    const name = `${this.machine.stateMachine.name} in ${place.region}`;
    guard.keepSweep(this, { name, isRunning: sweep.enabled });
    if (sweep.holdAttribute !== undefined) guard.keepHolds(this, sweep.holdAttribute);
    if (sweep.releasesHoldsOf !== undefined) guard.releaseHolds(this, sweep.releasesHoldsOf);
  }

  #archive(place: Place, environment: Readonly<Record<string, string>>): Archive | undefined {
    const { sweep, tableName, tableStreamArn } = this;
    const archive = sweep.archive && resolvedArchive(sweep.archive);
    const made =
      archive &&
      tableStreamArn &&
      new Archive(this, ARCHIVE, {
        place,
        tableName,
        streamArn: tableStreamArn,
        environment,
        archive,
        sweep,
      });
    // A bucket that an earlier deployment created stays, with what is in it.
    if (!made || made.bucket === undefined) {
      const bucket = new Construct(made || new Construct(this, ARCHIVE), 'bucket');
      Guard.of(this).forget(guardName(bucket), guardedBucket(bucket));
    }
    return made || undefined;
  }

  #events(place: Place, environment: Readonly<Record<string, string>>): Events | undefined {
    const { sweep, tableStreamArn } = this;
    if (sweep.events === undefined || tableStreamArn === undefined) return undefined;
    return new Events(this, 'events', {
      place,
      streamArn: tableStreamArn,
      environment,
      events: sweep.events,
      sweep,
    });
  }
}

/**
 * The index does not say which items are held: the roles may read the keys and the hold attribute of the items themselves, and nothing
 * else of them. Source: DynamoDB Developer Guide, "Using IAM policy conditions for fine-grained access control".
 */
function heldStatements(
  { holdAttribute, partitionKey, sortKey }: ResolvedProps,
  tableArn: string,
): Statement[] {
  if (holdAttribute === undefined) return [];
  // As many for every table: the Terraform modules put variables into one policy.
  const attributes = [partitionKey, sortKey ?? partitionKey, holdAttribute];
  return [
    {
      actions: ['dynamodb:BatchGetItem'],
      resources: [tableArn],
      condition: {
        'ForAllValues:StringEquals': { 'dynamodb:Attributes': attributes.map(escaped) },
        StringEqualsIfExists: { 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' },
      },
    },
  ];
}

function mapValues<Key extends string, Value, Result>(
  values: Readonly<Record<Key, Value>>,
  map: (value: Value) => Result,
): Record<Key, Result> {
  const entries = Object.entries<Value>(values).map(([key, value]) => [key, map(value)]);
  return Object.fromEntries(entries) as Record<Key, Result>;
}

/** Roles are an account's own, and a stack is deployed to one. */
function refuseTwins(sweep: PreciseTtl): void {
  const others = TerraformStack.of(sweep).node.findAll();
  const problems = others
    .filter((other): other is PreciseTtl => other instanceof PreciseTtl && other !== sweep)
    .flatMap(other => nameProblem('name', sweep.sweep, other.sweep) ?? []);
  if (problems.length > 0) throw new InvalidConfigError(problems);
}

/** A `PreciseTtl` of this id is not there any more: its table and its bucket are left where they stood, and the rest of it may go. */
export function removeSweep(scope: Construct, id: string, props: PreciseTtlProps): void {
  const sweep = resolveProps(props);
  const removed = new Construct(scope, id);
  const table = new Construct(new Construct(removed, 'table'), 'table');
  const bucket = new Construct(new Construct(removed, ARCHIVE), 'bucket');
  const guard = Guard.of(scope);
  guard.forget(sweep.tableName, guarded(table, sweep));
  guard.forget(guardName(bucket), guardedBucket(bucket));
  guard.removeSweep(removed);
  for (const attribute of [sweep.holdAttribute, sweep.releasesHoldsOf]) {
    if (attribute !== undefined) guard.releaseHolds(removed, attribute);
  }
}
