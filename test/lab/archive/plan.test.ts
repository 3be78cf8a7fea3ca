import { seededRandom } from 'stepfunctions-emulator';
import { type Deed, planArchive, planRenewals } from '../../../lab/archive/plan.ts';

const NOW = 1_795_318_080;
const AWAY = 10;
const options = { expiries: 1_000, now: NOW, random: seededRandom(1) };

test('an archive is measured with so many expiries, and with all that is none', () => {
  const { ttls, before, meanwhile, spans } = planArchive(options);
  const deeds = [...before, ...meanwhile];
  const expired = [...ttls].filter(([, ttl]) => ttl <= NOW);
  const renewed = deeds.filter(deed => deed.kind === 'renew' && deed.ttl > NOW).map(({ id }) => id);
  const again = deeds.filter(({ kind }) => kind === 'again').length;
  expect(expired.filter(([id]) => !renewed.includes(id)).length + again).toBe(1_000);
  expect([...ttls.values()].filter(ttl => Math.abs(ttl - NOW) < AWAY)).toEqual([]);
  const isIn = (ttl: number) => spans.some(({ from, to }) => ttl >= from && ttl <= to);
  expect(expired.filter(([, ttl]) => !isIn(ttl))).toEqual([]);
  const kinds = new Set(deeds.map(deed => `${deed.kind} ${(ttls.get(deed.id) ?? 0) > NOW}`));
  expect([...kinds].sort()).toEqual([
    'again false',
    'brief false',
    'delete false',
    'delete true',
    'renew false',
    'renew true',
  ]);
});

test('nothing happens twice to an item, and a second life has another expiry', () => {
  const { ttls, before, meanwhile } = planArchive(options);
  const deeds = [...before, ...meanwhile];
  expect(new Set(deeds.map(({ id }) => id)).size).toBe(deeds.length);
  const same = (deed: Deed) => deed.kind === 'again' && deed.ttl === ttls.get(deed.id);
  expect(deeds.filter(same)).toEqual([]);
});

test('archiveFirst is measured with renewals, and with changes that are none', () => {
  const { ttls, meanwhile, expiring } = planRenewals(options);
  expect([ttls.size, expiring]).toEqual([1_000, 800]);
  const renewals = meanwhile.filter(deed => deed.kind === 'renew' && deed.ttl > NOW);
  expect(Math.abs(renewals.length - 200)).toBeLessThan(70);
  expect(Math.abs(meanwhile.length - renewals.length - 100)).toBeLessThan(50);
});
