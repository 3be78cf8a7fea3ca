import type { Building } from '../../operate/adopt/change-table.ts';
import { span } from '../numbers.ts';
import { MEASURED_SECONDS } from '../output/work.ts';

const BAR_WIDTH = 20;

/** One line of progress, with a bar if the finished part is known. */
export function progressLine({ name, backfilling, elapsedMs, part }: Building): string {
  const phase = backfilling ? 'DynamoDB puts the items into it' : 'DynamoDB makes room for it';
  const done = Math.round((part ?? 0) * BAR_WIDTH);
  const bar = `${'█'.repeat(done)}${'░'.repeat(BAR_WIDTH - done)} ${Math.floor((part ?? 0) * 100)}%`;
  const seconds = elapsedMs / 1000;
  const isMeasured = part !== undefined && part > 0 && part < 1 && seconds >= MEASURED_SECONDS;
  const left = isMeasured ? `, about ${span((seconds / part) * (1 - part))} left` : '';
  return `Index ${name}: ${part === undefined ? '' : `${bar}, `}${phase}, ${duration(elapsedMs)}${left}`;
}

function duration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
