import type { PollProgress, SecondPolls } from '../../statemachine/contract/child.ts';
import type { ExpiredKey } from '../../statemachine/contract/keys.ts';
import type { PagePosition, SweepTarget } from '../../statemachine/contract/targets.ts';
import type { Seconds } from '../../statemachine/times.ts';
import { type KeyReads, knownKeys, knownOf } from './known-keys.ts';

/* The slice of a child's progress that says how far it has read its target, and when it reads on. */

export function startPoll({ position, upcomingFrom }: SweepTarget): PollProgress {
  return {
    position: position ?? null,
    seen: null,
    // An upcoming minute is polled for the first time at its start, anything else at once.
    nextAt: upcomingFrom ?? 0,
    lastDue: 0,
    holdsStrays: false,
  };
}

/** How often an upcoming minute is polled. */
export interface PollPace {
  /** Seconds between two polls at least. */
  readonly precisionSeconds: Seconds;
  /** Seconds between two polls at most; 0 = only when something known expires. */
  readonly pollSeconds: Seconds;
}

/** One page of what is due. */
export interface PolledPage {
  readonly due: ExpiredKey[];
  /** This page took TTLs up to this one for expired. */
  readonly cutoff: Seconds;
  /** How far DynamoDB's clock is ahead of the machine's, whole seconds: 0 for clocks that go together. */
  readonly ahead: Seconds;
  /** Where the poll goes on; null when it has read everything that is due. */
  readonly position: PagePosition | null;
  /** The earliest TTL that this page saw and that is neither due yet nor planned; infinite when it saw none. */
  readonly nextExpiry: Seconds;
  /** The entries that are due up to then are planned. @default nothing is */
  readonly plannedUpTo?: Seconds;
  /** It saw an entry that is not due yet in a window that has ended. */
  readonly sawStrays: boolean;
  /** The index keys that this page has read to their ends. */
  readonly keys?: KeyReads;
}

/** A page was read. */
export function afterPage(
  poll: PollProgress,
  target: SweepTarget,
  { due, cutoff, position, nextExpiry, plannedUpTo, sawStrays, ahead, keys }: PolledPage,
  pace: PollPace,
): PollProgress {
  const lastDue = due.length;
  const isOfSeveral = poll.position !== null || position !== null;
  // One of several has not read all of the windows.
  const holdsStrays = sawStrays || (isOfSeveral && poll.holdsStrays);
  const known = keys && { known: knownKeys({ ...knownOf(poll.known), ...keys }) };
  if (position !== null) return { ...poll, position, lastDue, holdsStrays, ahead, ...known };
  const next = nextPollAt(target, pace, cutoff, { nextExpiry, plannedUpTo, tookSeveralPages: isOfSeveral });
  return {
    position,
    // Another one of DynamoDB's servers may be a little behind.
    seen: Math.max(cutoff, poll.seen ?? cutoff),
    nextAt: next === null ? null : next - ahead,
    lastDue,
    holdsStrays,
    ahead,
    ...known,
  };
}

/** The machine has polled the seconds up to this one by itself, each when it was due, and found nothing. */
export function afterPolledSeconds(
  poll: PollProgress,
  { before }: SweepTarget,
  polledUpTo: Seconds,
): PollProgress {
  const { ahead = 0 } = poll;
  return {
    ...poll,
    seen: Math.max(polledUpTo, poll.seen ?? polledUpTo),
    nextAt: polledUpTo + 1 < before ? polledUpTo + 1 - ahead : null,
  };
}

/**
 * The seconds that the machine can poll by itself, each when it is due; null: the next poll is QueryExpired's. After one that found
 * something it is, since the next one probably finds something too. So it is where polls are further apart.
 *
 * @param until the child waits for nothing from then on, a whole second
 */
export function nextSeconds(
  { seen, nextAt, position, lastDue, ahead = 0 }: PollProgress,
  { from, before, upcomingFrom }: SweepTarget,
  until: Seconds,
): SecondPolls | null {
  if (upcomingFrom === null || seen === null || position !== null || lastDue > 0) return null;
  const second = Math.max(seen + 1, from);
  const last = Math.min(before, until + ahead) - 1;
  return nextAt === second - ahead && second <= last ? { second, last } : null;
}

/**
 * When the poll after a complete one is due, by the clock of its cutoff; null when the target is done. Whole seconds
 * apart, so that polls do not drift. A poll that took several pages took time: it is followed by another one at once.
 */
export function nextPollAt(
  { before, upcomingFrom }: SweepTarget,
  { precisionSeconds, pollSeconds }: PollPace,
  cutoff: Seconds,
  {
    nextExpiry,
    plannedUpTo = cutoff,
    tookSeveralPages,
  }: Pick<PolledPage, 'nextExpiry'> & {
    readonly plannedUpTo?: Seconds | undefined;
    readonly tookSeveralPages: boolean;
  },
): Seconds | null {
  if (upcomingFrom === null || cutoff >= before) return null;
  if (tookSeveralPages) return cutoff;
  const next = Math.min(
    Math.max(Math.ceil(nextExpiry), plannedUpTo + precisionSeconds),
    pollSeconds > 0 ? cutoff + pollSeconds : Number.POSITIVE_INFINITY,
  );
  return Number.isFinite(next) ? Math.min(next, before) : null;
}

/** The next poll takes everything that is due, also what earlier ones have seen. */
export function fromTheStart({ known: _known, ...poll }: PollProgress): PollProgress {
  return { ...poll, seen: null };
}

/** There is more to read: of this poll, or in one to come. */
export function isUnread({ position, nextAt }: PollProgress): boolean {
  return position !== null || nextAt !== null;
}
