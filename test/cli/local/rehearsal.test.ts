import { describeChange, describePlan, describePlay, readRehearsal } from '../../../cli/local/rehearsal.ts';
import { type Incident, Rehearsal } from '../../../local/rehearsal.ts';
import { SteppedClock } from '../../../testing/stepped-clock.ts';
import { runbookSections } from '../../runbook/sections.ts';

const START = Date.parse('2026-11-21T12:08:20Z');

test.each<[string, string | undefined, Incident, number | undefined]>([
  ['throttle', undefined, { kind: 'throttle' }, undefined],
  ['down', '2m', { kind: 'down' }, 120_000],
  ['hang', '90s', { kind: 'hang' }, 90_000],
  ['slow', '1h', { kind: 'slow' }, 3_600_000],
  ['clock=+2s', undefined, { kind: 'clock', aheadMs: 2_000 }, undefined],
  ['clock=-1m', undefined, { kind: 'clock', aheadMs: -60_000 }, undefined],
])('--break %s --for %s', (broken, length, incident, forMs) => {
  expect(readRehearsal(broken, length)).toEqual({ incident, forMs });
});

test('without the flags there is none', () => {
  expect(readRehearsal(undefined, undefined)).toBeUndefined();
});

test.each<[string | undefined, string | undefined, string]>([
  [
    'dwon',
    undefined,
    '--break: expected throttle, down, hang, slow, or clock= with a sign and a time, such as clock=+2s, got "dwon"',
  ],
  ['clock', undefined, 'such as clock=+2s, got "clock"'],
  ['clock=2s', undefined, 'such as clock=+2s, got "clock=2s"'],
  [
    'clock=+2',
    undefined,
    '--break clock: expected a whole number and s, m, h or d, such as 90m or 2h, from 1s to 10m, got "2"',
  ],
  ['clock=+11m', undefined, 'from 1s to 10m, got "11m"'],
  ['down', '2', '--for: expected a whole number and s, m, h or d, such as 90m or 2h, from 1s to 1d, got "2"'],
  [undefined, '2m', '--for: expected beside --break, got 2m alone; write --break down --for 2m'],
])('--break %s --for %s is refused', (broken, length, message) => {
  expect(() => readRehearsal(broken, length)).toThrow(message);
});

test('it says from when to when, what is wrong, where to read on, what to type, and when it begins and ends', async () => {
  const clock = new SteppedClock(START);
  const changed: string[] = [];
  const rehearsal = new Rehearsal(
    {
      incident: { kind: 'clock', aheadMs: -20_000 },
      forMs: 90_000,
      onChange: (...told) => changed.push(describeChange(told[0], clock.now(), told[1])),
    },
    clock,
  );
  rehearsal.plan();
  const wrong = "the clocks of Step Functions, Scheduler and Lambda are 20 s behind DynamoDB's";
  expect(describePlan(rehearsal)).toBe(`from 12:10:15Z to 12:11:45Z: ${wrong}`);
  expect(describePlay(rehearsal).join('\n')).toMatch(/section clock-skew .*\n\nnpx precise-ttl status$/);
  await clock.advance(300_000);
  expect(changed).toEqual([
    `12:10:15Z  --break  ${wrong}, until 12:11:45Z`,
    '12:11:45Z  --break  over after 1 min 30 s; how you see it: clock-skew in docs/reference/alarms.md',
  ]);
});

test.each<Incident>([
  { kind: 'throttle' },
  { kind: 'down' },
  { kind: 'hang' },
  { kind: 'slow' },
  { kind: 'clock', aheadMs: 1 },
])('the runbook has the section of %j; without --for it stays', incident => {
  const rehearsal = new Rehearsal({ incident }, new SteppedClock(START));
  rehearsal.plan();
  expect([...runbookSections().keys()]).toContain(rehearsal.section);
  expect(describePlan(rehearsal)).toMatch(/^from 12:10:15Z on: /);
  expect(describeChange(rehearsal, START, new Error('EADDRINUSE'))).toBe(
    '12:08:20Z  --break  did not end: Error: EADDRINUSE',
  );
});
