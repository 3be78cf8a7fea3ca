import { count } from '../../lab/report/numbers.ts';
import { markdownTable } from '../live/format.ts';
import type { Machine } from '../live/machine.ts';

/** One look at the processes. */
export interface Sample {
  /** Of the process of `npx precise-ttl local`: the interpreter, the API, the proxies and the functions' threads. MB. */
  readonly residentMb: number;
  readonly threads: number;
  /** Of DynamoDB Local, a process of its own; 0 when it was not found. MB. */
  readonly dynamoDbMb: number;
}

/** A minute, or the rest of one. */
export interface MinuteOfSamples extends Sample {
  /** From 1. */
  readonly minute: number;
  /** The most of the minute, as every other number of the row. */
  readonly residentMb: number;
  /** Executions that ended in it. */
  readonly executions: number;
}

export interface MemoryResult {
  readonly machine: Machine;
  readonly settings: { readonly minutes: number; readonly concurrency: number; readonly items: number };
  /** Before the first execution. */
  readonly before: Sample;
  readonly minutes: readonly MinuteOfSamples[];
  /** A while after the last execution. */
  readonly idle: Sample & { readonly afterSeconds: number };
}

/** What resident memory may come to at most, MB. */
export const MOST_MB = 600;
/** How much more the second half of a run may hold than the first: what is more is a leak. */
const GROWTH = 1.1;
/** Shorter runs say nothing about growth: the heap is still warming up. */
const LEAST_MINUTES_TO_JUDGE_GROWTH = 10;

/** What is wrong with it, each a sentence. */
export function problemsOf({ minutes, idle }: MemoryResult): string[] {
  const most = Math.max(...minutes.map(({ residentMb }) => residentMb));
  const half = Math.floor(minutes.length / 2);
  const mean = (rows: readonly MinuteOfSamples[]) =>
    rows.reduce((sum, { residentMb }) => sum + residentMb, 0) / rows.length;
  const [first, second] = [mean(minutes.slice(0, half)), mean(minutes.slice(half))];
  const grows = minutes.length >= LEAST_MINUTES_TO_JUDGE_GROWTH && second > first * GROWTH;
  return [
    ...(most > MOST_MB ? [`it held ${count(most)} MB at most; expected at most ${MOST_MB}`] : []),
    ...(idle.residentMb > most ? [`it held more when idle (${count(idle.residentMb)} MB) than before`] : []),
    ...(grows
      ? [
          `it held ${count(Math.round(second))} MB on average in the second half, ${count(Math.round(first))} in the first; ` +
            `expected at most ${Math.round((GROWTH - 1) * 100)}% more`,
        ]
      : []),
  ];
}

/** A row for each minute, and how it stood before and after. */
export function memoryTable({ before, minutes, idle }: MemoryResult): string {
  const cells = ({ residentMb, threads, dynamoDbMb }: Sample) => [residentMb, threads, dynamoDbMb].map(count);
  return markdownTable(
    ['minute', 'executions', 'resident, MB', 'threads', 'DynamoDB Local, MB'],
    [
      ['before', '', ...cells(before)],
      ...minutes.map(row => [String(row.minute), count(row.executions), ...cells(row)]),
      [`idle for ${idle.afterSeconds} s`, '', ...cells(idle)],
    ],
  );
}
