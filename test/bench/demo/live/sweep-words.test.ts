import { type Observed, sweepInWords } from '../../../../bench/demo/live/sweep-words.ts';

const START = Date.parse('2026-11-20T09:01:00Z');

type Step = readonly [type: string, name: string, output?: object];

/** An execution that made these steps, one each second. */
function running(...steps: readonly Step[]): Observed {
  const history = steps.map(([type, name, output], index) => ({
    id: index + 1,
    previousEventId: index,
    timestamp: START + index * 1_000,
    type,
    ...(type.endsWith('Entered')
      ? { stateEnteredEventDetails: { name } }
      : { stateExitedEventDetails: { name, output: JSON.stringify(output ?? {}) } }),
  }));
  return { status: 'RUNNING', history };
}

const WAITING: readonly Step[] = [
  ['TaskStateEntered', 'QueryExpired'],
  ['TaskStateExited', 'QueryExpired', { next: 'wait' }],
  ['ChoiceStateEntered', 'NextStep?'],
  [
    'ChoiceStateExited',
    'NextStep?',
    { next: 'wait', until: '2026-11-20T09:02:00Z', chunks: [{ until: null }] },
  ],
  ['WaitStateEntered', 'WaitForNextExpiry'],
];
const deleted = (count: number): Step => ['TaskStateExited', 'DeleteChunk', { progress: { deleted: count } }];

test('says when the next tick starts where none runs', () => {
  expect(sweepInWords([], START)).toEqual(['no tick runs', 'the next one starts at 09:01:00Z']);
  expect(sweepInWords([], undefined)).toEqual(['no tick runs']);
});

test('says for what a tick waits', () => {
  expect(sweepInWords([running(...WAITING)], undefined)).toEqual(['WaitForNextExpiry until 09:02:00Z']);
});

test('says which function runs', () => {
  expect(sweepInWords([running(...WAITING, ['TaskStateEntered', 'QueryExpired'])], undefined)).toEqual([
    'QueryExpired asks the index',
  ]);
});

test('adds up what the chunks of the last page deleted, and no earlier ones', () => {
  const page = (...chunks: Step[]): Step[] => [
    ['MapStateEntered', 'DeleteChunks'],
    ['TaskStateEntered', 'DeleteChunk'],
    ...chunks,
    ['MapStateExited', 'DeleteChunks'],
  ];
  const steps = [...page(deleted(5)), ...page(deleted(25), deleted(3)), ...WAITING];
  expect(sweepInWords([running(...steps)], undefined)).toEqual([
    '09:01:07Z DeleteChunk: 28 deleted',
    'WaitForNextExpiry until 09:02:00Z',
  ]);
});

test('speaks of the execution in which something happened last', () => {
  const waits = running(...WAITING);
  const works = running(...WAITING, ['TaskStateEntered', 'DeleteChunk']);
  expect(sweepInWords([waits, works], undefined)).toEqual(['DeleteChunk deletes']);
  expect(sweepInWords([works, waits], undefined)).toEqual(['DeleteChunk deletes']);
});
