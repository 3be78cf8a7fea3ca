import type { PollProgress, SecondPolls } from '../../statemachine/contract/child.ts';
import type { ExpiredKey } from '../../statemachine/contract/keys.ts';
import type { PagePosition, SweepTarget } from '../../statemachine/contract/targets.ts';
import type { Seconds } from '../../statemachine/times.ts';
import { type KeyReads, knownKeys, knownOf } from './known-keys.ts';

/* The part of a child's progress that says how far it has read its target, and when the next poll is due. */

export function startPoll({ position, upcomingFrom }: SweepTarget): PollProgress {
  return {
    position: position ?? null,
    seen: null,
    // The first poll of an upcoming minute is at its start; any other target is polled at once.
    nextAt: upcomingFrom ?? 0,
    lastDue: 0,
    holdsStrays: false,
  };
}

/** How often an upcoming minute is polled. */
export interface PollPace {
  /** Minimum seconds between two polls. */
  readonly precisionSeconds: Seconds;
  /** Maximum seconds between two polls; 0: a poll is due only when a known item expires. */
  readonly pollSeconds: Seconds;
}

/** One page of the entries that are due. */
export interface PolledPage {
  readonly due: ExpiredKey[];
  /** Cutoff of this page: TTLs up to it counted as expired. */
  readonly cutoff: Seconds;
  /** How far DynamoDB's clock is ahead of the machine's, in whole seconds; 0 for equal clocks. */
  readonly ahead: Seconds;
  /** Where the poll continues; null after it has read everything that is due. */
  readonly position: PagePosition | null;
  /** The earliest TTL on this page that is neither due yet nor planned; infinite if there is none. */
  readonly nextExpiry: Seconds;
  /** The deletes of all entries that are due up to this second are planned. @default none are planned */
  readonly plannedUpTo?: Seconds;
  /** The page had an entry that is not due yet, in a window that has ended. */
  readonly sawStrays: boolean;
  /** The index keys that this page has read to their ends. */
  readonly keys?: KeyReads;
}

/** Updates the poll after a page. */
export function afterPage(
  poll: PollProgress,
  target: SweepTarget,
  { due, cutoff, position, nextExpiry, plannedUpTo, sawStrays, ahead, keys }: PolledPage,
  pace: PollPace,
): PollProgress {
  const lastDue = due.length;
  const isOfSeveral = poll.position !== null || position !== null;
  // Some windows are not read yet.
  const holdsStrays = sawStrays || (isOfSeveral && poll.holdsStrays);
  const known = keys && { known: knownKeys({ ...knownOf(poll.known), ...keys }) };
  if (position !== null) return { ...poll, position, lastDue, holdsStrays, ahead, ...known };
  const next = nextPollAt(target, pace, cutoff, { nextExpiry, plannedUpTo, tookSeveralPages: isOfSeveral });
  return {
    position,
    // The clock of another server of DynamoDB may be a little behind.
    seen: Math.max(cutoff, poll.seen ?? cutoff),
    nextAt: next === null ? null : next - ahead,
    lastDue,
    holdsStrays,
    ahead,
    ...known,
  };
}

/** Updates the poll after the state machine has polled all seconds up to this one by itself and found nothing. */
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
 * The seconds that the state machine can poll by itself, each when it is due; null: QueryExpired makes the next poll. That is so after a
 * poll that found something, since the next one probably finds something too, and when polls are further apart.
 *
 * @param until whole second at which the child stops waiting
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
 * When the poll after a complete one is due, by the clock of its cutoff; null when the target is done. Polls are whole seconds apart, so
 * that they do not drift. A poll that took several pages took time: the next one follows at once.
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

/** Makes the next poll read everything that is due, including entries that earlier polls have seen. */
export function fromTheStart({ known: _known, ...poll }: PollProgress): PollProgress {
  return { ...poll, seen: null };
}

/** Whether there is more to read, in this poll or in a later one. */
export function isUnread({ position, nextAt }: PollProgress): boolean {
  return position !== null || nextAt !== null;
}
