import { checkConfig, type DeploymentConfig } from '../../stacks/config.ts';
import { modelOf } from '../../stacks/model-of.ts';
import { deadLetterQueueOf } from '../../stacks/names.ts';
import { type PreciseTtlProps, resolveProps } from '../../stacks/props.ts';
import { TimeLimit } from '../aws/time-limit.ts';
import { chooseTables } from '../choose-tables.ts';
import { check, notAsked } from '../deployment/check.ts';
import type { DeploymentClients } from '../deployment/clients.ts';
import { observeAlarms } from '../deployment/observe-alarms.ts';
import { observeQueue, observeSchedules, observeStateMachine } from '../deployment/observe-deployment.ts';
import type { Subject } from '../deployment/subject.ts';
import { inParallel } from '../in-parallel.ts';
import type { Invocation } from '../invocation.ts';
import { coverageOf, coveredUpTo, goneBy } from './gone.ts';
import { type Judged, judge, type Verdict, worst } from './judge.ts';
import { newMemory, observeSweeps, type SweepMemory } from './observe-sweeps.ts';
import { LOOK_MS, lookForOverdue, minutesBack } from './overdue.ts';
import type { SeenTable } from './seen-table.ts';

export interface StatusJobOptions {
  /** What the configuration file exports. */
  readonly config: unknown;
  /** @default all tables of the configuration */
  readonly table: string | undefined;
  /** Minutes that the index is read back. @default the table's lookback, or as far as no sweep is known to have covered */
  readonly back: number | undefined;
  /** Called when all of the above has been found right; the limit is that of each look. */
  readonly connect: (region: string, limit: TimeLimit) => DeploymentClients;
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

/**
 * A look takes so long at the most, seconds, the first one with the start of the process: somebody waits for a word, and the process
 * has ended after 15. The other two are for a call that waits before it is made again. It is long enough for a call that gets no
 * answer twice. More than ten tables take a second more each.
 */
const LOOK_SECONDS = 13;
const QUICK_TABLES = 10;
/** So much of the time that is left is for the queries that are on their way when the look at the index ends. */
const SPARE_MS = 2_000;
/** Tables that are looked at at the same time: Step Functions allows some hundred calls at once. */
const CONCURRENCY = 5;

/** Looks again and again at the same tables, with the same clients. */
export interface StatusJob {
  /** @param spentMs milliseconds of its time that have passed already. @default none */
  look(spentMs?: number): Promise<Status>;
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
  const limit = new TimeLimit(LOOK_SECONDS + Math.max(0, tables.length - QUICK_TABLES));
  const clients = options.connect(region, limit);
  const memories = new Map<string, SweepMemory>();
  const memoryOf = (name: string) => {
    const memory = memories.get(name) ?? newMemory();
    memories.set(name, memory);
    return memory;
  };
  return {
    async look(spentMs) {
      const at = options.now();
      limit.start(spentMs);
      const seen: TableStatus[] = [];
      const lookAt = async ([index, table]: [number, PreciseTtlProps]): Promise<void> => {
        const subject = subjectOf(table, region, options.call);
        const memory = memoryOf(subject.props.sweep);
        const looked = await lookAtTable(subject, clients, namesOf(config), memory, limit, options);
        seen[index] = { subject, seen: looked, judged: judge(looked, subject, options.now()) };
      };
      const { signal } = new AbortController();
      await inParallel([...tables.entries()], CONCURRENCY, lookAt, signal).finally(() => limit.stop());
      const verdict = worst(seen.map(({ judged }) => judged.verdict));
      return { verdict, region, isLocal: clients.isLocal, at, tables: seen };
    },
    destroy() {
      // A look that was interrupted would go on, and keep the process from ending.
      limit.end();
      clients.destroy();
    },
  };
}

const namesOf = ({ tables }: DeploymentConfig): string[] => tables.map(table => resolveProps(table).sweep);

function subjectOf(table: PreciseTtlProps, region: string, call: Invocation): Subject {
  return { props: resolveProps(table), model: modelOf(table), region, call };
}

async function lookAtTable(
  subject: Subject,
  clients: DeploymentClients,
  names: readonly string[],
  memory: SweepMemory,
  limit: TimeLimit,
  options: StatusJobOptions,
): Promise<SeenTable> {
  const { sfn, dynamoDb, scheduler, sqs, cloudWatch } = clients;
  const { props, region } = subject;
  const { name, tableName, indexName } = props;
  // All at once: one service that does not answer costs no time for asking the others.
  const others = Promise.all([
    observeSchedules(scheduler, subject),
    sqs ? observeQueue(sqs, deadLetterQueueOf(props.sweep), region) : notAsked('SQS'),
    cloudWatch ? observeAlarms(cloudWatch, { sweep: name, others: names }, region) : notAsked('CloudWatch'),
  ]);
  others.catch(() => undefined); // what it throws, it throws below
  const stateMachine = await observeStateMachine(sfn, subject);
  const sweeps = await sweepsOf(sfn, stateMachine, subject, memory);
  const covered = coveredBy(sweeps);
  const minutes = minutesBack(subject, options.back ?? wantedMinutes(subject, covered, options.now()));
  const table = `arn:aws:dynamodb:${region}:*:table/${tableName}`;
  const index = `${table}/index/${indexName}`;
  const [action, resource] =
    props.holdAttribute === undefined
      ? ['dynamodb:Query', index]
      : ['dynamodb:Query and dynamodb:BatchGetItem', `${index} and ${table}`];
  const overdue = dynamoDb
    ? await check(action, resource, () =>
        lookForOverdue(dynamoDb, subject, minutes, options.now, Math.min(LOOK_MS, limit.leftMs - SPARE_MS)),
      )
    : notAsked('DynamoDB');
  const [schedules, deadLetters, alarms] = await others;
  return {
    stateMachine,
    schedules,
    sweeps,
    overdue,
    gone: 'seen' in overdue ? goneBy(overdue.seen, covered) : undefined,
    deadLetters,
    alarms,
  };
}

/** Undefined only where it is known that there is no state machine. */
async function sweepsOf(
  sfn: DeploymentClients['sfn'],
  stateMachine: SeenTable['stateMachine'],
  subject: Subject,
  memory: SweepMemory,
): Promise<SeenTable['sweeps']> {
  if (sfn === undefined || 'notChecked' in stateMachine) return stateMachine as SeenTable['sweeps'];
  return stateMachine.seen && observeSweeps(sfn, stateMachine.seen.arn, subject, memory);
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
