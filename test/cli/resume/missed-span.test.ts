import { findMissed, type MissedSpan, type Started, tickTimeOf } from '../../../cli/resume/missed-span.ts';

const MINUTE = 60_000;
const NOW = Date.parse('2026-11-20T12:00:00Z');

/** Minutes before now. */
const tick = (ago: number): Started => ({ name: `tick-${ago}`, startedAt: NOW - ago * MINUTE });
const other = (ago: number, name = `by-hand-${ago}`): Started => ({ name, startedAt: NOW - ago * MINUTE });

async function find(starts: readonly Started[], createdAgo?: number): Promise<[number, number] | undefined> {
  async function* each() {
    yield* starts;
  }
  // Scheduler fired the ticks half a minute late.
  const tickTime = async (name: string) =>
    name.startsWith('tick-') ? NOW - Number(name.slice(5)) * MINUTE - MINUTE / 2 : undefined;
  const beginning = () => (createdAgo === undefined ? undefined : NOW - createdAgo * MINUTE);
  const ago = ({ from, to }: MissedSpan): [number, number] => [(NOW - from) / MINUTE, (NOW - to) / MINUTE];
  const missed = await findMissed(each(), NOW, 10 * MINUTE, tickTime, beginning);
  return missed && ago(missed);
}

test.each<[string, readonly Started[], [number, number] | undefined, number | undefined]>([
  ['ticks came every minute', [tick(1), tick(2), tick(3)], undefined, undefined],
  ['the last one is as long ago as a tick looks back', [tick(10)], undefined, undefined],
  ['it is longer ago', [tick(11), tick(12)], [11.5, 0], undefined],
  ['they have gone on by themselves', [tick(1), tick(2), tick(60), tick(61)], [60.5, 2], undefined],
  [
    'somebody started others meanwhile',
    [other(5), tick(6), other(20), other(30), tick(60)],
    [60.5, 6],
    undefined,
  ],
  ['others are all that there is near', [other(1), other(9), tick(30)], [30.5, 1], undefined],
  ['others came all the time', [other(5), other(10), other(15), other(20), tick(25)], [25.5, 0], undefined],
  ['replays ran meanwhile', [other(1, 'replay-a'), other(3, 'dryrun-b'), tick(30)], [30.5, 0], undefined],
  ['two were missed, it is the newer one', [tick(1), tick(20), tick(21), tick(90)], [20.5, 1], undefined],
  ['none has ever come', [], [60, 0], 60],
  ['it was just deployed', [], undefined, 5],
  ['what was before is not known', [], undefined, undefined],
  ['the first one came late', [tick(1), tick(2)], [60, 2], 60],
])('when %s', async (_when, starts, expected, createdAgo) => {
  expect(await find(starts, createdAgo)).toEqual(expected);
});

test.each([
  ['{"scheduledTime":"2026-11-20T12:00:00Z"}', NOW],
  ['{"scheduledTime":"2026-11-20T12:00:00Z","maxDeletesPerSecond":5}', NOW],
  ['{"scheduledTime":"2026-11-20T12:00:00Z","lookbackMinutes":1440}', undefined],
  ['{"from":"2026-11-20T12:00:00Z","to":"2026-11-20T13:00:00Z"}', undefined],
  ['', undefined],
  ['null', undefined],
])('the tick of the input %s', (input, expected) => {
  expect(tickTimeOf(input)).toBe(expected);
});
