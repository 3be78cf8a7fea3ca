import fc from 'fast-check';
import { type KnownOfTable, missedSpan } from '../../../operate/resume/resume.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const SECONDS = NOW / 1000;
const iso = (secondsAgo: number) => new Date(NOW - secondsAgo * 1000).toISOString();
const gone = (secondsAgo: number) => ({ since: 0, gone: SECONDS - secondsAgo, at: '' });
const pause = (secondsAgo: number) => ({ since: iso(secondsAgo) });

test.each<[string, Partial<KnownOfTable>, [number, number] | undefined]>([
  ['ticks keep up', { watermark: gone(60) }, undefined],
  ['it was paused just now', { watermark: gone(60), pause: pause(30) }, undefined],
  ['it is paused for longer', { watermark: gone(600), pause: pause(590) }, [609, 0]],
  ['it is not paused, and its ticks look back so far', { watermark: gone(580) }, undefined],
  ['a pause has ended by itself, longer ago than that', { watermark: gone(7200) }, [7209, 0]],
  ['no tick has swept it', {}, undefined],
  ['it was paused before its first tick', { pause: pause(600) }, [610, 0]],
])('when %s', (_when, known, expected) => {
  const table = { watermark: undefined, pause: undefined, lookbackMinutes: 10, ...known };
  const missed = missedSpan(table, NOW);
  expect(missed && [SECONDS - missed.from, SECONDS - missed.to]).toEqual(expected);
});

test('a span that is replayed leaves nothing out between the watermark and now', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100_000 }), fc.boolean(), (ago, paused) => {
      const table = {
        watermark: gone(ago),
        pause: paused ? pause(ago) : undefined,
        lookbackMinutes: 10,
      };
      const missed = missedSpan(table, NOW);
      if (missed === undefined) {
        expect(ago).toBeLessThan(paused ? 180 : 600);
        return;
      }
      expect(missed.from).toBeLessThanOrEqual(table.watermark.gone + 1);
      expect(missed.to).toBe(SECONDS);
    }),
  );
});
