import { startBusyServer } from '../../../lab/experiments/page/busy-server.ts';
import { doubtsOf, medianOf, type PageResult, problemsOf } from '../../../lab/experiments/page.ts';

const openings = (...all: number[]) => all.map(ms => ({ ms, processorMs: ms }));

test.each<[string, PageResult, RegExp[]]>([
  ['fast and flat', { openings: openings(1_500, 300, 400), minutesMb: [300, 310, 350] }, []],
  [
    'slow',
    { openings: openings(300, 1_000, 1_100), minutesMb: [] },
    [/^to open the page took 1,000 ms of the processors \(the median\); expected less than 1,000$/],
  ],
  [
    'growing',
    { openings: openings(300), minutesMb: [300, 351, 290] },
    [/^the command grew by 51 MB; expected at most 50$/],
  ],
  ['less at the end than at the beginning', { openings: openings(300), minutesMb: [300, 250] }, []],
])('%s', (_name, result, problems) => {
  expect(problemsOf(result)).toEqual(problems.map(problem => expect.stringMatching(problem)));
});

test('on a busy machine the clock proves nothing', () => {
  const busy = { openings: [{ ms: 2_000, processorMs: 600 }], minutesMb: [] };
  expect(problemsOf(busy)).toEqual([]);
  expect(doubtsOf(busy)).toEqual([expect.stringMatching(/^the page opened in 2,000 ms/)]);
  expect(doubtsOf({ openings: openings(300), minutesMb: [] })).toEqual([]);
});

test('the median of an even number of values is the upper one of the middle', () => {
  expect(medianOf([4, 1, 3, 2])).toBe(3);
});

test('a server with as many executions and events as were asked for', async () => {
  const server = await startBusyServer({ executions: 20, events: 500 });
  try {
    expect(server).toMatchObject({ executions: 20 });
    expect(server.events).toBeGreaterThan(490);
    expect(server.events).toBeLessThanOrEqual(510);
    const [origin = '', hash = ''] = server.address.split('#');
    const answer = await fetch(`${origin}page/data/history?arn=${hash}`);
    expect(((await answer.json()) as { events: unknown[] }).events).toHaveLength(server.events);
  } finally {
    await server.stop();
  }
});
