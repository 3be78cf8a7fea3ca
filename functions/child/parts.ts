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
 * A child sweeps several shards of an upcoming minute as one, which costs as little as sweeping one of them, until DynamoDB throttles it. It may be
 * a single shard's key that is throttled. So from then on each of its shards is a part with a brake and retries of its own, and they take
 * turns: none waits for what another one is braked for.
 */

/** Shards of an upcoming minute that one child sweeps: it deletes several thousand items a second, while a shard takes 400. */
export const SHARDS_OF_CHILD = 8;

/**
 * The child in parts once it is braked, where it has several shards; each polls again from the start of its windows. With a limit a child has one
 * shard.
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
      // Together their two lists each have half of the room: a part may have a position besides.
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
 * The child with the part in front that has something to do next. Of those that have it now, it is the one whose turn is longest ago.
 *
 * @param wakeOf when a part has something to do; null: it is done
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

/** All parts as one, for the child's end. Another child would begin them anew. */
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

/** There is more to read as long as a part has. */
function pollTogether(polls: readonly PollProgress[], current: PollProgress): PollProgress {
  return { ...current, position: null, nextAt: polls.some(isUnread) ? 0 : null };
}
