import { readBatchAnswer } from '../../src/streams/batch-answer.ts';

const BATCH = ['11', '12', '13'];
const failures = (...items: unknown[]) => ({ batchItemFailures: items });
const id = (itemIdentifier: unknown) => ({ itemIdentifier });

/** The tables of "Configuring partial batch response with DynamoDB and Lambda", and what they leave open. */
test.each([undefined, null, '', {}, { other: 1 }, { batchItemFailures: null }, failures()])(
  '%j: all is done',
  answer => {
    expect(readBatchAnswer(answer, BATCH)).toEqual({ kind: 'done' });
  },
);

test.each([
  [failures(id('13')), 2],
  [failures(id('13'), id('12')), 1],
  [failures(id('11')), 0],
  [failures(id('13'), id('')), 0],
  [failures(id('13'), id(null)), 0],
  [failures(id('13'), { sequenceNumber: '13' }), 0],
  [failures(id('13'), id('14')), 0],
  [failures(id(13)), 0],
  [failures(id('13'), null), 0],
  [{ batchItemFailures: 'all' }, 0],
  ['done', 0],
  [7, 0],
  [[], 0],
])('%j: failed from %i on', (answer, index) => {
  expect(readBatchAnswer(answer, BATCH)).toEqual({ kind: 'failed', index });
});
