import { plainDecimal } from '../../expiry/plain-decimal.ts';
import type { ItemImage } from '../../functions/stream/event.ts';
import { itemText } from '../archive/item-text.ts';
import { lifeOf } from '../archive/life.ts';
import type { Archived, Published, Services, StoredCopy } from './services.ts';
import type { Change } from './table.ts';

/** Everything that can be wrong with a run, and what that is called. */
export const FINDINGS = {
  earlyDeleted: 'items deleted before their expiry and the grace after it',
  heldDeleted: 'items deleted while they were held',
  left: 'expired items left at the end',
  leftByTicks: 'items that expired when nothing was wrong any more, and that the ticks left',
  notArchived: 'expiries that are not in the archive',
  archivedOtherwise: 'items in the archive that are not as they were deleted',
  userDeleteArchived: "users' deletes of live items in the archive",
  notPublished: 'expiries without an event',
  publishedOtherwise: 'events that are not what was deleted',
  publishedUnknown: 'events of nothing that was removed',
  userDeletePublished: "events of users' deletes of live items",
  deletedUncopied: 'items deleted before S3 had them as they were',
  unreadable: 'objects in the archive that cannot be read',
  wrongCounts: 'reports that do not add up',
  failedQuietly: 'sweeps that failed when nothing was wrong any more',
  refused: 'requests that no service knows',
} as const;

export type Finding = keyof typeof FINDINGS;

export interface Violation {
  readonly finding: Finding;
  /** The item or the sweep, with what is known of it. */
  readonly text: string;
}

/** The table's configuration, as far as it decides what is right. */
export interface Rules {
  readonly keyNames: readonly string[];
  readonly ttlAttribute: string;
  readonly holdAttribute: string | undefined;
  readonly graceSeconds: number;
  /** By second an item whose TTL has a fraction is not found. */
  readonly findsFractions: boolean;
  readonly archives: 'expiries' | 'all' | undefined;
  readonly archivesFirst: boolean;
  readonly publishes: boolean;
  readonly publishesImages: boolean;
}

/** A time in which nothing goes wrong, epoch milliseconds. */
export interface CalmSpan {
  readonly from: number;
  readonly upTo: number;
  /** So long after its expiry an item can be written and is still found by a tick. */
  readonly reachMs: number;
}

/** Users may delete an item this short before its expiry, and it is archived with the expired ones. That harms nobody. */
const ARCHIVE_TOLERANCE_SECONDS = 2;

/** 365 days each, as native TTL counts them. */
const FIVE_YEARS_SECONDS = 5 * 365 * 24 * 60 * 60;

/** Around that bound a delete is right, and so is none. */
const BOUND_SECONDS = 600;

/**
 * Knows what happened to each item as DynamoDB saw it, and nothing of what the sweep says of itself. It has its own rules of what is
 * expired, held and lost.
 */
export class Oracle {
  readonly #rules: Rules;
  readonly #histories = new Map<string, Change[]>();

  constructor(rules: Rules) {
    this.#rules = rules;
  }

  saw(change: Change): void {
    const history = this.#histories.get(change.key);
    if (history === undefined) this.#histories.set(change.key, [change]);
    else history.push(change);
  }

  get items(): number {
    return this.#histories.size;
  }

  /** How late the sweep deleted: from the moment at which an item was due, or was written if that was later, milliseconds. */
  get lags(): number[] {
    const { graceSeconds } = this.#rules;
    return [...this.#histories.values()].flatMap(history =>
      history.flatMap(({ by, at, before, after }, index) => {
        if (by !== 'sweep' || after !== undefined) return [];
        const dueAt = (this.#ttlOf(before) + graceSeconds) * 1000;
        return [at - Math.max(dueAt, history[index - 1]?.at ?? 0)];
      }),
    );
  }

  /**
   * Finds what is still there of what came to be due in a span, by its expiry or because it was written late; epoch milliseconds. An
   * item that was written later than ticks look back is the daily scan's, here the last replay's.
   */
  leftByTicks({ from, upTo, reachMs }: CalmSpan): Violation[] {
    const due = [...this.#histories.values()].filter(history => {
      const last = history.at(-1);
      const dueAt = (this.#ttlOf(last?.after) + this.#rules.graceSeconds) * 1000;
      const writtenAt = last?.at ?? 0;
      return Math.max(dueAt, writtenAt) >= from && dueAt >= writtenAt - reachMs;
    });
    return due
      .flatMap(history => this.#leftOf(history, Math.floor(upTo / 1000)))
      .map(({ text }) => ({ finding: 'leftByTicks', text }));
  }

  /** @param endMs by DynamoDB's clock: what is expired then has to be gone */
  verdict(endMs: number, services: Services): Violation[] {
    return [
      ...this.#deletions().flatMap(change => this.#wrongDeletion(change, services.copies)),
      ...[...this.#histories.values()].flatMap(history => this.#leftOf(history, Math.floor(endMs / 1000))),
      ...(this.#rules.archives === undefined ? [] : this.#archiveProblems(services.archived)),
      ...(this.#rules.publishes ? this.#eventProblems(services.published) : []),
      ...services.unreadable.map(text => ({ finding: 'unreadable', text }) as const),
    ];
  }

  /** Removals by the sweep. */
  #deletions(): Change[] {
    return this.#removals().filter(({ by }) => by === 'sweep');
  }

  #removals(): Change[] {
    return [...this.#histories.values()].flat().filter(({ after }) => after === undefined);
  }

  #wrongDeletion(change: Change, copies: ReadonlyMap<string, readonly StoredCopy[]>): Violation[] {
    const { holdAttribute, graceSeconds, archivesFirst } = this.#rules;
    const { before = {}, at } = change;
    if (!this.#isExpired(before, Math.floor(at / 1000) - graceSeconds))
      return [this.#found('earlyDeleted', change)];
    if (holdAttribute !== undefined && Object.hasOwn(before, holdAttribute))
      return [this.#found('heldDeleted', change)];
    return archivesFirst && !this.#isCopied(change, copies) ? [this.#found('deletedUncopied', change)] : [];
  }

  /**
   * Whether the item lay in S3 as it was when it was deleted. An attribute that was added after the image was read is in no condition of
   * the delete: the copy may be without it, and the stream's line has it.
   */
  #isCopied({ before = {}, turn }: Change, copies: ReadonlyMap<string, readonly StoredCopy[]>): boolean {
    const { keyNames, ttlAttribute } = this.#rules;
    const { id, text } = lifeOf(before, keyNames, ttlAttribute);
    return (copies.get(id) ?? []).some(
      copy =>
        copy.turn < turn && (copy.text === text || copy.text === itemText(restricted(before, copy.item))),
    );
  }

  #leftOf(history: readonly Change[], endSeconds: number): Violation[] {
    const { holdAttribute, graceSeconds, findsFractions } = this.#rules;
    const last = history.at(-1);
    const image = last?.after;
    if (last === undefined || image === undefined) return [];
    const ttl = this.#ttlOf(image);
    const isHeld = holdAttribute !== undefined && Object.hasOwn(image, holdAttribute);
    const isFound = findsFractions || Number.isInteger(ttl);
    const due = endSeconds - graceSeconds;
    const isDue = ttl <= due && ttl > due - FIVE_YEARS_SECONDS + BOUND_SECONDS;
    return isDue && !isHeld && isFound ? [this.#found('left', last)] : [];
  }

  #archiveProblems(archived: ReadonlyMap<string, readonly Archived[]>): Violation[] {
    const all = this.#rules.archives === 'all';
    return this.#removals().flatMap((change): Violation[] => {
      const { before = {}, by, recordedAt, eventId } = change;
      const lines = archived.get(eventId) ?? [];
      const isLive =
        by === 'user' && !this.#isExpired(before, Math.floor(recordedAt / 1000) + ARCHIVE_TOLERANCE_SECONDS);
      const text = itemText(before);
      if (lines.some(line => line.text !== text)) return [this.#found('archivedOtherwise', change)];
      if (isLive && lines.some(({ removal }) => removal === 'expiry'))
        return [this.#found('userDeleteArchived', change)];
      const isWanted = by === 'sweep' || all;
      return isWanted && lines.length === 0 ? [this.#found('notArchived', change)] : [];
    });
  }

  #eventProblems(published: readonly Published[]): Violation[] {
    const removals = new Map(this.#removals().map(change => [change.eventId, change]));
    const ids = new Set(published.map(({ id }) => id));
    const missing = this.#deletions()
      .filter(({ eventId }) => !ids.has(eventId))
      .map(change => this.#found('notPublished', change));
    // An event that comes twice has the same id: whoever leaves out known ids gets each once.
    const once = new Map(published.map(event => [event.id, event]));
    const wrong = [...once.values()].flatMap((event): Violation[] => {
      const change = removals.get(event.id);
      if (change === undefined) return [{ finding: 'publishedUnknown', text: JSON.stringify(event) }];
      const { by, recordedAt, before = {} } = change;
      // Nothing but the record says when a user deleted: it is held against the clock of the server that made it.
      if (by === 'user' && !this.#isExpired(before, Math.floor(recordedAt / 1000)))
        return [this.#found('userDeletePublished', change)];
      return this.#isOf(event, before) ? [] : [this.#found('publishedOtherwise', change)];
    });
    return [...missing, ...wrong];
  }

  #isOf({ key, expiredAt, oldImage }: Published, before: ItemImage): boolean {
    const { keyNames, publishesImages } = this.#rules;
    const isKey =
      itemText(key) === itemText(Object.fromEntries(keyNames.map(name => [name, before[name]])) as ItemImage);
    const isTime = Date.parse(expiredAt ?? '') === Math.floor(this.#ttlOf(before) * 1000);
    const isImage = publishesImages ? itemText(oldImage ?? {}) === itemText(before) : oldImage === undefined;
    return isKey && isTime && isImage;
  }

  /** NaN for an item that does not expire. */
  #ttlOf(image: ItemImage | undefined): number {
    const ttl = image?.[this.#rules.ttlAttribute];
    return ttl !== undefined && 'N' in ttl ? Number(plainDecimal(ttl.N)) : Number.NaN;
  }

  #isExpired(image: ItemImage, atSeconds: number): boolean {
    const ttl = this.#ttlOf(image);
    return ttl <= atSeconds && ttl > atSeconds - FIVE_YEARS_SECONDS - BOUND_SECONDS;
  }

  #found(finding: Finding, { key, at }: Change): Violation {
    const lines = (this.#histories.get(key) ?? []).map(change => `    ${this.#describe(change)}`);
    return { finding, text: `${key} at ${new Date(at).toISOString()}\n${lines.join('\n')}` };
  }

  #describe({ by, at, before, after, eventId }: Change): string {
    const { holdAttribute = '' } = this.#rules;
    const image = after ?? before ?? {};
    const held = Object.hasOwn(image, holdAttribute) ? ', held' : '';
    const what = after === undefined ? 'deleted' : before === undefined ? 'written' : 'changed';
    return `${new Date(at).toISOString()} ${what} by ${by}, TTL ${this.#ttlOf(image)}${held}, ${eventId}`;
  }
}

/** An item without the attributes that another one does not have. */
function restricted(item: ItemImage, other: ItemImage): ItemImage {
  return Object.fromEntries(Object.entries(item).filter(([name]) => Object.hasOwn(other, name)));
}
