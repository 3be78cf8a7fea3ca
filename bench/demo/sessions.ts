import { type Action, between, drawCase, LIFE, type Mix, withinOrFar } from '../workload/plan.ts';

// Shares of 100 sessions; the others are written once and expire.
const SHARES = { permanent: 5, madePermanent: 5, renewed: 10, deleted: 5 };

/**
 * Least milliseconds from a deletion by the application to the item's expiry, because DynamoDB Local rounds the times in its streams to the
 * minute.
 */
const DELETED_BEFORE_MS = 8_000;

export interface SessionFates {
  /** Whether sessions are renewed, or made permanent, once they have a TTL. */
  readonly renewals: boolean;
  /** Whether the application deletes some, well before they expire. @default false */
  readonly deletes?: boolean;
}

/**
 * The mix of sessions: some are renewed or lose their TTL in the last seconds before they would expire, and a few never expire.
 */
export function sessionMix({ renewals, deletes = false }: SessionFates): Mix {
  return ({ item, ttl, writeAt, lastTtl, random }) => {
    const fate = drawCase(SHARES, random);
    const write = { atMs: writeAt, item, kind: 'write', ttl } as const;
    if (fate === 'permanent') return [{ ...write, ttl: undefined }];
    const expiresAt = ttl * 1000;
    if (fate === 'deleted') {
      const at = Math.max(writeAt + 500, expiresAt - DELETED_BEFORE_MS);
      return deletes ? [write, { atMs: at, item, kind: 'delete', ttl: undefined }] : [write];
    }
    // Shortly before it expires, but never before it is written.
    const shortlyBefore = () => Math.max(writeAt + 500, expiresAt - between(1_000, 5_000, random));
    if (!renewals) return [write];
    const atMs = shortlyBefore();
    if (fate === undefined) return [write];
    if (fate === 'madePermanent') return [write, { atMs, item, kind: 'makePermanent', ttl: undefined }];
    const later = withinOrFar(ttl + Math.round(between(LIFE.from, LIFE.to, random)), lastTtl);
    return [write, { atMs, item, kind: 'renew', ttl: later }];
  };
}

/** The most sessions that have expired when the sweep begins, and for how many seconds sessions had expired. */
const MOST_BACKLOG = 480;
const BACKLOG_SECONDS = 24;
const UNSWEPT_SECONDS = 600;

/**
 * Sessions that expired while nobody swept, over ten minutes. They are written when they have expired, and their numbers are negative.
 * @param before epoch seconds: all have expired by then
 */
export function backlogOf(before: number, rate: number): readonly (Action & { readonly ttl: number })[] {
  const count = Math.min(MOST_BACKLOG, Math.ceil(rate * BACKLOG_SECONDS));
  return Array.from({ length: count }, (_unused, index) => ({
    ...{ atMs: before * 1000, item: -1 - index, kind: 'write' as const },
    ttl: before - 1 - Math.floor((index / count) * UNSWEPT_SECONDS),
  }));
}
