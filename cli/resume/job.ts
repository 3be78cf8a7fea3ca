import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { type SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { checkConfig } from '../../config/config.ts';
import { endHandOver, renewHandOver, takeHandOver } from '../../functions/journal/hand-overs.ts';
import { type Pause, pauseOf, TAKEN_SECONDS } from '../../functions/journal/layout.ts';
import { resumeTable } from '../../functions/journal/operator-settings.ts';
import { noteReplayed } from '../../functions/journal/write-watermarks.ts';
import type { TickInput } from '../../statemachine/contract.ts';
import type { OperatingClients } from '../aws/operating-clients.ts';
import { findStateMachines } from '../aws/state-machines.ts';
import type { StepFunctionsClient } from '../aws/step-functions.ts';
import { chooseTables } from '../choose-tables.ts';
import { commandLine } from '../command-line.ts';
import { describeDuration } from '../duration.ts';
import { isoSeconds } from '../iso-seconds.ts';
import type { JobEnd } from '../job-end.ts';
import { inJournal, type JournaledTable, readJournals } from '../journals.ts';
import { describePause } from '../pause/describe-pause.ts';
import { replayMachines } from '../pause/job.ts';
import { runReplay } from '../replay/job.ts';
import type { PieceResult } from '../replay/run-piece.ts';
import { permitted } from '../table/permitted.ts';
import { type MissedSpan, missedSpan } from './missed-span.ts';

export interface ResumeOptions {
  /** What `precise-ttl.config.ts` exports. */
  readonly config: unknown;
  /** @default all tables of the configuration */
  readonly table: string | undefined;
  /** Whether what was missed is replayed. */
  readonly replay: boolean;
  /** Only counts what would be replayed. */
  readonly dryRun: boolean;
  readonly resultFile: string | undefined;
  /** Called when all of the above has been found right. */
  readonly connect: (region: string) => OperatingClients;
  /** For each replay. */
  readonly connectReplay: (region: string) => StepFunctionsClient;
  /** Asked before anything is changed anywhere but on this machine. */
  readonly confirm: () => Promise<boolean>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly print: (text: string) => void;
  /** Ends the command; the executions that were started go on. */
  readonly signal: AbortSignal;
}

/** A table, how it was found, and what it missed. */
interface Resumed extends JournaledTable {
  /** Undefined when it was not paused. */
  readonly was: Pause | undefined;
  readonly missed: MissedSpan | undefined;
}

/**
 * Ends the pauses of tables, and replays what has expired meanwhile.
 *
 * 1. The pause ends. The next tick of the schedule sweeps the table again, and owns the second minute after its own.
 * 2. What expires until then is nobody's: a tick is started by hand which owns it.
 * 3. What was missed is taken from the ticks, as a tick hands a backlog over, and replayed. When the command ends, however it does, the
 *    ticks have it again.
 *
 * @throws {FlagError}, {JournalNotFoundError}, {StateMachineNotFoundError}, {MissingPermissionError}, or the SDK's error
 */
export async function resumeTables(options: ResumeOptions): Promise<JobEnd> {
  const { print, dryRun, signal } = options;
  const config = checkConfig(options.config);
  const { region } = config;
  const tables = chooseTables(config, options.table);
  const clients = options.connect(region);
  try {
    const journaled = await readJournals(clients.dynamoDb, region, tables);
    const ticks = [...new Set(journaled.map(({ props }) => props.sweep))];
    const machines = await findStateMachines(
      clients.sfn,
      [...ticks, ...replayMachines(journaled)],
      clients.where,
    );
    const resumed = journaled.map(table => resumedOf(table, options.now()));
    print(dryRun ? 'Dry run of a resume: counts, changes and deletes nothing' : 'Resume');
    for (const each of resumed) print(`  table       ${describeMissed(each)}`);
    print(`  endpoint    ${clients.where()}, region ${region}`);

    if (!dryRun) {
      if (!clients.isLocal() && !(await options.confirm()))
        return signal.aborted ? 'interrupted' : 'declined';
      const wasPaused = await endPauses(resumed, options);
      const replayed = options.replay ? resumed.filter(({ missed }) => missed !== undefined) : [];
      return await besideTicks(replayed, options, async () => {
        await startTicks(wasPaused, clients.sfn, machines, options);
        print(`\n${wasPaused.length === 0 ? 'Nothing was paused.' : RESUMED}`);
        return replayAll(resumed, options);
      });
    }
    return await replayAll(resumed, options);
  } finally {
    clients.destroy();
  }
}

function resumedOf(table: JournaledTable, now: number): Resumed {
  const { props, state } = table;
  const { tableName } = props;
  const was = pauseOf(state.control.pauses[tableName], now);
  const watermark = state.watermarks.tables[tableName];
  return { ...table, was, missed: missedSpan({ ...props, watermark, pause: was }, now) };
}

const RESUMED = 'The pause has ended: a tick was started for what expires from now on.';

/** @returns those that were paused */
async function endPauses(resumed: readonly Resumed[], { now }: ResumeOptions): Promise<Resumed[]> {
  const wasPaused: Resumed[] = [];
  for (const table of resumed) {
    const { props, journal } = table;
    const pause = await inJournal('dynamodb:UpdateItem', journal, () =>
      resumeTable(journal, props.tableName, now()),
    );
    if (pause !== undefined) wasPaused.push(table);
  }
  return wasPaused;
}

/** One for each deployment. */
async function startTicks(
  tables: readonly Resumed[],
  sfn: SFNClient,
  machines: ReadonlyMap<string, string>,
  { now }: ResumeOptions,
): Promise<void> {
  for (const [sweep, own = []] of Object.entries(Object.groupBy(tables, ({ props }) => props.sweep))) {
    const stateMachineArn = machines.get(sweep) ?? '';
    const input: TickInput = {
      scheduledTime: new Date(now()).toISOString(),
      tables: own.map(({ props }) => props.tableName),
      fromNow: true,
    };
    const start = { stateMachineArn, name: newName(), input: JSON.stringify(input) };
    await permitted('states:StartExecution', stateMachineArn, () =>
      sfn.send(new StartExecutionCommand(start)),
    );
  }
}

/** A command that was killed leaves what it had to the ticks after {@link TAKEN_SECONDS}. */
const RENEW_MS = 60_000;

/** Takes what tables have missed from their ticks while something else sweeps it. */
async function besideTicks<Result>(
  tables: readonly Resumed[],
  { now }: ResumeOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const execution = newName();
  const each = (change: (table: Resumed) => Promise<unknown>) =>
    Promise.all(tables.map(table => inJournal('dynamodb:UpdateItem', table.journal, () => change(table))));
  // Another execution may have it already: then both sweep, which does no harm.
  await each(({ journal, props, missed }) =>
    takeHandOver(journal, props.tableName, { before: missed?.to ?? 0, execution, nowMs: now() }),
  );
  const timer = setInterval(() => {
    const lease = { execution, nowMs: now(), forSeconds: TAKEN_SECONDS };
    // Without it the ticks do the same work, too.
    each(({ journal, props }) => renewHandOver(journal, props.tableName, lease)).catch(() => undefined);
  }, RENEW_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await each(({ journal, props }) => endHandOver(journal, props.tableName, execution));
  }
}

/** Nothing of the span is left: the ticks go on from there. */
async function noteDone(
  { props: { tableName }, journal }: Resumed,
  { from, to }: MissedSpan,
  { now }: ResumeOptions,
): Promise<void> {
  const endedAt = new Date(now()).toISOString();
  await inJournal('dynamodb:UpdateItem', journal, () => noteReplayed(journal, tableName, from, to, endedAt));
}

const newName = (): string => `resume-${randomBytes(8).toString('hex')}`;

function describeMissed({ props, was, missed, state }: Resumed): string {
  const { tableName, graceSeconds } = props;
  const head = `${tableName}, ${describePause(was)}`;
  if (missed === undefined) {
    return state.watermarks.tables[tableName] === undefined && was === undefined
      ? `${head}; no tick has swept it yet`
      : `${head}; nothing was missed that the ticks do not make up for`;
  }
  // Times of the clock: an item is due a grace after it has expired.
  const [from, to] = [missed.from, missed.to].map(seconds => (seconds + graceSeconds) * 1_000);
  const length = describeDuration((missed.to - missed.from) * 1_000);
  return `${head}; not swept: what was due from ${isoSeconds(from ?? 0)} to ${isoSeconds(to ?? 0)} (${length})`;
}

async function replayAll(resumed: readonly Resumed[], options: ResumeOptions): Promise<JobEnd> {
  const { print, dryRun } = options;
  const results: object[] = [];
  const ends: JobEnd[] = [];
  for (const table of resumed) {
    const { props, was, missed } = table;
    const { tableName } = props;
    const pieces: PieceResult[] = [];
    let end: JobEnd | 'left' | 'nothing' = missed === undefined ? 'nothing' : 'left';
    if (missed !== undefined && (options.replay || dryRun)) {
      end = await replay(table, missed, pieces, options);
      if (end === 'done' && !dryRun) await noteDone(table, missed, options);
    } else if (missed !== undefined) {
      const { from, to } = isoSpan(missed);
      const span = `--table ${tableName} --from ${from} --to ${to}`;
      print(
        `\n${tableName}: what expired meanwhile is left to the ticks, as far as they look back. Replay it with:\n  ${commandLine('replay', span)}`,
      );
    }
    if (end !== 'left' && end !== 'nothing') ends.push(end);
    const p99 = latest(pieces);
    if (p99 !== undefined) {
      print(
        `\n${tableName}: 99% of what expired meanwhile was deleted at most ${describeDuration(p99)} late.`,
      );
    }
    results.push({
      table: tableName,
      was: describePause(was),
      missed: missed === undefined ? null : isoSpan(missed),
      replay: end,
      lagP99Ms: p99 ?? null,
      executions: pieces.map(({ execution, status, totals }) => ({ execution, status, ...totals })),
    });
    if (end === 'interrupted') break;
  }
  if (options.resultFile !== undefined) {
    writeFileSync(options.resultFile, `${JSON.stringify({ dryRun, tables: results }, null, 2)}\n`);
  }
  return (['interrupted', 'failed'] as const).find(end => ends.includes(end)) ?? 'done';
}

async function replay(
  { props: { tableName }, state }: Resumed,
  missed: MissedSpan,
  pieces: PieceResult[],
  options: ResumeOptions,
): Promise<JobEnd> {
  const { config, dryRun, print, signal, now } = options;
  print('');
  return runReplay({
    ...isoSpan(missed),
    table: tableName,
    dryRun,
    splitMinutes: undefined,
    concurrency: 4,
    // What an operator has slowed down stays slow.
    maxPerSecond: state.control.limits[tableName],
    label: labelOf(missed),
    resultFile: undefined,
    config,
    connect: options.connectReplay,
    confirm: async () => true,
    now: now(),
    print,
    signal,
    onPiece: piece => pieces.push(piece),
  });
}

const isoSpan = ({ from, to }: MissedSpan) => ({
  from: isoSeconds(from * 1_000),
  to: isoSeconds(to * 1_000),
});

/** The same for the same time, however long it has become: a resume that was interrupted goes on where it was. */
function labelOf({ from }: MissedSpan): string {
  return `resume-${createHash('sha256').update(String(from)).digest('hex').slice(0, 8)}`;
}

/** The p99 of the piece whose p99 is the largest, milliseconds; undefined when nothing was deleted. */
function latest(pieces: readonly PieceResult[]): number | undefined {
  const each = pieces.flatMap(({ lagP99Ms }) => lagP99Ms ?? []);
  return each.length === 0 ? undefined : Math.max(...each);
}
