import { realClock, VirtualClock } from '../../src/clock.ts';
import { AWS_LIMITS } from '../../src/interpreter/index.ts';
import { arnOf, machineOf, outcome, run, start } from './run-definition.ts';

const end = { Type: 'Succeed' };
/** A loop of the state and this one, with an end that it never gets to. */
const again = { Type: 'Choice', Choices: [{ Condition: '{% false %}', Next: 'End' }], Default: 'A' };
const loopOf = (state: object) => ({ A: { ...state, Next: 'Again' }, Again: again, End: end });
const loop = loopOf({ Type: 'Pass' });
const timedOut = { status: 'TIMED_OUT', error: 'States.Timeout' };

describe('an Express execution that goes round without time passing is ended', () => {
  test.each([
    ['from the beginning', machineOf(loop), {}],
    ['after other states', machineOf({ First: { Type: 'Pass', Next: 'A' }, ...loop }), {}],
    ['that calls a function', machineOf(loopOf({ Type: 'Task', Resource: arnOf('f') })), {}],
    ['with a time limit', machineOf(loop, { TimeoutSeconds: 7 }), { seconds: 7 }],
    [
      'inside a Map that catches everything',
      machineOf({
        Each: {
          Type: 'Map',
          Items: [1, 2],
          ItemProcessor: { StartAt: 'A', States: loop },
          Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Caught' }],
          End: true,
        },
        Caught: { Type: 'Pass', End: true },
      }),
      {},
    ],
  ])('%s', async (_what, definition, { seconds = 300 }: { seconds?: number }) => {
    const execution = await run(definition, { type: 'EXPRESS', functions: { f: () => null } });
    expect(outcome(execution)).toEqual(timedOut);
    expect(execution.cause).toMatch(
      /^25000 states were entered without time passing, and go round: (A, Again|Again, A)\. On AWS/,
    );
    expect(execution.cause).toContain(`would take ${seconds} s`);
  });

  test('and not one in which time passes, which gets to the limit of its time', async () => {
    const execution = await run(machineOf(loopOf({ Type: 'Wait', Seconds: 1 })), { type: 'EXPRESS' });
    expect(outcome(execution)).toEqual(timedOut);
    expect(execution.cause).toBeUndefined();
    expect((execution.stopDate ?? 0) - execution.startDate).toBe(300_000);
  });

  test('and not one whose branches enter more states together', async () => {
    const items = Array.from({ length: 13_000 }, (_, index) => index);
    const definition = machineOf({
      Each: {
        Type: 'Map',
        ItemProcessor: {
          StartAt: 'A',
          States: { A: { Type: 'Pass', Next: 'B' }, B: { Type: 'Pass', End: true } },
        },
        End: true,
      },
    });
    expect((await run(definition, { type: 'EXPRESS', input: items })).output).toEqual(items);
  });
});

test('a Standard execution that goes round is ended by its events, as on AWS', async () => {
  const execution = await run(machineOf(loop));
  expect(outcome(execution)).toEqual({ status: 'FAILED', error: 'States.Runtime' });
  expect(execution.history).toHaveLength(AWS_LIMITS.standardHistoryEvents);
});

test('what has nothing to wait for lets timers and I/O have their turn', async () => {
  const execution = start(machineOf(loop, { TimeoutSeconds: 60 }), {
    type: 'EXPRESS',
    clock: realClock as VirtualClock,
  });
  setTimeout(() => execution.stop('Enough'), 10);
  expect(outcome(await execution.done)).toEqual({ status: 'ABORTED', error: 'Enough' });
});

test('a virtual clock stands still meanwhile', async () => {
  const clock = new VirtualClock(0);
  const late = clock.sleep(1000).then(() => execution.status);
  const counted = {
    Type: 'Choice',
    Choices: [{ Condition: '{% $n < 2000 %}', Assign: { n: '{% $n + 1 %}' }, Next: 'Count' }],
    Default: 'End',
  };
  const definition = machineOf({
    Begin: { Type: 'Pass', Assign: { n: 0 }, Next: 'Count' },
    Count: counted,
    End: end,
  });
  const execution = start(definition, { type: 'EXPRESS', clock });
  expect((await execution.done).stopDate).toBe(0);
  expect(await late).toBe('SUCCEEDED');
});
