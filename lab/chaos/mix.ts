import { type Action, between, drawCase, type Mix, withinOrFar } from '../workload/plan.ts';

/** Range of an item's lifetime, seconds. */
export const LIFE = { from: 3, to: 150 };

const OLDER_STAMP = 0.3;

// Shares of 100 items; the rest is written once and expires.
const SHARES = {
  permanent: 4,
  /** The item is written after its expiry, so that only a tick's lookback may find it. */
  writtenLate: 3,
  deleted: 6,
};

const RENEWALS = {
  renewed: 12,
  /** Renewals in the second of the expiry: the renewal and the delete race. */
  renewedAtExpiry: 5,
  /** Renewals by a second only: a guard with an error of one second deletes the item too early. */
  renewedByASecond: 4,
  madePermanent: 4,
  writtenAgain: 6,
};

const HOLDS = {
  held: 4,
  /** Holds in the second of the expiry: the hold and the delete race. */
  heldAtExpiry: 5,
  /** Held before its expiry, and released after it. */
  released: 6,
};

const NO_HOLDS: Readonly<Record<keyof typeof HOLDS, number>> = { held: 0, heldAtExpiry: 0, released: 0 };

/** Seconds from the expiry to a late write, or to a release. */
const LATEST_SECONDS = 20;

/**
 * The writers' actions on items: many are renewed, deleted, made permanent or written again just before, while, or after they expire.
 *
 * @param renewals whether items may get a later TTL: by a renewal, or when they are written again under the same key
 * @param holds whether some are held
 */
export function chaosMix(renewals: boolean, holds = false): Mix {
  return ({ item, ttl, writeAt, lastTtl, random }) => {
    const olderStamp = random.next() < OLDER_STAMP;
    const fate = drawCase({ ...SHARES, ...RENEWALS, ...(holds ? HOLDS : NO_HOLDS) }, random);
    const write = { atMs: writeAt, item, kind: 'write', ttl, olderStamp } as const;
    /** Draws a time around the item's expiry, milliseconds, but not before its write. */
    const around = (from: number, to: number) =>
      Math.max(writeAt + 100, ttl * 1000 + between(from, to, random));
    const later = () => withinOrFar(ttl + Math.round(between(5, 90, random)), lastTtl);
    const then = (action: Omit<Action, 'item'>): Action[] => [write, { ...action, item }];
    if (fate === undefined || (!renewals && fate in RENEWALS)) return [write];
    switch (fate) {
      case 'permanent':
        return [{ ...write, ttl: undefined }];
      case 'writtenLate': {
        const late = (ttl + between(0, LATEST_SECONDS, random)) * 1000;
        return [{ ...write, atMs: Math.min(late, lastTtl * 1000) }];
      }
      case 'deleted':
        return then({ atMs: around(-3000, 1500), kind: 'delete', ttl: undefined });
      case 'renewed':
        return then({ atMs: around(-5000, -500), kind: 'renew', ttl: later() });
      case 'renewedAtExpiry':
        return then({ atMs: around(-200, 1000), kind: 'renew', ttl: later() });
      case 'renewedByASecond':
        return then({ atMs: around(-200, 900), kind: 'renew', ttl: withinOrFar(ttl + 1, lastTtl) });
      case 'held':
        return then({ atMs: around(-3000, -300), kind: 'hold', ttl: undefined });
      case 'heldAtExpiry':
        return then({ atMs: around(-300, 900), kind: 'hold', ttl: undefined });
      case 'released': {
        const atMs = around(-3000, -300);
        const release = Math.min(ttl + between(0, LATEST_SECONDS, random), lastTtl) * 1000;
        return [
          ...then({ atMs, kind: 'hold', ttl: undefined }),
          { atMs: Math.max(atMs + 100, release), item, kind: 'release', ttl: undefined },
        ];
      }
      case 'madePermanent':
        return then({ atMs: around(-3000, 1000), kind: 'makePermanent', ttl: undefined });
      case 'writtenAgain': {
        const again = { kind: 'writeAgain', ttl: later(), olderStamp: random.next() < OLDER_STAMP } as const;
        return then({ atMs: around(-2000, 4000), ...again });
      }
    }
  };
}
