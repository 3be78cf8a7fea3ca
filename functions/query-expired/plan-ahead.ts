import type { ChildProgress, KeyRead } from '../../statemachine/contract/child.ts';
import type { ExpiredKey } from '../../statemachine/contract/keys.ts';
import type { Millis, Seconds } from '../../statemachine/times.ts';
import type { PolledPage, PollPace } from '../child/poll.ts';
import type { SweepSettings } from '../runtime/environment.ts';
import { keysThatFit } from './page.ts';
import type { PageRead, UpcomingEntry } from './read-page.ts';

/** Seconds that are planned. A new item that is written in the meantime waits at most that long for the next poll. */
export const AHEAD_SECONDS = 30;

/** Most UTF-8 bytes of planned keys, as JSON: they are in the chunks and in the child's progress. */
const PLANNED_BYTES = 8 * 1024;

/** Longest wait of a function for its items, in milliseconds: a longer one costs more than the call that the plan saves. */
const MAX_REST_MS: Millis = 200;

export type AheadSettings = PollPace & Pick<SweepSettings, 'deleteMode'>;

/** A delete that is planned for the second in which its items are due. */
export interface PlannedDelete {
  /** Whole seconds, by the clock of the page's cutoff. */
  readonly at: Seconds;
  readonly keys: readonly ExpiredKey[];
}

export interface Plan {
  readonly deletes: readonly PlannedDelete[];
  /** The page as if the planned deletes were done. */
  readonly page: PolledPage;
}

/**
 * Seconds ahead for which a child may plan deletes; 0: it plans none. Each planned delete must check again that its item is due. While
 * keys are throttled, limited or deferred, or a poll takes several pages, nothing is planned.
 */
export function aheadSeconds(
  { target, poll, dryRun, deferred, brake, others }: ChildProgress,
  { deleteMode }: AheadSettings,
): Seconds {
  const { retryAtMs, retriedUpTo } = deferred;
  const isUndisturbed = brake.limit === null && brake.rate === null && others === undefined;
  const isNew = poll.position === null && deferred.count === 0 && retryAtMs === null && retriedUpTo === null;
  const mayPlan = deleteMode === 'guarded' && target.upcomingFrom !== null && !dryRun;
  return mayPlan && isUndisturbed && isNew ? AHEAD_SECONDS : 0;
}

/**
 * Plans the deletes of the entries that expire next, which a poll has read beyond the due ones at no extra price. The deletes are made at
 * the moments of the polls that they replace.
 *
 * DynamoDB's clock has whole seconds. A planned delete waits as long into its second as the page was in its own when it was answered: only
 * then has the second certainly begun by DynamoDB's clock.
 *
 * @param ahead result of {@link aheadSeconds}
 * @param beganLateMs how long the function took to begin, by its own clock: the page was answered that much later than the machine's clock
 * says
 * @param deadlineMs time after which no delete is planned
 */
export function planAhead(
  page: PageRead,
  { target }: Pick<ChildProgress, 'target'>,
  { precisionSeconds, pollSeconds }: PollPace,
  ahead: Seconds,
  { beganLateMs, deadlineMs }: { readonly beganLateMs: Millis; readonly deadlineMs: Millis },
): Plan {
  const { cutoff } = page;
  const isKnownWell = page.position === null && page.restMs + Math.max(0, beganLateMs) <= MAX_REST_MS;
  if (ahead === 0 || !isKnownWell) return { deletes: [], page };
  const known = page.upcoming.toSorted((one, other) => one.entry.ttl - other.entry.ttl);
  const tooMany =
    known[
      keysThatFit(
        known.map(({ entry }) => entry),
        PLANNED_BYTES,
      )
    ];
  const last = Math.min(
    page.knownUpTo,
    cutoff + ahead,
    target.before - 1,
    Math.ceil(deadlineMs / 1000) - 1 + page.ahead,
    pollSeconds > 0 ? cutoff + pollSeconds - 1 : Number.POSITIVE_INFINITY,
    tooMany === undefined ? Number.POSITIVE_INFINITY : Math.ceil(tooMany.entry.ttl) - 1,
  );
  const deletes: PlannedDelete[] = [];
  let left = known;
  for (let at = cutoff; ; ) {
    const [next] = left;
    if (next === undefined) break;
    at = Math.max(Math.ceil(next.entry.ttl), at + precisionSeconds);
    if (at > last) break;
    const isDue = ({ entry }: UpcomingEntry) => entry.ttl <= at;
    deletes.push({ at, keys: left.filter(isDue).map(({ entry }) => entry) });
    left = left.filter(each => !isDue(each));
  }
  return { deletes, page: deletes.length === 0 ? page : behind(page, deletes, left, target.before) };
}

function behind(
  page: PageRead,
  deletes: readonly PlannedDelete[],
  left: readonly UpcomingEntry[],
  before: Seconds,
): PolledPage {
  const planned = new Set(deletes.flatMap(({ keys }) => keys));
  const plannedOf = (index: number) =>
    page.upcoming.filter(({ indexKey, entry }) => indexKey === index && planned.has(entry));
  const nextOf = (those: readonly UpcomingEntry[]) => Math.min(...those.map(({ entry }) => entry.ttl));
  const keys = Object.entries(page.keys ?? {}).map(([name, read]): [string, KeyRead] => {
    const next = nextOf(left.filter(({ indexKey }) => String(indexKey) === name));
    const ours = plannedOf(Number(name)).map(({ entry }) => entry);
    return [
      name,
      { ...read, next: Number.isFinite(next) ? next : null, planned: [...(read.planned ?? []), ...ours] },
    ];
  });
  const unknown = page.knownUpTo + 1;
  return {
    ...page,
    nextExpiry: Math.min(nextOf(left), unknown < before ? unknown : Number.POSITIVE_INFINITY),
    plannedUpTo: deletes.at(-1)?.at ?? page.cutoff,
    keys: Object.fromEntries(keys),
  };
}
