import { readAuditSpan } from '../../../cli/audit/span.ts';

const NOW = Date.parse('2026-11-23T12:34:56Z');

test('a span takes in the minutes in which it begins and ends', () => {
  const seconds = (text: string) => Date.parse(text) / 1000;
  expect(readAuditSpan('2026-11-23T10:00:30Z', '2026-11-23T11:00:01Z', NOW)).toEqual({
    from: seconds('2026-11-23T10:00:00Z'),
    before: seconds('2026-11-23T11:01:00Z'),
  });
  expect(readAuditSpan('2026-11-23', undefined, NOW)).toEqual({
    from: seconds('2026-11-23T00:00:00Z'),
    before: seconds('2026-11-23T12:35:00Z'),
  });
});

test.each([
  [undefined, undefined, '--from: expected the time of the first deletions, got nothing'],
  ['yesterday', undefined, '--from: expected a date such as 2026-11-20'],
  ['2026-11-23', '12:00', '--to: expected a date such as 2026-11-20'],
  ['2026-11-23', '2026-11-23T12:34:57Z', '--to: expected a time that has passed'],
  ['2026-11-24', undefined, '--from: expected a time before --to (now, 2026-11-23T12:34:56Z)'],
  ['2026-11-23', '2026-11-23', '--from: expected a time before --to (2026-11-23), got "2026-11-23"'],
  [
    '2026-11-09',
    undefined,
    '--from: expected 2026-11-09T12:34:56Z or later, got "2026-11-09"; the journal has',
  ],
])('refuses from %s to %s', (from, to, message) => {
  expect(() => readAuditSpan(from, to, NOW)).toThrow(message);
});
