import fc from 'fast-check';
import { cutIntoCalls, type Outgoing } from '../../../functions/publish-expiries/calls.ts';

const LIMITS = { events: 3, eventBytes: 20, callBytes: 10 };

const event = (id: string, key: string, text: string, textWithoutImage?: string): Outgoing => ({
  id,
  key,
  text,
  ...(textWithoutImage !== undefined && { textWithoutImage }),
});

function idsOfCalls(...events: Outgoing[]): string[] {
  return cutIntoCalls(events, LIMITS, () => {}).map(call => call.map(({ id }) => id).join(''));
}

test.each<[string, Outgoing[], string[]]>([
  ['nothing', [], []],
  ['as many as a call takes', ['a', 'b', 'c'].map(id => event(id, id, '1')), ['abc']],
  ['one more', ['a', 'b', 'c', 'd'].map(id => event(id, id, '1')), ['abc', 'd']],
  ['two of one key', [event('a', 'k', '1'), event('b', 'k', '1'), event('c', 'x', '1')], ['a', 'bc']],
  ['as many bytes as a call takes', [event('a', 'a', '12345'), event('b', 'b', '12345')], ['ab']],
  ['one byte more', [event('a', 'a', '12345'), event('b', 'b', '123456')], ['a', 'b']],
  ['a character of two bytes', [event('a', 'a', '12345'), event('b', 'b', '1234é')], ['a', 'b']],
  [
    'one that is larger than the others may be together',
    [event('a', 'a', '1'), event('b', 'b', '12345678901'), event('c', 'c', '1')],
    ['a', 'b', 'c'],
  ],
])('%s', (_name, events, expected) => {
  expect(idsOfCalls(...events)).toEqual(expected);
});

test.each([
  [20, ['x'.repeat(20)], []],
  [21, ['short'], ['a']],
])('an image with which an event has %d bytes', (bytes, texts, omitted) => {
  const told: string[] = [];
  const calls = cutIntoCalls([event('a', 'a', 'x'.repeat(bytes), 'short')], LIMITS, ({ id }) =>
    told.push(id),
  );
  expect(calls.flat().map(({ text }) => text)).toEqual(texts);
  expect(told).toEqual(omitted);
});

test('calls have every event once, in order, within the limits, and no key twice', () => {
  const anyEvent = fc.record({
    id: fc.uuid(),
    key: fc.constantFrom('a', 'b', 'c', 'd'),
    text: fc.string({ maxLength: 12 }),
  });
  fc.assert(
    fc.property(fc.array(anyEvent), events => {
      const calls = cutIntoCalls(events, LIMITS, () => {});
      expect(calls.flat()).toEqual(events);
      for (const call of calls) {
        expect(call.length).toBeGreaterThan(0);
        expect(call.length).toBeLessThanOrEqual(LIMITS.events);
        expect(new Set(call.map(({ key }) => key)).size).toBe(call.length);
        const bytes = call.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
        expect(call.length === 1 || bytes <= LIMITS.callBytes).toBe(true);
      }
    }),
  );
});
