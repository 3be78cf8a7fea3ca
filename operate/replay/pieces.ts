import { randomBytes } from 'node:crypto';
import { shortHash } from '../aws/executions-of-table.ts';
import { InputError } from '../input-error.ts';
import type { Span } from './span.ts';

/** More executions than this are somebody's typing error, or a case for longer pieces. */
export const MAX_PIECES = 10_000;

/** Minutes that one execution sweeps, and executions of a table beyond which each of them sweeps more. */
const PIECE_MINUTES = 60;
const FEW_PIECES = 1_000;

/**
 * Into how long pieces a span is cut when nobody says so: an hour, and for a long span as much more as keeps their number low.
 *
 * @param most minutes that one execution can take
 */
export function usualSplit({ from, to }: Span, most: number): number {
  const wanted = Math.ceil((to - from) / 60 / (FEW_PIECES - 1));
  return Math.min(Math.max(PIECE_MINUTES, wanted), Math.floor(most));
}

/**
 * Cuts a span at the multiples of `splitMinutes` of the clock, so that the same span always gives the same pieces.
 *
 * @throws {InputError} when there would be too many
 */
export function splitSpan({ from, to }: Span, splitMinutes: number): Span[] {
  const length = splitMinutes * 60;
  const count = Math.ceil(to / length) - Math.floor(from / length);
  if (count > MAX_PIECES) {
    const fits = Math.ceil((to - from) / 60 / (MAX_PIECES - 1));
    throw new InputError(
      'splitMinutes',
      `expected at most ${MAX_PIECES} executions for a table, got ${count}; raise it to ${fits}`,
    );
  }
  const pieces: Span[] = [];
  for (let start = from; start < to; ) {
    const end = Math.min(to, (Math.floor(start / length) + 1) * length);
    pieces.push({ from: start, to: end });
    start = end;
  }
  return pieces;
}

/** As much of a label as leaves room for the rest of a name. */
export const LABEL = /^[A-Za-z0-9_-]{1,20}$/;

/** The label of a replay that was given none: the same for the same span. */
export function defaultLabel({ from, to }: Span): string {
  return shortHash(`${from}/${to}`);
}

/** The label of a dry run: another one each time, or the answer would be an earlier run's. */
export function freshLabel(nowMs: number): string {
  return `${compactTime(Math.floor(nowMs / 1000))}-${randomBytes(2).toString('hex').slice(0, 3)}`;
}

export interface NamedPiece {
  readonly tableName: string;
  readonly piece: Span;
  readonly dryRun: boolean;
  readonly label: string;
  /** The first is 1. */
  readonly attempt: number;
}

/**
 * The name of the execution that sweeps a piece. Step Functions gives a name once (for 90 days), which is what makes a
 * replay that was interrupted go on where it was: at most 80 characters, and only those that logging takes.
 *
 * The table is part of it since a state machine of the same name may have swept another one before.
 */
export function executionName({ tableName, piece, dryRun, label, attempt }: NamedPiece): string {
  const parts = [
    dryRun ? 'dryrun' : 'replay',
    compactTime(piece.from),
    compactTime(piece.to),
    label,
    shortHash(tableName),
    ...(attempt === 1 ? [] : [String(attempt)]),
  ];
  return parts.join('-');
}

/** The name of an execution that scans the index of a table, as {@link executionsOfTable} knows it: another one each time. */
export function scanName(tableName: string, nowMs: number, dryRun: boolean): string {
  return [dryRun ? 'dryrun' : 'replay', 'index', freshLabel(nowMs), shortHash(tableName)].join('-');
}

/** `20261120T090000Z` */
function compactTime(epochSeconds: number): string {
  return `${new Date(epochSeconds * 1000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}
