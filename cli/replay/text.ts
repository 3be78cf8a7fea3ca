import { PRICES } from '../../cost/prices.ts';
import type { ShownKey } from '../../statemachine/contract.ts';
import { wordsOf } from '../../statemachine/counts.ts';
import { type CountRow, countTable } from '../count-table.ts';
import { shortKey } from '../print.ts';
import type { PieceResult } from './run-piece.ts';
import type { Span } from './span.ts';
import { REPLAYED, type Totals } from './totals.ts';

/** DynamoDB: an item of up to 1 KB, and its entry in the index. */
export const WRITE_UNITS_PER_ITEM = 2;

/** Keys of a dry run that are shown of each piece; the file has them all. */
const SHOWN_KEYS = 3;

export interface Facts {
  readonly span: Span;
  readonly endpoint: string;
  readonly region: string;
  readonly tables: readonly {
    readonly tableName: string;
    readonly stateMachine: string;
    /** Of each execution. */
    readonly maxDeletesPerSecond?: number;
  }[];
  readonly executions: number;
  readonly splitMinutes: number;
  readonly concurrency: number;
  readonly label: string;
  readonly dryRun: boolean;
}

/** What is about to happen, without anything of the account. */
export function describeFacts(facts: Facts): string {
  const { span, endpoint, region, tables, executions, splitMinutes, concurrency, label, dryRun } = facts;
  const rows = [
    ['expired in', `${iso(span.from)} to ${iso(span.to)} (not included)`],
    ['endpoint', `${endpoint}, region ${region}`],
    ...tables.map(({ tableName, stateMachine, maxDeletesPerSecond: limit }) => [
      'table',
      `${tableName}, state machine ${stateMachine}${limit === undefined ? '' : `, ${count(limit)} deletes per second and execution`}`,
    ]),
    ['executions', `${count(executions)}, of ${splitMinutes} minutes at most, ${concurrency} at a time`],
    ['run', label],
  ] as const;
  const what = dryRun
    ? 'Dry run of a replay: finds and counts, deletes nothing'
    : 'Replay: deletes what is expired';
  return [what, ...rows.map(([name, text]) => `  ${name?.padEnd(12)}${text}`)].join('\n');
}

/** One line for a piece that is through. */
export function describePiece(result: PieceResult, position: string, dryRun: boolean): string {
  const { piece, tableName, totals, status, doneBefore, execution, error, cause } = result;
  const line = `[${position}] ${tableName}  ${iso(piece.from)} to ${iso(piece.to)}  ${describeCounts(totals, dryRun)}`;
  if (status === 'SUCCEEDED') {
    const samples = result.sampleKeys.slice(0, SHOWN_KEYS).map(key => `\n    such as ${textOf(key)}`);
    return [line, doneBefore ? ' (done before)' : '', ...samples].join('');
  }
  const why = [error, cause].filter(text => text).join(': ');
  return `${line}\n    ${status} ${execution}: ${why.length > 300 ? `${why.slice(0, 300)}…` : why}`;
}

/** A key, or the hash that the functions reported in its place. */
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

/** Of a piece; the others only when there is something to count. */
const ALWAYS_SHOWN: ReadonlySet<string> = new Set<keyof Totals>(['found', 'deleted']);

export interface Outcome {
  readonly totals: Totals;
  readonly executions: {
    readonly planned: number;
    readonly done: number;
    /** Of those that are done: before this command ran. */
    readonly doneBefore: number;
    readonly failed: number;
  };
}

/** The totals as a table. */
export function describeOutcome({ totals, executions }: Outcome, dryRun: boolean): string {
  const { planned, done, doneBefore, failed } = executions;
  const units = totals.found * WRITE_UNITS_PER_ITEM;
  const dollars = (units * PRICES.dynamoDbWriteUnits).toFixed(4);
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
          ['write units', units, `at least, $${dollars} on demand in us-east-1, for a real run`],
        ] satisfies CountRow[])
      : REPLAYED.map((name): CountRow => [wordsOf(name), totals[name], ''])),
  ];
  return countTable(rows);
}

/** For who wonders why nothing was started. */
export function describeAllDone({ executions: { planned, doneBefore } }: Outcome): string | undefined {
  if (doneBefore < planned) return undefined;
  return 'All of it was done before. To sweep the span again (for what was written since), add --run LABEL.';
}

/** When a dry run counted: its result holds for that moment only. */
export function describeDryRun(results: readonly Pick<PieceResult, 'startedAt'>[]): string | undefined {
  const times = results.flatMap(({ startedAt }) => startedAt ?? []).sort();
  const [first, last] = [times.at(0), times.at(-1)].map(time => time?.replace(/\.\d+Z$/, 'Z'));
  if (first === undefined) return undefined;
  const when = first === last ? `at ${first}` : `from ${first} to ${last}`;
  return `Counted ${when}. A dry run counts again each time.`;
}

const count = (value: number): string => value.toLocaleString('en-US');

/** Whole seconds read better without their milliseconds. */
const iso = (epochSeconds: number): string =>
  new Date(epochSeconds * 1000).toISOString().replace('.000Z', 'Z');
