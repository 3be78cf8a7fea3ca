import type {
  QueryExpiredInput,
  QueryExpiredOutput,
  UpcomingStep,
} from '../../statemachine/contract/child.ts';
import type { Chunk } from '../../statemachine/contract/chunks.ts';
import { waitUntil } from '../retry/backoff.ts';

/*
 * If functions judge the records of the table's stream, a sweep decides as if it were one second earlier (`marginSeconds`): the record's
 * time and the time at which the item was read are both rounded down, and come from different servers. Everything that the sweep compares
 * with a TTL is behind the clock by the margin: the cutoff, the upcoming minute, the polls. This file converts the times on their way from
 * and to the state machine, which waits by the clock.
 */

/** The machine's input with its times moved back by the margin. */
export function beforeMargin(input: QueryExpiredInput, behindSeconds: number): QueryExpiredInput {
  return {
    ...input,
    startedAt: shifted(input.startedAt, -behindSeconds),
    now: shifted(input.now, -behindSeconds),
    results: input.results.map(chunk => shiftedChunk(chunk, -behindSeconds)),
  };
}

/** The machine's output with its times moved forward by the margin. */
export function afterMargin(output: QueryExpiredOutput, behindSeconds: number): QueryExpiredOutput {
  return {
    ...output,
    until: shiftedWait(output.until, behindSeconds),
    chunks: output.chunks.map(chunk => shiftedChunk(chunk, behindSeconds)),
    upcoming: output.upcoming.map(step => shiftedStep(step, behindSeconds)),
  };
}

function shiftedStep({ until, chunks }: UpcomingStep, seconds: number): UpcomingStep {
  return {
    until: waitUntil(Date.parse(until) / 1000 + seconds),
    chunks: chunks.map(chunk => shiftedChunk(chunk, seconds)),
  };
}

/** Moves a chunk's times. The cutoff stays: it is compared with an item's TTL. */
function shiftedChunk(chunk: Chunk, seconds: number): Chunk {
  const { progress } = chunk;
  return {
    ...chunk,
    until: shiftedWait(chunk.until, seconds),
    deadline: shifted(chunk.deadline, seconds),
    progress:
      progress === null || progress.retryAtMs === 0
        ? progress
        : { ...progress, retryAtMs: progress.retryAtMs + seconds * 1000 },
  };
}

function shifted(iso: string, seconds: number): string {
  return new Date(Date.parse(iso) + seconds * 1000).toISOString();
}

function shiftedWait(iso: string | null, seconds: number): string | null {
  return iso === null ? null : waitUntil(Date.parse(iso) / 1000 + seconds);
}
