import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { checkConfig } from '../../stacks/config.ts';
import { type ResolvedProps, resolveProps } from '../../stacks/props.ts';
import type { OperatingClients } from '../aws/operating-clients.ts';
import { changeSchedules } from '../aws/schedules.ts';
import { requireStateMachines } from '../aws/state-machines.ts';
import type { StepFunctionsClient } from '../aws/step-functions.ts';
import { chooseTables } from '../choose-tables.ts';
import { describeDuration } from '../duration.ts';
import type { Invocation } from '../invocation.ts';
import type { JobEnd } from '../job-end.ts';
import { describePause } from '../pause/job.ts';
import { runReplay } from '../replay/job.ts';
import type { PieceResult } from '../replay/run-piece.ts';
import { limitOfInput } from '../schedule-limit.ts';
import {
  firingOf,
  isoSeconds,
  type Pause,
  pauseOf,
  schedulesOfTables,
  type TableSchedules,
} from '../schedules.ts';
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
  /** How the commands are called that it names. */
  readonly call: Invocation;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly print: (text: string) => void;
  /** Ends the command; the executions that were started go on. */
  readonly signal: AbortSignal;
}

/** A table, how it was found, and what it missed. */
interface Resumed {
  readonly found: TableSchedules;
  readonly was: Pause;
  /** Items are due so long after they expire. */
  readonly graceSeconds: number;
  readonly missed: MissedSpan | undefined;
}

/**
 * Turns the schedules on, all of them or none, and replays the time in which no sweep was started.
 *
 * @throws {FlagError}, {SchedulesNotFoundError}, {StateMachineNotFoundError}, {ScheduleChangeError}, or the SDK's error
 */
export async function resumeTables(options: ResumeOptions): Promise<JobEnd> {
  const { print, dryRun, signal } = options;
  const config = checkConfig(options.config);
  const { region } = config;
  const tables = chooseTables(config, options.table);
  const clients = options.connect(region);
  try {
    const found = await schedulesOfTables(clients.scheduler, region, tables);
    const names = found.map(({ name }) => name);
    const machines = await requireStateMachines(clients.sfn, names, clients.where);
    const resumed: Resumed[] = [];
    for (const each of found) {
      const table = tables.find(({ tableName }) => tableName === each.tableName);
      const { arn = '', createdAt } = machines.get(each.name) ?? {};
      const props = table && resolveProps(table);
      const longest = props === undefined ? 0 : longestGapMs(props);
      const missed = await missedSpan(clients.sfn, arn, createdAt, options.now(), longest);
      const was = pauseOf(each.schedules.map(firingOf), options.now());
      resumed.push({ found: each, was, graceSeconds: props?.graceSeconds ?? 0, missed });
    }
    print(dryRun ? 'Dry run of a resume: counts, changes and deletes nothing' : 'Resume');
    for (const each of resumed) print(`  table       ${describeMissed(each)}`);
    print(`  endpoint    ${clients.where()}, region ${region}`);

    if (!dryRun) {
      if (!clients.isLocal() && !(await options.confirm()))
        return signal.aborted ? 'interrupted' : 'declined';
      const change = { state: 'ENABLED', startDate: null } as const;
      const changes = found.flatMap(({ schedules }) => schedules.map(each => ({ found: each, change })));
      const changed = await changeSchedules(clients.scheduler, changes, options.now());
      print(
        changed === 0
          ? '\nThe schedules were on already.'
          : '\nThe schedules are on: the next tick comes within a minute.',
      );
    }
    return await replayAll(resumed, options);
  } finally {
    clients.destroy();
  }
}

/**
 * Between the starts of two ticks, milliseconds: the later one looks back as far. They are up to two minutes apart without any
 * having been missed, as Scheduler fires at any time within the minute.
 */
function longestGapMs({ lookbackMinutes }: ResolvedProps): number {
  return Math.max(lookbackMinutes, 3) * 60_000;
}

/** By hand, on the schedules; undefined for what the configuration says. */
function limitOf({ schedules }: TableSchedules): number | undefined {
  const limits = schedules.flatMap(({ Target }) => limitOfInput(Target?.Input) ?? []);
  return limits.length === 0 ? undefined : Math.min(...limits);
}

function describeMissed({ found, was, missed }: Resumed): string {
  const head = `${found.tableName}, ${describePause(was)}`;
  if (missed === undefined) return `${head}; no sweep was missed that the next tick does not make up for`;
  const length = describeDuration(missed.to - missed.from);
  return `${head}; no sweep from ${isoSeconds(missed.from)} to ${isoSeconds(missed.to)} (${length})`;
}

async function replayAll(resumed: readonly Resumed[], options: ResumeOptions): Promise<JobEnd> {
  const { print, dryRun, signal, config, now } = options;
  const results: object[] = [];
  const ends: JobEnd[] = [];
  for (const { found, was, graceSeconds, missed } of resumed) {
    const { tableName } = found;
    // A replay takes times of expiry.
    const due = missed && {
      from: isoSeconds(missed.from - graceSeconds * 1000),
      to: isoSeconds(missed.to - graceSeconds * 1000),
    };
    const pieces: PieceResult[] = [];
    let end: JobEnd | 'left' | 'nothing' = missed === undefined ? 'nothing' : 'left';
    if (missed !== undefined && due !== undefined && (options.replay || dryRun)) {
      print('');
      end = await runReplay({
        ...due,
        table: tableName,
        dryRun,
        splitMinutes: undefined,
        concurrency: 4,
        // What an operator has slowed down stays slow.
        maxPerSecond: limitOf(found),
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
      ends.push(end);
      const p99 = latest(pieces);
      if (p99 !== undefined) {
        print(
          `\n${tableName}: 99% of what expired meanwhile was deleted at most ${describeDuration(p99)} late.`,
        );
      }
    } else if (due !== undefined) {
      const span = `--table ${tableName} --from ${due.from} --to ${due.to}`;
      print(
        `\n${tableName}: what expired meanwhile is still there. Replay it with:\n  ${options.call('replay', span)}`,
      );
    }
    results.push({
      table: tableName,
      was: describePause(was),
      missed: missed === undefined ? null : { from: isoSeconds(missed.from), to: isoSeconds(missed.to) },
      replay: end,
      lagP99Ms: latest(pieces) ?? null,
      executions: pieces.map(({ execution, status, totals }) => ({ execution, status, ...totals })),
    });
    if (end === 'interrupted') break;
  }
  if (options.resultFile !== undefined) {
    writeFileSync(options.resultFile, `${JSON.stringify({ dryRun, tables: results }, null, 2)}\n`);
  }
  return (['interrupted', 'failed'] as const).find(end => ends.includes(end)) ?? 'done';
}

/** The same for the same time, however long it has become: a resume that was interrupted goes on where it was. */
function labelOf({ from }: MissedSpan): string {
  return `resume-${createHash('sha256').update(isoSeconds(from)).digest('hex').slice(0, 8)}`;
}

/** The p99 of the piece whose p99 is the largest, milliseconds; undefined when nothing was deleted. */
function latest(pieces: readonly PieceResult[]): number | undefined {
  const each = pieces.flatMap(({ lagP99Ms }) => lagP99Ms ?? []);
  return each.length === 0 ? undefined : Math.max(...each);
}
