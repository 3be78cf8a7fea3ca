import { FlagError } from '../../cli/flags.ts';
import type { Tally } from '../../lab/ledger/tally.ts';
import { type CumulativePoint, cumulative } from '../live/distribution.ts';
import { markdownTable, ratio } from '../live/format.ts';
import type { Machine } from '../live/machine.ts';
import { MEASURED_HEAD, type Measured, measured, measuredCells } from '../live/measured.ts';

/** The ways to delete that are compared, in the order they are shown in. */
export const MODES = {
  precise: 'precise-ttl to the second (precisionSeconds: 1)',
  plain: 'precise-ttl once a minute (precisionSeconds: 60)',
  published: 'published algorithm, once a minute',
} as const;

export type Mode = keyof typeof MODES;

/**
 * Reads a list of modes, `precise,plain`, into the order they are shown in.
 *
 * @throws {FlagError}
 */
export function parseModes(list: string): Mode[] {
  const wanted = list.split(',');
  const wrong = wanted.find(name => !Object.hasOwn(MODES, name));
  if (wrong !== undefined) {
    throw new FlagError(`--modes: expected some of ${Object.keys(MODES).join(',')}, got "${wrong}"`);
  }
  return (Object.keys(MODES) as Mode[]).filter(mode => wanted.includes(mode));
}

export interface ModeResult extends Measured {
  readonly mode: Mode;
  /** Share of the expired items that were deleted with at most a lag. */
  readonly cumulative: readonly CumulativePoint[];
}

/** What is written to `bench/results/lag.json`; the plot is drawn from this alone. */
export interface LagResult {
  readonly settings: {
    readonly minutes: number;
    /** Items per second and table. */
    readonly rate: number;
    readonly seed: number;
    /** How long after the last expiry what was left had time to go, seconds. */
    readonly waitedSeconds: number;
  };
  readonly machine: Machine;
  readonly modes: readonly ModeResult[];
}

const MAX_POINTS = 200;

export function modeResult(mode: Mode, tally: Tally, lags: readonly number[]): ModeResult {
  return { mode, ...measured(tally, lags), cumulative: cumulative(lags, tally.expired, MAX_POINTS) };
}

const HEAD = ['mode', ...MEASURED_HEAD, 'p50 ÷ plain', 'p99 ÷ plain', 'max ÷ plain'];

export function lagTable({ modes }: LagResult): string {
  const plain = modes.find(({ mode }) => mode === 'plain')?.lagMs;
  const rows = modes.map(({ mode, ...result }) => [
    MODES[mode],
    ...measuredCells(result),
    ratio(result.lagMs.p50, plain?.p50 ?? null),
    ratio(result.lagMs.p99, plain?.p99 ?? null),
    ratio(result.lagMs.max, plain?.max ?? null),
  ]);
  return markdownTable(HEAD, rows);
}
