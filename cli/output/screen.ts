import { WriteStream } from 'node:tty';
import type { Look } from './format.ts';

/** Where a command writes. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** A terminal that does not say how wide it is. */
const USUAL_WIDTH = 80;
/** Narrower ones break lines by themselves: names and numbers need that much. */
const LEAST_WIDTH = 40;

/**
 * How texts look on a screen. A terminal says its width; `COLUMNS` says it before, and for a file or a pipe, whose lines are
 * else left as they are: scripts read them. Colours are as Node has them for a terminal: by `NO_COLOR`, `FORCE_COLOR` and `TERM`.
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
