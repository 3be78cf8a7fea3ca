import { CallFailure } from '../failure.ts';
import type { Line } from './line.ts';

/**
 * Records the events of a branch or an iteration that fails, in the order recorded on AWS: first the failed iteration; then its Task,
 * whose failed call counts as aborted; then the other branches or iterations, each before its open states. All of these events follow the
 * event of the failure.
 */
export function recordPartFailed(line: Line, index: number, failure: unknown): void {
  const failed = line.openParts.get(index);
  if (failed === undefined) return;
  line.openParts.delete(index);
  const after = failed.lastEventId;
  recordIteration(line, index, 'Failed', after);
  if (failed.openState?.type === 'Task' && failure instanceof CallFailure) recordState(failed, after);
  recordPartsAborted(line, after);
}

function recordPartsAborted(line: Line, after: number): void {
  for (const [index, part] of line.openParts) {
    recordIteration(line, index, 'Aborted', after);
    recordState(part, after);
    recordPartsAborted(part, after);
  }
  line.openParts.clear();
}

function recordIteration(line: Line, index: number, how: 'Failed' | 'Aborted', after: number): void {
  if (line.openState?.type !== 'Map') return;
  const details = { name: line.openState.name, index };
  line.run.history.add(`MapIteration${how}`, after, `mapIteration${how}`, details);
}

/** Types of states for which AWS records an event when they are aborted. */
const REPORTS_ABORT: ReadonlySet<string> = new Set(['Task', 'Wait', 'Map', 'Parallel']);

function recordState({ run, progress, openState }: Line, after: number): void {
  if (openState === undefined || !REPORTS_ABORT.has(openState.type)) return;
  if (progress.mapRun?.mapRun.status === 'RUNNING') run.history.add('MapRunAborted', after);
  run.history.add(`${openState.type}StateAborted`, after);
}
