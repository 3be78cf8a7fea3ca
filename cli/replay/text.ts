import type { PieceResult, ReplayFacts, ReplayOutcome, ReplayResult } from '../../operate/changes.ts';
import { REPLAYED, type Totals, WRITE_UNITS_PER_ITEM } from '../../operate/replay/totals.ts';
import type { ShownKey } from '../../statemachine/contract/keys.ts';
import { wordsOf } from '../../statemachine/counts.ts';
import { type CountRow, count, countTable } from '../numbers.ts';
import { shortKey } from '../print.ts';

/** Keys of a dry run that are shown for each piece; the file contains all keys. */
const SHOWN_KEYS = 3;

/** Describes a replay before it starts, without anything that names the account. */
export function describeFacts(facts: ReplayFacts, dryRun: boolean) {
  const { span, tables, executions, splitMinutes, concurrency, label } = facts;
  return {
    title: dryRun
      ? 'Dry run of a replay: finds and counts, deletes nothing'
      : 'Replay: deletes what is expired',
    rows: [
      ['expired in', `${iso(span.from)} to ${iso(span.to)} (not included)`],
      ...tables.map(
        ({ tableName, stateMachine, maxDeletesPerSecond: limit }) =>
          [
            'table',
            `${tableName}, state machine ${stateMachine}${limit === undefined ? '' : `, ${count(limit)} deletes per second and execution`}`,
          ] as const,
      ),
      ['executions', `${count(executions)}, of ${splitMinutes} minutes at most, ${concurrency} at a time`],
      ['run', label],
    ] as const,
  };
}

/** Reports a completed piece on one line. */
export function describePiece(result: PieceResult, position: string, dryRun: boolean): string {
  const { piece, tableName, totals, status, doneBefore, execution, error, cause } = result;
  const line = `[${position}] ${tableName}  ${iso(piece.from)} to ${iso(piece.to)}  ${describeCounts(totals, dryRun)}`;
  if (status === 'SUCCEEDED' && totals.leftForLater > 0)
    return `${line}\n    the table is paused: ${execution} left the rest`;
  if (status === 'SUCCEEDED') {
    const samples = result.sampleKeys.slice(0, SHOWN_KEYS).map(key => `\n    such as ${textOf(key)}`);
    return [line, doneBefore ? ' (done before)' : '', ...samples].join('');
  }
  const why = [error, cause].filter(text => text).join(': ');
  return `${line}\n    ${status} ${execution}: ${why.length > 300 ? `${why.slice(0, 300)}…` : why}`;
}

/** The text of a key, or of the hash that the functions reported instead. */
const textOf = (key: ShownKey): string => shortKey(typeof key === 'string' ? key : JSON.stringify(key));

function describeCounts(totals: Totals, dryRun: boolean) {
  const { found } = totals;
  if (dryRun) {
    return `found ${count(found)}, a real run consumes at least ${count(found * WRITE_UNITS_PER_ITEM)} write units`;
  }
  return REPLAYED.filter(name => ALWAYS_SHOWN.has(name) || totals[name] > 0)
    .map(name => `${wordsOf(name)} ${count(totals[name])}`)
    .join(', ');
}

/** Counts of a piece that are always shown; other counts are shown only if they are not 0. */
const ALWAYS_SHOWN: ReadonlySet<string> = new Set<keyof Totals>(['found', 'deleted']);

/** The result of a replay, and the next steps. */
export function describeResult(result: ReplayResult): string {
  const { dryRun, pieces } = result;
  const note = dryRun ? describeDryRun(pieces) : describeAllDone(result);
  return [describeOutcome(result, dryRun), ...(note === undefined ? [] : [note])].join('\n\n');
}

/** The totals as a table. */
export function describeOutcome({ totals, executions }: ReplayOutcome, dryRun: boolean): string {
  const { planned, done, doneBefore, failed } = executions;
  const units = totals.found * WRITE_UNITS_PER_ITEM;
  const rows: CountRow[] = [
    [
      'executions done',
      done,
      `of ${count(planned)}${doneBefore > 0 ? `, ${count(doneBefore)} of them before` : ''}`,
    ],
    ['executions failed', failed, ''],
    ...(dryRun
      ? ([
          ['found', totals.found, ''],
          ['write units', units, 'at least, for a real run'],
        ] satisfies CountRow[])
      : REPLAYED.map((name): CountRow => [wordsOf(name), totals[name], ''])),
  ];
  return countTable(rows);
}

/** Explains why no execution was started. */
export function describeAllDone({ executions: { planned, doneBefore } }: ReplayOutcome): string | undefined {
  if (doneBefore < planned) return undefined;
  return 'All of it was done before. To sweep the span again (for what was written since), add --run LABEL.';
}

/** Says when a dry run counted: its result is valid only for that moment. */
export function describeDryRun(results: readonly Pick<PieceResult, 'startedAt'>[]): string | undefined {
  const times = results.flatMap(({ startedAt }) => startedAt ?? []).sort();
  const [first, last] = [times.at(0), times.at(-1)].map(time => time?.replace(/\.\d+Z$/, 'Z'));
  if (first === undefined) return undefined;
  const when = first === last ? `at ${first}` : `from ${first} to ${last}`;
  return `Counted ${when}. A dry run counts again each time.`;
}

/** Leaves out the milliseconds of a whole second. */
const iso = (epochSeconds: number): string =>
  new Date(epochSeconds * 1000).toISOString().replace('.000Z', 'Z');
