import { setTimeout as sleep } from 'node:timers/promises';
import { type Deployment, deploymentsOf } from '../../config/deployments.ts';
import { deadLetterQueueOf, replayName } from '../../config/names.ts';
import { resolveProps } from '../../config/props.ts';
import { INDEX_SECONDS, type Watermark } from '../../functions/journal/layout.ts';
import { executionArnOf, listStateMachines, openExecutions } from '../aws/executions.ts';
import { executionsOfTable } from '../aws/executions-of-table.ts';
import { type Checked, check, notAsked, seenOf } from '../deployment/check.ts';
import { type ConnectDeployment, connectDeployment, type DeploymentClients } from '../deployment/clients.ts';
import { observeAlarms, observeQueue, observeSchedules } from '../deployment/observe-deployment.ts';
import { observeState, observeTable } from '../deployment/observe-journal.ts';
import { chooseTables, type Subject, subjectsOf } from '../deployment/subject.ts';
import { journalAt } from '../journals.ts';
import { NEVER } from '../options.ts';
import { inParallel, TimeLimit, untilAborted } from '../time-limit.ts';
import { goneBy } from './gone.ts';
import { type Judged, judge, worst } from './judge.ts';
import { latenessOf, MIN_MS, Trends } from './lateness.ts';
import { LOOK_MS, lookForOverdue, minutesBack, type OverdueLook } from './overdue.ts';
import type { StatusOptions, Verdict } from './report.ts';
import type { SeenTable } from './seen-table.ts';

export interface TableStatus {
  readonly subject: Subject;
  readonly seen: SeenTable;
  readonly judged: Judged;
}

export interface Status {
  readonly verdict: Verdict;
  readonly region: string;
  /** Whether services of this machine were asked; then no others were. */
  readonly isLocal: boolean;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly tables: readonly TableStatus[];
}

/**
 * Time limit of a look in seconds; the first look includes the start of the process. A user waits, so the process ends within 15
 * seconds: two more seconds are for a retry that is still waiting. The limit is long enough for a call that gets no answer twice.
 * Each table beyond ten adds a second.
 */
const LOOK_SECONDS = 13;
const QUICK_TABLES = 10;
/** Milliseconds that the last running queries may take after the reading of the index has ended. */
const SPARE_MS = 2_000;
/** Tables that are read in parallel: Step Functions allows a few hundred calls at the same time. */
const CONCURRENCY = 5;

/** Looks at the same tables repeatedly, with the same clients. */
export interface StatusJob {
  /** @param spentMs milliseconds of the time limit that have passed already. @default none */
  look(spentMs?: number): Promise<Status>;
  destroy(): void;
}

/**
 * Prepares a look at the sweeps of a configuration. It changes nothing.
 *
 * @throws {InputError}; a look throws the SDK's error when there are no credentials
 */
export function statusJob(
  options: StatusOptions,
  connect: ConnectDeployment = connectDeployment(options),
): StatusJob {
  const { config, now = Date.now } = options;
  const { region } = config;
  const tables = chooseTables(config, options.table);
  const deployments = deploymentsOf(config.tables.map(resolveProps));
  const limit = new TimeLimit(LOOK_SECONDS + Math.max(0, tables.length - QUICK_TABLES));
  const clients = connect(region, limit);
  const subjects = subjectsOf(config, tables);
  const memory: Memory = { trends: new Map(), silentSince: undefined, hasAnswered: false };
  return {
    async look(spentMs) {
      const at = now();
      limit.start(spentMs);
      const seen: TableStatus[] = [];
      const shared = new Map(
        deployments
          .filter(({ name }) => subjects.some(({ props }) => props.sweep === name))
          .map(deployment => [deployment.name, lookAtDeployment(deployment, deployments, region, clients)]),
      );
      const lookAt = async ([index, subject]: [number, Subject]): Promise<void> => {
        const of = shared.get(subject.props.sweep);
        if (of === undefined) throw new TypeError('expected each table in a deployment');
        const looked = await lookAtTable(subject, clients, of, {
          limit,
          memory,
          at,
          now,
          back: options.back,
        });
        seen[index] = { subject, seen: looked, judged: judge(looked, subject, now()) };
      };
      const looking = inParallel([...subjects.entries()], CONCURRENCY, lookAt, NEVER);
      await untilAborted(options.signal ?? NEVER, looking).finally(() => limit.stop());
      const verdict = worst(seen.map(({ judged }) => judged.verdict));
      return { verdict, region, isLocal: clients.isLocal, at, tables: seen };
    },
    destroy() {
      // Otherwise the requests of an interrupted look would keep the process running.
      limit.end();
      clients.destroy();
    },
  };
}

/**
 * Reads the facts that all tables of a deployment share, once and in parallel. A service that does not answer does not delay the
 * others.
 */
function lookAtDeployment(
  deployment: Deployment,
  all: readonly Deployment[],
  region: string,
  { sfn, dynamoDb, scheduler, sqs, cloudWatch }: DeploymentClients,
) {
  const { name } = deployment;
  const journal = dynamoDb && journalAt(dynamoDb, name, region);
  const others = all.map(each => each.name);
  const shared = {
    journal,
    machines: sfn
      ? check('states:ListStateMachines', '*', () => listStateMachines(sfn, [name, replayName(name)]))
      : Promise.resolve(notAsked('Step Functions')),
    state: journal ? observeState(journal) : Promise.resolve(notAsked('DynamoDB')),
    schedules: observeSchedules(scheduler, deployment, region),
    deadLetters: sqs ? observeQueue(sqs, deadLetterQueueOf(name), region) : Promise.resolve(notAsked('SQS')),
    alarms: cloudWatch
      ? observeAlarms(cloudWatch, { sweep: name, others }, region)
      : Promise.resolve(notAsked('CloudWatch')),
  };
  const open = openReplays(sfn, shared.machines, name);
  // The errors are thrown later, where a table uses the result.
  for (const each of [...Object.values(shared), open]) Promise.resolve(each).catch(() => undefined);
  return { ...shared, open };
}

type Shared = ReturnType<typeof lookAtDeployment>;

/** Running executions that are read at most. */
const OPEN = 100;

/** Undefined if it is known that there is no state machine. */
async function openReplays(sfn: DeploymentClients['sfn'], machines: Promise<Machines>, name: string) {
  const found = await machines;
  if (sfn === undefined || 'notChecked' in found) return found as Extract<Machines, { notChecked: object }>;
  const { arn } = found.seen.get(replayName(name)) ?? {};
  if (arn === undefined) return undefined;
  return check('states:ListExecutions', executionArnOf(arn, '*'), () => openExecutions(sfn, arn, OPEN));
}

type Machines = Checked<Awaited<ReturnType<typeof listStateMachines>>>;

/** Milliseconds after which the index is read without waiting for the journal. */
const JOURNAL_MS = 2_000;

/** Results of earlier looks. */
interface Memory {
  /** Trends by table. */
  readonly trends: Map<string, Trends>;
  /** Time since which DynamoDB has not answered, epoch milliseconds. */
  silentSince: number | undefined;
  /** Whether DynamoDB has answered any look. */
  hasAnswered: boolean;
}

interface Looking {
  readonly limit: TimeLimit;
  readonly memory: Memory;
  /** Start of the look, epoch milliseconds. */
  readonly at: number;
  readonly now: () => number;
  readonly back: number | undefined;
}

async function lookAtTable(
  subject: Subject,
  { dynamoDb }: DeploymentClients,
  shared: Shared,
  looking: Looking,
): Promise<SeenTable> {
  const { limit, memory, at, now } = looking;
  const { props, deployment, region } = subject;
  const { name, tables } = deployment;
  const { tableName, indexName } = props;
  const { journal: own } = shared;
  const journal = own
    ? shared.state.then(state => observeTable(own, state, tableName, now()))
    : Promise.resolve(notAsked('DynamoDB'));
  journal.catch(() => undefined); // its error is thrown below
  const early = await Promise.race([journal, sleep(JOURNAL_MS, undefined, { ref: false })]);
  const watermark = seenOf(early)?.watermark;
  const wanted = looking.back ?? wantedMinutes(watermark, now());
  // The journal knows the most shards that the table ever had.
  const shards = Math.max(subject.props.shards, watermark?.shards ?? 1);
  const minutes = minutesBack({ ...subject, shards }, wanted);
  const index = `arn:aws:dynamodb:${region}:*:table/${tableName}/index/${indexName}`;
  const look = () =>
    dynamoDb
      ? check('dynamodb:Query', index, () =>
          lookForOverdue(
            dynamoDb,
            { ...subject, shards },
            minutes,
            now,
            Math.min(LOOK_MS, limit.leftMs - SPARE_MS),
          ),
        )
      : notAsked('DynamoDB');
  const overdue = await lookTwice(look, subject, looking);
  const isSilent = 'notChecked' in overdue && overdue.notChecked.silent !== undefined;
  memory.silentSince = isSilent ? (memory.silentSince ?? at) : undefined;
  memory.hasAnswered ||= !isSilent;
  const machines = await shared.machines;
  const open = await shared.open;
  const names = tables.map(each => each.tableName);
  const known = await journal;
  return {
    stateMachine: 'seen' in machines ? { seen: machines.seen.get(name) } : machines,
    schedules: await shared.schedules,
    journal: known,
    open: open && 'seen' in open ? { seen: executionsOfTable(open.seen, tableName, names) } : open,
    overdue,
    trend: seenOf(overdue)?.unseen === null ? memory.trends.get(tableName)?.trend : undefined,
    silentSince: memory.silentSince,
    hasAnswered: memory.hasAnswered,
    gone: goneBy(seenOf(overdue) ?? undefined, { watermark: seenOf(known)?.watermark }),
    deadLetters: await shared.deadLetters,
    alarms: await shared.alarms,
  };
}

/** If items are overdue at the first look, reads the index a second time to see whether their number falls. */
async function lookTwice(
  look: () => Promise<Checked<OverdueLook>> | Checked<OverdueLook>,
  { props }: Subject,
  { limit, memory, now }: Looking,
): Promise<Checked<OverdueLook>> {
  const trends = memory.trends.get(props.tableName) ?? new Trends();
  const isFirst = !memory.trends.has(props.tableName);
  memory.trends.set(props.tableName, trends);
  const first = await look();
  const seen = seenOf(first);
  if (seen === null) return first;
  trends.add(seen, now());
  const isWorthIt = isFirst && seen.unseen === null && latenessOf(seen, props) !== undefined;
  if (!isWorthIt || limit.leftMs < MIN_MS + LOOK_MS + SPARE_MS) return first;
  await sleep(MIN_MS);
  const second = await look();
  const again = seenOf(second);
  if (again === null) return first;
  trends.add(again, now());
  return second;
}

/** Minutes to look back for a table without a watermark: two days, like the first tick. */
const UNKNOWN_MINUTES = 2_880;

/** The most minutes to look back, as with `--back`. */
const MAX_MINUTES = 44_640;

/** Minutes to look back: to the watermark. */
function wantedMinutes(watermark: Watermark | undefined, now: number): number {
  if (watermark === undefined) return UNKNOWN_MINUTES;
  return Math.min(MAX_MINUTES, Math.ceil((now / 1000 - watermark.gone + INDEX_SECONDS) / 60) + 1);
}
