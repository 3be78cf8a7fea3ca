import { Construct } from 'constructs';
import type { SweepEnvironment } from '../functions/lib/environment.ts';
import { InvalidConfigError } from './config.ts';
import { ExpiringTable } from './parts/expiring-table.ts';
import { Place, type Statement } from './parts/role.ts';
import { SweepFunction } from './parts/sweep-function.ts';
import { SweepMachine } from './parts/sweep-machine.ts';
import { SweepSchedules } from './parts/sweep-schedules.ts';
import { type PreciseTtlProps, propProblems, type ResolvedProps, resolveProps } from './props.ts';

/**
 * Precise TTL for one table: the table with its index, the four functions, the state machine and its schedules. Use
 * it in a stack of your own, or name the table in `precise-ttl.config.ts` and let `stacks/main.ts` do it.
 */
export class PreciseTtl extends Construct {
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

    const place = new Place(this, 'place');
    const table = new ExpiringTable(this, 'table', sweep);
    const environment = sweepEnvironment(sweep, table.tableName);
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

function sweepEnvironment(sweep: ResolvedProps, tableName: string): SweepEnvironment {
  return {
    TABLE_NAME: tableName,
    INDEX_NAME: sweep.indexName,
    PARTITION_KEY: sweep.partitionKey,
    ...(sweep.sortKey === undefined ? {} : { SORT_KEY: sweep.sortKey }),
    TTL_ATTRIBUTE: sweep.ttlAttribute,
    WINDOW_ATTRIBUTE: sweep.windowAttribute,
    GRANULARITY_MINUTES: String(sweep.granularityMinutes),
    SHARDS: String(sweep.shards),
    DELETE_MODE: sweep.deleteMode,
    LOOKBACK_MINUTES: String(sweep.lookbackMinutes),
    PRECISION_SECONDS: String(sweep.precisionSeconds),
    POLL_SECONDS: String(sweep.pollSeconds),
    DELETE_ATTEMPTS: String(sweep.deleteAttempts),
    BACKOFF_BASE_SECONDS: String(sweep.backoffBaseSeconds),
    BACKOFF_CAP_SECONDS: String(sweep.backoffCapSeconds),
  };
}
