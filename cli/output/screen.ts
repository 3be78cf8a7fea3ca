import { WriteStream } from 'node:tty';
import type { Look } from './format.ts';

/** The stream that a command writes to. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Columns of a terminal that does not report its width. */
const USUAL_WIDTH = 80;
/** Columns that names and numbers need; narrower terminals wrap lines by themselves. */
const LEAST_WIDTH = 40;

/**
 * Settings for a screen. The width is that of `COLUMNS`, or else of the terminal; files and pipes without `COLUMNS` have unlimited
 * width, because scripts read them. Colours depend on the terminal and on `NO_COLOR`, `FORCE_COLOR` and `TERM`, as in Node.
 */
export function lookOf(screen: Screen, environment: NodeJS.ProcessEnv = process.env): Look {
  return { width: widthOf(screen, environment), colours: hasColours(screen, environment) };
}

function widthOf({ isTTY, columns }: Screen, { COLUMNS }: NodeJS.ProcessEnv): number | undefined {
  const wanted = /^[1-9]\d{0,4}$/.test(COLUMNS ?? '') ? Number(COLUMNS) : undefined;
  const width = wanted ?? (isTTY ? columns || USUAL_WIDTH : undefined);
  return width && Math.max(width, LEAST_WIDTH);
}

function hasColours({ isTTY }: Screen, environment: NodeJS.ProcessEnv): boolean {
  if (!(isTTY || environment['FORCE_COLOR'] !== undefined)) return false;
  return WriteStream.prototype.getColorDepth(environment) > 1;
}
