import { between, drawCase, type Mix, withinOrFar } from '../workload/plan.ts';

// Of 100 sessions; the rest is written once and expires.
const SHARES = { permanent: 5, madePermanent: 5, renewed: 10 };

/**
 * What happens to sessions: some are renewed or lose their TTL in the last seconds before they would expire, and a few
 * never expire.
 *
 * @param renewals whether sessions are renewed, or made permanent, once they have a TTL
 */
export function sessionMix(renewals: boolean): Mix {
  return ({ item, ttl, writeAt, lastTtl, random }) => {
    const fate = drawCase(SHARES, random);
    const write = { atMs: writeAt, item, kind: 'write', ttl } as const;
    if (fate === 'permanent') return [{ ...write, ttl: undefined }];
    if (!renewals) return [write];
    // Shortly before it expires, but never before it is written.
    const atMs = Math.max(writeAt + 500, ttl * 1000 - between(1_000, 5_000, random));
    if (fate === undefined) return [write];
    if (fate === 'madePermanent') return [write, { atMs, item, kind: 'makePermanent', ttl: undefined }];
    const later = withinOrFar(ttl + Math.round(between(10, 60, random)), lastTtl);
    return [write, { atMs, item, kind: 'renew', ttl: later }];
  };
}
