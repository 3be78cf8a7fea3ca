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
  if (deed.kind === 'brief') return live(deed.id, users);
  await users.delete(deed.id);
  if (deed.kind === 'again') await users.write(deed.id, deed.ttl);
}

/** Seconds that an item lives, and that have to be left when it is deleted: a busy machine may take as long for the delete. */
const BRIEF_SECONDS = 20;
const LEFT_SECONDS = 12;

async function live(id: string, users: Users): Promise<void> {
  const ttl = Math.floor(Date.now() / 1000) + BRIEF_SECONDS;
  await users.write(id, ttl);
  // Else it stays, and expires.
  if (Date.now() < (ttl - LEFT_SECONDS) * 1000) await users.delete(id);
}
