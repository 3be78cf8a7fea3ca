import {
  type Deed,
  type DeleteOutcome,
  describeNote,
  type Entry,
  type Note,
  type Present,
  type Removal,
  type Ttl,
  type Version,
} from './item.ts';
import { type Counts, countsOf, type SweptItem, sweptOf, type Tally, tallyOf } from './tally.ts';
import { type Finding, findingOf, type Reading, type Violation } from './verdict.ts';

/** An observed deletion, and whether the application made it, or may have. */
export interface SeenRemoval extends Removal {
  /** The item's id. */
  readonly id: string;
  readonly ours: boolean;
  /** Time by which DynamoDB had acknowledged the write of what was deleted, epoch milliseconds. */
  readonly knownAt: number;
}

/**
 * The truth about one run: which items the application wrote, renewed, made permanent and deleted, as DynamoDB acknowledged it, and which
 * deletions were seen. It uses nothing of the sweep and its counters, so it can judge them.
 */
export class Ledger {
  readonly #entries = new Map<string, Entry>();
  readonly #now: () => number;

  /** @param now epoch milliseconds */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Records a write that DynamoDB acknowledged. @param shard of its window */
  wrote(id: string, version: number, ttl: Ttl, deed: Deed = 'wrote', shard = 0): void {
    const entry = this.#entry(id);
    // The stream may report it before the acknowledgement.
    const written = versionOf(entry, version, ttl);
    written.ttl = ttl;
    written.written = { deed, knownAt: this.#now() };
    entry.current = written;
    entry.shard = shard;
    this.#note(entry, { what: deed, version, ttl });
  }

  /** Records that the item no longer existed when it was to be renewed. */
  tooLate(id: string): void {
    const entry = this.#entry(id);
    const { current } = entry;
    if (current !== undefined) current.missedAt ??= this.#now();
    this.#note(entry, { what: 'too late', version: current?.number ?? 0, ttl: current?.ttl });
  }

  /** Records that the application deleted this version, or tried to. */
  deleted(id: string, version: number, outcome: DeleteOutcome): void {
    const entry = this.#entry(id);
    const found = entry.versions.find(({ number }) => number === version);
    if (found !== undefined && outcome === 'was gone') found.missedAt ??= this.#now();
    else if (found !== undefined) found.ours = true;
    this.#note(entry, { what: outcome, version, ttl: found?.ttl });
  }

  /**
   * Records a deletion that was seen, by any client. The first report of a deletion counts. Items without an acknowledged write belong to
   * others and are ignored everywhere.
   */
  removed(id: string, version: number, removal: Removal): void {
    const entry = this.#entry(id);
    const found = versionOf(entry, version, removal.ttl);
    if (found.removal !== undefined) return;
    found.removal = removal;
    this.#note(entry, { what: 'removed', version, ttl: removal.ttl, at: removal.seenAt });
  }

  /** The last acknowledged version of an item. */
  current(id: string): Version | undefined {
    return this.#entries.get(id)?.current;
  }

  get counts(): Counts {
    return countsOf(this.#entries.values());
  }

  /** Counts the items at a moment. @param nowMs epoch milliseconds */
  tally(nowMs: number): Tally {
    return tallyOf(this.#entries.values(), nowMs);
  }

  /** The items that expire up to a moment and were not deleted before their time. @param nowMs that moment, epoch milliseconds */
  swept(nowMs: number): SweptItem[] {
    return sweptOf(this.#entries.values(), nowMs);
  }

  /**
   * Compares the observed state with the expected one.
   * @param present every item of the table by its id, from a consistent read
   */
  verify(present: ReadonlyMap<string, Present>, reading: Reading): Violation[] {
    return [...this.#entries].flatMap(([id, entry]) => {
      const finding = findingOf(entry, present.get(id), reading);
      return finding === undefined ? [] : [this.violation(finding, id)];
    });
  }

  /** All observed deletions of this ledger's items. */
  get removals(): SeenRemoval[] {
    return [...this.#entries].flatMap(([id, { current, versions }]) =>
      current === undefined
        ? []
        : versions.flatMap(({ removal, ours, written }) =>
            removal === undefined ? [] : [{ ...removal, id, ours, knownAt: written?.knownAt ?? 0 }],
          ),
    );
  }

  /** Builds a violation for an item, with its history. */
  violation(finding: Finding, id: string): Violation {
    return { finding, id, history: (this.#entries.get(id)?.notes ?? []).map(describeNote) };
  }

  #entry(id: string): Entry {
    const known = this.#entries.get(id);
    if (known !== undefined) return known;
    const made: Entry = { versions: [], current: undefined, shard: 0, notes: [] };
    this.#entries.set(id, made);
    return made;
  }

  #note({ notes }: Entry, note: Omit<Note, 'at'> & Partial<Pick<Note, 'at'>>): void {
    notes.push({ at: this.#now(), ...note });
  }
}

function versionOf({ versions }: Entry, number: number, ttl: Ttl): Version {
  const known = versions.find(version => version.number === number);
  if (known !== undefined) return known;
  const made = { number, ttl, written: undefined, removal: undefined, ours: false, missedAt: undefined };
  versions.push(made);
  return made;
}
