import { printError } from './print.ts';

/** How a job ends that a command has asked for. */
export type JobEnd = 'done' | 'failed' | 'interrupted' | 'declined';

/**
 * Says how a job has ended, unless all was done.
 *
 * @param stop what ends the command on a signal
 * @returns the exit status
 */
export function tellEnd(
  end: JobEnd,
  texts: Readonly<Record<Exclude<JobEnd, 'done'>, string>>,
  stop: { readonly status: () => number },
): number {
  if (end === 'done') return 0;
  printError(texts[end]);
  return end === 'interrupted' ? stop.status() : 1;
}
