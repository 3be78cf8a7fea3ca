import { setTimeout as sleep } from 'node:timers/promises';
import type { Watermark } from '../../functions/journal/layout.ts';
import { checkConfig } from '../../stacks/config.ts';
import { type Deployment, deploymentsOf } from '../../stacks/deployments.ts';
import { deadLetterQueueOf, replayName } from '../../stacks/names.ts';
import { resolveProps } from '../../stacks/props.ts';
import { executionArnOf } from '../aws/executions.ts';
import { openExecutions } from '../aws/open-executions.ts';
import { listStateMachines } from '../aws/state-machines.ts';
import { TimeLimit } from '../aws/time-limit.ts';
import { chooseTables } from '../choose-tables.ts';
import { type Checked, check, notAsked, seenOf } from '../deployment/check.ts';
import type { DeploymentClients } from '../deployment/clients.ts';
import { observeAlarms } from '../deployment/observe-alarms.ts';
import { observeQueue, observeSchedules } from '../deployment/observe-deployment.ts';
import { observeState, observeTable } from '../deployment/observe-journal.ts';
import { type Subject, subjectsOf } from '../deployment/subject.ts';
import { inParallel } from '../in-parallel.ts';
import type { Invocation } from '../invocation.ts';
import { journalAt } from '../journals.ts';
import { executionsOfTable } from '../replay/pieces.ts';
import { goneBy } from './gone.ts';
import { type Judged, judge, type Verdict, worst } from './judge.ts';
import { LOOK_MS, lookForOverdue, minutesBack } from './overdue.ts';
import type { SeenTable } from './seen-table.ts';

export interface StatusJobOptions {
  /** What the configuration file exports. */
  readonly config: unknown;
  /** @default all tables of the configuration */
  readonly table: string | undefined;
  /** Minutes that the index is read back. @default the table's lookback, or to its watermark */
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
  const deployments = deploymentsOf(config.tables.map(resolveProps));
  const limit = new TimeLimit(LOOK_SECONDS + Math.max(0, tables.length - QUICK_TABLES));
  const clients = options.connect(region, limit);
  const subjects = subjectsOf(config, tables, options.call);
  return {
    async look(spentMs) {
      const at = options.now();
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
        const looked = await lookAtTable(subject, clients, of, limit, options);
        seen[index] = { subject, seen: looked, judged: judge(looked, subject, options.now()) };
      };
      const { signal } = new AbortController();
      await inParallel([...subjects.entries()], CONCURRENCY, lookAt, signal).finally(() => limit.stop());
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

/** What the tables of a deployment share: asked once, all at once. One service that does not answer costs no time for asking the others. */
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
  // What they throw, they throw where a table needs it.
  for (const each of [...Object.values(shared), open]) Promise.resolve(each).catch(() => undefined);
  return { ...shared, open };
}

type Shared = ReturnType<typeof lookAtDeployment>;

/** Open executions that are asked for. */
const OPEN = 100;

/** Undefined where it is known that there is no state machine. */
async function openReplays(sfn: DeploymentClients['sfn'], machines: Promise<Machines>, name: string) {
  const found = await machines;
  if (sfn === undefined || 'notChecked' in found) return found as Extract<Machines, { notChecked: object }>;
  const { arn } = found.seen.get(replayName(name)) ?? {};
  if (arn === undefined) return undefined;
  return check('states:ListExecutions', executionArnOf(arn, '*'), () => openExecutions(sfn, arn, OPEN));
}

type Machines = Checked<Awaited<ReturnType<typeof listStateMachines>>>;

/** A failure is told of for so long, milliseconds. */
const FAILURE_MS = 60 * 60 * 1000;

/** The index is read without the journal when that takes longer, milliseconds. */
const JOURNAL_MS = 2_000;

async function lookAtTable(
  subject: Subject,
  { dynamoDb }: DeploymentClients,
  shared: Shared,
  limit: TimeLimit,
  options: StatusJobOptions,
): Promise<SeenTable> {
  const { props, deployment, region } = subject;
  const { name, tables } = deployment;
  const { tableName, indexName } = props;
  const journal = shared.journal
    ? shared.state.then(state =>
        observeTable(shared.journal as NonNullable<Shared['journal']>, state, tableName, {
          now: options.now(),
          sinceMs: FAILURE_MS,
          mostFailures: 1,
        }),
      )
    : Promise.resolve(notAsked('DynamoDB'));
  journal.catch(() => undefined); // what it throws, it throws below
  const early = await Promise.race([journal, sleep(JOURNAL_MS, undefined, { ref: false })]);
  const wanted = options.back ?? wantedMinutes(subject, seenOf(early)?.watermark, options.now());
  const minutes = minutesBack(subject, wanted);
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
  const machines = await shared.machines;
  const open = await shared.open;
  const names = tables.map(each => each.tableName);
  const handOvers = seenOf(await shared.state)?.control.handOvers ?? {};
  const known = await journal;
  return {
    stateMachine: 'seen' in machines ? { seen: machines.seen.get(name) } : machines,
    schedules: await shared.schedules,
    journal: known,
    open: open && 'seen' in open ? { seen: executionsOfTable(open.seen, tableName, names, handOvers) } : open,
    overdue,
    gone: goneBy(seenOf(overdue) ?? undefined, seenOf(known)?.watermark),
    deadLetters: await shared.deadLetters,
    alarms: await shared.alarms,
  };
}

/** As far as a tick looks back; further when the watermark lies before, but no further than a reconcile. */
function wantedMinutes({ props }: Subject, watermark: Watermark | undefined, now: number): number {
  const { lookbackMinutes, reconcileHours, graceSeconds } = props;
  const most = reconcileHours * 60;
  if (watermark === undefined) return most;
  const behind = Math.ceil((now / 1000 - graceSeconds - watermark.gone) / 60) + 1;
  return Math.min(most, Math.max(lookbackMinutes, behind));
}
