import type { ChildProgress, PollProgress } from '../../statemachine/contract/child.ts';
import { addCounts, CHILD_COUNTS } from '../../statemachine/counts.ts';
import type { Millis, Seconds } from '../../statemachine/times.ts';
import { addLags } from '../report/lag.ts';
import { firstThatFit, listFailedKeys } from '../report/listed-keys.ts';
import { joinedWindows, partOfTarget, shardsOfTarget } from '../table/target-windows.ts';
import { startBrake } from './brake.ts';
import { countAgain, NOTHING_COUNTED } from './child-counts.ts';
import { defer, NOTHING_DEFERRED } from './deferred.ts';
import { fromTheStart, isUnread } from './poll.ts';

/*
 * A child sweeps several shards of an upcoming minute as one, which costs as little as sweeping one of them, until DynamoDB throttles it.
 * The cause may be a single shard's key. From then on each shard is a part with its own brake and retries, and the parts take turns, so
 * that none waits because another one is braked.
 */

/** Shards of an upcoming minute that one child sweeps: a child deletes several thousand items per second, a shard allows 400. */
export const SHARDS_OF_CHILD = 8;

/**
 * Splits a braked child that has several shards into parts; each polls again from the start of its windows. A child with a limit is not
 * split.
 */
export function inParts(progress: ChildProgress, nowSeconds: Seconds): ChildProgress {
  const { target, poll, brake, counts, others, listedKeysBytes } = progress;
  const shards = shardsOfTarget(target);
  const count = Math.min(SHARDS_OF_CHILD, shards.length);
  const isWhole = others === undefined && target.upcomingFrom !== null && !progress.dryRun;
  if (!isWhole || brake.rate === null || brake.limit !== null || count < 2) return progress;
  const [first, ...rest] = Array.from(
    { length: count },
    (_unused, part): ChildProgress => ({
      ...progress,
      target: partOfTarget(
        target,
        shards.filter((_shard, index) => index % count === part),
      ),
      // Each part may also have a position, so its two lists together get only half of its room.
      listedKeysBytes: Math.floor(listedKeysBytes / (2 * count)),
      poll: { ...fromTheStart(poll), position: null, nextAt: nowSeconds, lastDue: 0 },
      deferred: NOTHING_DEFERRED,
      brake: startBrake(null),
      counts: NOTHING_COUNTED,
    }),
  );
  return first === undefined ? progress : { ...first, counts: countAgain(counts), others: rest };
}

/**
 * Moves the part that has work next to the front. If several have work now, it takes the one that has waited longest.
 *
 * @param wakeOf returns when a part has work; null if it is done
 */
export function takeTurn(
  { others, ...current }: ChildProgress,
  nowMs: Millis,
  wakeOf: (part: ChildProgress) => Millis | null,
): ChildProgress {
  if (others === undefined) return current;
  const parts = [...others, current];
  const wakes = parts.map(part => Math.max(wakeOf(part) ?? Number.POSITIVE_INFINITY, nowMs));
  const turn = wakes.indexOf(Math.min(...wakes));
  return { ...(parts[turn] ?? current), others: parts.filter((_part, index) => index !== turn) };
}

/** Joins all parts to one progress for the child's end. The next child starts without parts. */
export function asOne({ others, ...current }: ChildProgress): ChildProgress {
  if (others === undefined) return current;
  const parts = [current, ...others];
  return parts.slice(1).reduce((one, other) => together(one, other), {
    ...current,
    poll: pollTogether(
      parts.map(({ poll }) => poll),
      current.poll,
    ),
  });
}

function together(one: ChildProgress, other: ChildProgress): ChildProgress {
  const { target, deferred, busy, counts } = one;
  const listedKeysBytes = one.listedKeysBytes + other.listedKeysBytes;
  return {
    ...one,
    target: { ...target, windows: joinedWindows([...target.windows, ...other.target.windows]) },
    listedKeysBytes,
    deferred: defer(deferred, other.deferred.count, other.deferred.keys, listedKeysBytes),
    busy: busy.polls >= other.busy.polls ? busy : other.busy,
    counts: {
      ...addCounts(CHILD_COUNTS, counts, other.counts),
      ...addLags(counts, other.counts),
      inFlight: counts.inFlight + other.counts.inFlight,
      failedKeys: listFailedKeys([...counts.failedKeys, ...other.counts.failedKeys], listedKeysBytes),
      sampleKeys: firstThatFit([...counts.sampleKeys, ...other.counts.sampleKeys], listedKeysBytes),
    },
  };
}

/** Joins the polls of all parts: as long as one part has something to read, so has the child. */
function pollTogether(polls: readonly PollProgress[], current: PollProgress): PollProgress {
  return { ...current, position: null, nextAt: polls.some(isUnread) ? 0 : null };
}
