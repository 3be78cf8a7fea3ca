import { createHash, randomBytes } from 'node:crypto';
import { StartExecutionCommand } from '@aws-sdk/client-sfn';
import { toEpochSeconds } from '../../expiry/ttl.ts';
import { endHandOver, renewHandOver, takeHandOver } from '../../functions/journal/hand-overs.ts';
import {
  INDEX_SECONDS,
  type Pause,
  pauseOf,
  TAKEN_SECONDS,
  type Watermark,
} from '../../functions/journal/layout.ts';
import { resumeTable } from '../../functions/journal/operator-settings.ts';
import { noteReplayed } from '../../functions/journal/write-watermarks.ts';
import type { TickInput } from '../../statemachine/contract/inputs.ts';
import { countEach } from '../../statemachine/counts.ts';
import type { With } from '../aws/clients.ts';
import { permitted } from '../aws/errors.ts';
import { findStateMachines } from '../aws/executions.ts';
import type {
  MissedOfTable,
  ReplayedPiece,
  ReplayResult,
  ResumedTable,
  ResumeOptions,
  ResumeResult,
  Span,
} from '../changes.ts';
import { chooseTables } from '../deployment/subject.ts';
import { StoppedError } from '../errors.ts';
import { inJournal, type JournaledTable, readJournals } from '../journals.ts';
import type { Prepared } from '../options.ts';
import { replayMachines } from '../pause.ts';
import { prepareReplay, replayEnd } from '../replay/replay.ts';
import { REPLAYED } from '../replay/totals.ts';
import { isoSeconds } from '../times.ts';

export interface KnownOfTable {
  /** The watermark up to which ticks have swept the table; undefined before the first tick. */
  readonly watermark: Watermark | undefined;
  /** Undefined if the table is not paused, or if the pause has ended. */
  readonly pause: Pause | undefined;
  /** Minutes that a tick searches back. */
  readonly lookbackMinutes: number;
}

/** Normal distance between now and the watermark of a table that is being swept, seconds: the last ticks are still working. */
const USUAL_SECONDS = 180;

/**
 * The span of a table that has to be replayed so that no expired item is left: everything since its watermark. It depends on what
 * was swept and not on the time of the pause, so it is also correct after two pauses in a row, after a pause that ended by itself,
 * and when it is calculated again. Only a table without a watermark is replayed from the start of its pause. If a table is no longer
 * paused, a span that its ticks still search is not replayed.
 *
 * @param now epoch milliseconds
 * @returns undefined if the ticks sweep what was missed
 */
export function missedSpan(
  { watermark, pause, lookbackMinutes }: KnownOfTable,
  now: number,
): Span | undefined {
  const gone = watermark?.gone ?? (pause && toEpochSeconds(Date.parse(pause.since)) - 1);
  if (gone === undefined) return undefined;
  // Some entries appear late in the index: the last tick could not see them.
  const span = { from: gone + 1 - INDEX_SECONDS, to: toEpochSeconds(now) };
  const usual = pause === undefined ? Math.max(lookbackMinutes * 60, USUAL_SECONDS) : USUAL_SECONDS;
  return span.to - span.from > usual ? span : undefined;
}

/** A table, its state before the resume, and the span that it missed. */
interface Resumed extends JournaledTable {
  readonly was: Pause | undefined;
  readonly missed: Span | undefined;
}

type Given = ResumeOptions & With<'dynamoDb' | 'sfn' | 'where'>;
type Settled = Given & Required<Pick<ResumeOptions, 'now' | 'onProgress' | 'signal' | 'dryRun' | 'replay'>>;

/**
 * Prepares the end of the pauses of tables, and the replay of what expired during them.
 *
 * 1. The pause ends. The next scheduled tick sweeps the table again. That tick owns a minute that begins one minute after the tick's
 *    time: it deletes the items that expire in that minute.
 * 2. No scheduled tick owns the time before that minute, so this command starts a tick that owns it.
 * 3. A hand-over takes the missed span from the ticks while it is replayed. It ends together with the resume, even after an error,
 *    and the ticks own the span again.
 *
 * @throws {InputError}, {JournalNotFoundError}, {StateMachineNotFoundError}, {MissingPermissionError}, or the SDK's error
 */
export async function prepareResume(given: Given): Promise<Prepared<readonly MissedOfTable[], ResumeResult>> {
  const options: Settled = {
    ...{ replay: true, dryRun: false, now: Date.now, onProgress() {}, signal: new AbortController().signal },
    ...given,
  };
  const { clients, config, dryRun, now, onProgress } = options;
  const tables = chooseTables(config, options.table);
  const journaled = await readJournals(clients.dynamoDb, config.region, tables);
  const ticks = [...new Set(journaled.map(({ props }) => props.sweep))];
  const names = [...ticks, ...replayMachines(journaled)];
  const machines = await findStateMachines(clients.sfn, names, clients.where);
  const resumed = journaled.map(table => resumedOf(table, now()));
  return {
    facts: resumed.map(({ props: { tableName: table }, was, missed, state }) => {
      const isSwept = state.watermarks.tables[table] !== undefined;
      return { table, was, missed, isSwept };
    }),
    async apply() {
      if (dryRun) return replayAll(resumed, options);
      const wasPaused = await endPauses(resumed, options);
      const replayed = options.replay ? resumed.filter(({ missed }) => missed !== undefined) : [];
      return besideTicks(replayed, options, async () => {
        await startTicks(wasPaused, machines, options);
        onProgress({ at: 'resumed', tables: wasPaused.map(({ props }) => props.tableName) });
        return replayAll(resumed, options);
      });
    },
  };
}

function resumedOf(table: JournaledTable, now: number): Resumed {
  const { props, state } = table;
  const { tableName } = props;
  const was = pauseOf(state.control.pauses[tableName], now);
  const watermark = state.watermarks.tables[tableName];
  return { ...table, was, missed: missedSpan({ ...props, watermark, pause: was }, now) };
}

/** @returns the tables that were paused */
async function endPauses(resumed: readonly Resumed[], { now }: Settled): Promise<Resumed[]> {
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

/** Starts one tick for each deployment. */
async function startTicks(
  tables: readonly Resumed[],
  machines: ReadonlyMap<string, string>,
  { clients: { sfn }, now }: Settled,
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

/** Interval for renewing the hand-over. If the command is killed, the ticks own the span again after {@link TAKEN_SECONDS}. */
const RENEW_MS = 60_000;

/** Takes the missed spans of tables from their ticks for the duration of some work. */
async function besideTicks<Result>(
  tables: readonly Resumed[],
  { now }: Settled,
  work: () => Promise<Result>,
): Promise<Result> {
  const execution = newName();
  const each = (change: (table: Resumed) => Promise<unknown>) =>
    Promise.all(tables.map(table => inJournal('dynamodb:UpdateItem', table.journal, () => change(table))));
  // Another execution may have the hand-over already: then both sweep the span, which does no harm.
  await each(({ journal, props, missed }) =>
    takeHandOver(journal, props.tableName, { before: missed?.to ?? 0, execution, nowMs: now() }),
  );
  const timer = setInterval(() => {
    const lease = { execution, nowMs: now(), forSeconds: TAKEN_SECONDS };
    // If the renewal fails, the ticks sweep the span too, which does no harm.
    each(({ journal, props }) => renewHandOver(journal, props.tableName, lease)).catch(() => undefined);
  }, RENEW_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await each(({ journal, props }) => endHandOver(journal, props.tableName, execution));
  }
}

/** Moves the watermark past the span, which was swept completely. */
async function noteDone(
  { props: { tableName }, journal }: Resumed,
  { from, to }: Span,
  { now }: Settled,
): Promise<void> {
  const endedAt = new Date(now()).toISOString();
  await inJournal('dynamodb:UpdateItem', journal, () => noteReplayed(journal, tableName, from, to, endedAt));
}

const newName = (): string => `resume-${randomBytes(8).toString('hex')}`;

async function replayAll(resumed: readonly Resumed[], options: Settled): Promise<ResumeResult> {
  const { dryRun, onProgress } = options;
  const tables: ResumedTable[] = [];
  for (const table of resumed) {
    const { props, was = null, missed } = table;
    const result =
      missed === undefined || !(options.replay || dryRun)
        ? undefined
        : await replay(table.props.tableName, missed, options);
    const pieces = result?.pieces ?? [];
    const end = result === undefined ? undefined : replayEnd(result);
    if (end === 'done' && missed !== undefined && !dryRun) await noteDone(table, missed, options);
    const done: ResumedTable = {
      ...{ table: props.tableName, was },
      missed: missed === undefined ? null : isoSpan(missed),
      replay: end ?? (missed === undefined ? 'nothing' : 'left'),
      lagP99Ms: latest(pieces),
      executions: pieces.map(piece => ({
        ...{ execution: piece.execution, status: piece.status },
        ...countEach(REPLAYED, name => piece[name]),
      })),
    };
    tables.push(done);
    onProgress({ at: 'table', table: done });
    if (end === 'interrupted') break;
  }
  return { dryRun, tables };
}

async function replay(
  tableName: string,
  missed: Span,
  { config, clients, dryRun, signal, now, onProgress }: Settled,
): Promise<ReplayResult> {
  const { facts, apply } = await prepareReplay({
    ...isoSpan(missed),
    ...{ config, clients, dryRun, signal },
    table: tableName,
    run: labelOf(missed),
    now,
    onPiece: (piece, number, planned) => onProgress({ at: 'piece', piece, number, planned }),
  });
  onProgress({ at: 'replay', facts });
  const result = await apply().catch((error: unknown) => {
    // The partial result is not needed: the executions themselves store what was done.
    throw error instanceof StoppedError ? error.cause : error;
  });
  onProgress({ at: 'replayed', result });
  return result;
}

const isoSpan = ({ from, to }: Span) => ({
  from: isoSeconds(from * 1_000),
  to: isoSeconds(to * 1_000),
});

/**
 * The label of a replay. It depends only on the start of the span, so that an interrupted resume continues its replay although the
 * span has become longer.
 */
function labelOf({ from }: Span): string {
  return `resume-${createHash('sha256').update(String(from)).digest('hex').slice(0, 8)}`;
}

/** The largest p99 of all pieces, milliseconds; null if nothing was deleted. */
function latest(pieces: readonly ReplayedPiece[]): number | null {
  const each = pieces.flatMap(({ lagP99Ms }) => lagP99Ms ?? []);
  return each.length === 0 ? null : Math.max(...each);
}
