import { auditSpan } from '../../../operate/audit/audit.ts';

const NOW = Date.parse('2026-11-23T12:34:56Z');
const span = (from: string, to?: string) =>
  auditSpan({ from: new Date(from), to: to === undefined ? undefined : new Date(to) }, NOW);

test('a span takes in the minutes in which it begins and ends', () => {
  const seconds = (text: string) => Date.parse(text) / 1000;
  expect(span('2026-11-23T10:00:30Z', '2026-11-23T11:00:01Z')).toEqual({
    from: seconds('2026-11-23T10:00:00Z'),
    before: seconds('2026-11-23T11:01:00Z'),
  });
  expect(span('2026-11-23')).toMatchObject({ before: seconds('2026-11-23T12:35:00Z') });
});

test.each([
  ['2026-11-23', '2026-11-23T12:34:57Z', 'to: expected a time that has passed'],
  ['2026-11-24', undefined, 'from: expected a time before now, 2026-11-23T12:34:56Z'],
  ['2026-11-23', '2026-11-23', 'from: expected a time before 2026-11-23T00:00:00Z, got 2026-11-23T00:00:00Z'],
  ['never', undefined, 'from: expected a time'],
  ['2026-11-09', undefined, 'from: expected 2026-11-09T12:34:56Z or later, got 2026-11-09T00:00:00Z'],
])('refuses from %s to %s', (from, to, message) => {
  expect(() => span(from, to)).toThrow(message);
});
