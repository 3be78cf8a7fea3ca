import { setTimeout as sleep } from 'node:timers/promises';
import type { Deed } from './plan.ts';
import type { Users } from './users.ts';

const AT_ONCE = 4;

/** Does what was planned, in order, at most so many a second. */
export async function doDeeds(deeds: readonly Deed[], users: Users, perSecond: number): Promise<void> {
  const startMs = Date.now();
  const left = deeds.entries();
  const work = async () => {
    for (const [index, deed] of left) {
      const early = startMs + (index / perSecond) * 1000 - Date.now();
      if (early > 0) await sleep(early);
      await doDeed(deed, users);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function doDeed(deed: Deed, users: Users): Promise<void> {
  if (deed.kind === 'renew') return users.renew(deed.id, deed.ttl);
  await users.delete(deed.id);
  if (deed.kind === 'again') await users.write(deed.id, deed.ttl);
}
