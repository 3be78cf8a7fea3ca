import type { Pause } from '../../functions/journal/layout.ts';
import { isoSeconds } from '../iso-seconds.ts';

/** @param pause undefined if there is none, or if it has ended */
export function describePause(pause: Pause | undefined): string {
  if (pause === undefined) return 'running';
  const since = isoSeconds(Date.parse(pause.since));
  return pause.until === undefined
    ? `paused since ${since}`
    : `paused since ${since}, until ${isoSeconds(Date.parse(pause.until))}`;
}
