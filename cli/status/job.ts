import { checkConfig, type DeploymentConfig } from '../../stacks/config.ts';
import { modelOf } from '../../stacks/model-of.ts';
import { deadLetterQueueOf } from '../../stacks/names.ts';
import { type PreciseTtlProps, resolveProps } from '../../stacks/props.ts';
import { chooseTables } from '../choose-tables.ts';
import { check, notAsked } from '../deployment/check.ts';
import type { DeploymentClients } from '../deployment/clients.ts';
import { observeAlarms } from '../deployment/observe-alarms.ts';
import { observeQueue, observeSchedules, observeStateMachine } from '../deployment/observe-deployment.ts';
import type { Subject } from '../deployment/subject.ts';
import type { Invocation } from '../invocation.ts';
import { coverageOf, coveredUpTo, goneBy } from './gone.ts';
import { type Judged, judge, type Verdict, worst } from './judge.ts';
import { newMemory, observeSweeps, type SweepMemory } from './observe-sweeps.ts';
import { lookForOverdue, minutesBack } from './overdue.ts';
import type { SeenTable } from './seen-table.ts';

export interface StatusJobOptions {
  /** What the configuration file exports. */
  readonly config: unknown;
  /** @default all tables of the configuration */
  readonly table: string | undefined;
  /** Minutes that the index is read back. @default the table's lookback, or as far as no sweep is known to have covered */
  readonly back: number | undefined;
  /** Called when all of the above has been found right. */
  readonly connect: (region: string) => DeploymentClients;
  readonly call: Invocation;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface TableStatus {
  readonly subject: Subject;
  readonly seen: SeenTable;
  readonly judged: Judged;
}

export interface Status {
  readonly verdict: Verdict;
  readonly region: string;
  /** Services of this machine were asked, and no others. */
  readonly isLocal: boolean;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly tables: readonly TableStatus[];
}

/** Looks again and again at the same tables, with the same clients. */
export interface StatusJob {
  look(): Promise<Status>;
  destroy(): void;
}

/**
 * Prepares to look at how the sweeps of a configuration stand. It changes nothing.
 *
 * @throws {FlagError} and {InvalidConfigError}; a look throws the SDK's error when there are no credentials
 */
export function statusJob(options: StatusJobOptions): StatusJob {
  const config = checkConfig(options.config);
  const { region } = config;
  const tables = chooseTables(config, options.table);
  const clients = options.connect(region);
  const memories = new Map<string, SweepMemory>();
  const memoryOf = (name: string) => {
    const memory = memories.get(name) ?? newMemory();
    memories.set(name, memory);
    return memory;
  };
  return {
    async look() {
      const at = options.now();
      const seen: TableStatus[] = [];
      for (const table of tables) {
        const subject = subjectOf(table, region, options.call);
        const memory = memoryOf(subject.props.name);
        const looked = await lookAtTable(subject, clients, namesOf(config), memory, options);
        seen.push({ subject, seen: looked, judged: judge(looked, subject, options.now()) });
      }
      const verdict = worst(seen.map(({ judged }) => judged.verdict));
      return { verdict, region, isLocal: clients.isLocal, at, tables: seen };
    },
    destroy: () => clients.destroy(),
  };
}

const namesOf = ({ tables }: DeploymentConfig): string[] => tables.map(table => resolveProps(table).name);

function subjectOf(table: PreciseTtlProps, region: string, call: Invocation): Subject {
  return { props: resolveProps(table), model: modelOf(table), region, call };
}

async function lookAtTable(
  subject: Subject,
  clients: DeploymentClients,
  names: readonly string[],
  memory: SweepMemory,
  options: StatusJobOptions,
): Promise<SeenTable> {
  const { sfn, dynamoDb, scheduler, sqs, cloudWatch } = clients;
  const { props, region } = subject;
  const { name, tableName, indexName } = props;
  const stateMachine = await observeStateMachine(sfn, subject);
  const machine = 'seen' in stateMachine ? stateMachine.seen : undefined;
  const sweeps = sfn && machine ? await observeSweeps(sfn, machine.arn, subject, memory) : undefined;
  const covered = coveredBy(sweeps);
  const minutes = minutesBack(subject, options.back ?? wantedMinutes(subject, covered, options.now()));
  const table = `arn:aws:dynamodb:${region}:*:table/${tableName}`;
  const index = `${table}/index/${indexName}`;
  const [action, resource] =
    props.holdAttribute === undefined
      ? ['dynamodb:Query', index]
      : ['dynamodb:Query and dynamodb:BatchGetItem', `${index} and ${table}`];
  const overdue = dynamoDb
    ? await check(action, resource, () => lookForOverdue(dynamoDb, subject, minutes, options.now))
    : notAsked('DynamoDB');
  return {
    stateMachine,
    schedules: await observeSchedules(scheduler, subject),
    sweeps,
    overdue,
    gone: 'seen' in overdue ? goneBy(overdue.seen, covered) : undefined,
    deadLetters: sqs ? await observeQueue(sqs, deadLetterQueueOf(props), region) : notAsked('SQS'),
    alarms: cloudWatch
      ? await observeAlarms(cloudWatch, { sweep: name, others: names }, region)
      : notAsked('CloudWatch'),
  };
}

function coveredBy(sweeps: SeenTable['sweeps']) {
  if (sweeps === undefined || !('seen' in sweeps)) return [];
  return sweeps.seen.known.flatMap(({ status, request, outcome }) => {
    const isDone = status === 'SUCCEEDED' && request !== undefined && outcome !== undefined;
    const span = isDone ? coverageOf(request, outcome.leftForLater) : null;
    return span === null ? [] : [span];
  });
}

/** As far as a tick looks back; further when no sweep that is known has covered what lies before, but no further than a reconcile. */
function wantedMinutes({ props }: Subject, covered: Parameters<typeof coveredUpTo>[0], now: number): number {
  const { lookbackMinutes, reconcileHours, graceSeconds } = props;
  const upTo = coveredUpTo(covered);
  const most = reconcileHours * 60;
  if (upTo === null) return most;
  return Math.min(most, Math.max(lookbackMinutes, Math.ceil((now / 1000 - graceSeconds - upTo) / 60) + 1));
}
