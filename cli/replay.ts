/** `precise-ttl replay`: sweeps a span of time again, on AWS or on this machine. See `--help`. */

import type { PieceResult, ReplayOptions } from '../operate/changes.ts';
import { DEFAULT_CONCURRENCY, replaySettings } from '../operate/replay/settings.ts';
import { MAX_DELETES_PER_SECOND } from '../statemachine/contract/limits.ts';
import { textFlag, wholeNumber } from './flags.ts';
import { workFromNow } from './numbers.ts';
import { defineOperation, planOf, type Session, type Told } from './operation.ts';
import { describeFacts, describePiece, describeResult } from './replay/text.ts';

export const command = defineOperation({
  name: 'replay',
  usage: ['--from TIME --to TIME [flags]'],
  tables: 'all',
  flags: {
    from: textFlag('TIME', 'the first expiry time to sweep, ISO-8601 with a zone'),
    to: textFlag('TIME', 'where the span ends; not part of it'),
    'split-minutes': wholeNumber(1, 44_640, 'how much of the span one execution sweeps (default: 60)'),
    concurrency: { ...wholeNumber(1, 100, 'executions at a time'), default: DEFAULT_CONCURRENCY },
    'max-per-second': wholeNumber(
      1,
      MAX_DELETES_PER_SECOND,
      'deletes per second and table at most (default: as configured)',
    ),
    run: textFlag('LABEL', 'sweeps the same span once more, under this label'),
  },
  dryRun: 'find and count, delete nothing; counts again each time',
  about: `Sweeps a span of expiry times again, for example after an outage, by executions of the deployment's NAME-replay. Items that are
live are never deleted, whatever the span. Run it again after an interruption or a failure, and it continues where it stopped:
it does not repeat executions that left nothing, waits for those that still run, and tries again the others. In a paused table it
deletes nothing.`,
  services: ['SFN'],
  question: 'Delete what is expired there?',
  status: { done: 'everything was swept' },
  read(flags, config): ReplayOptions {
    const { table, from, to, concurrency, dryRun } = flags;
    const wanted = {
      ...{ config, table, from, to, concurrency, dryRun },
      splitMinutes: flags['split-minutes'],
      maxPerSecond: flags['max-per-second'],
      run: flags.run,
    };
    replaySettings(wanted, Date.now());
    return wanted;
  },
  prepare: planReplay,
});

/** Reads the state machines of a replay, and describes the replay. */
export async function planReplay(wanted: ReplayOptions, session: Session) {
  const { dryRun = false } = wanted;
  const { prepareReplay, replayEnd } = await import('../operate/replay/replay.ts');
  const { facts, apply } = await prepareReplay({
    ...wanted,
    ...session,
    onPiece: pieceTeller(session, dryRun),
  });
  return planOf({
    facts: describeFacts(facts, dryRun),
    apply,
    tell(result) {
      session.print(`\n${describeResult(result)}`);
      return replayTold(replayEnd(result));
    },
  });
}

/** The end of a replay, with a sentence about its executions. */
export function replayTold(end: Told['end']): Told {
  const notes = {
    failed: 'Some executions failed, or the table is paused.',
    interrupted: 'executions that were started go on',
  };
  return end === 'done' ? { end } : { end, note: notes[end] };
}

/** Returns a function that prints each completed piece. */
export function pieceTeller({ print, show }: Pick<Session, 'print' | 'show'>, dryRun: boolean) {
  const describe = workFromNow();
  return (piece: PieceResult, done: number, total: number) => {
    show('');
    print(describePiece(piece, `${done}/${total}`, dryRun));
    // Without a terminal the line of each piece shows the progress.
    if (done < total && process.stderr.isTTY) show(describe({ what: 'executions', done, total }));
  };
}
