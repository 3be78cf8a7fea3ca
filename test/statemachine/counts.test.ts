import {
  addCounts,
  CALL_COUNTS,
  CHILD_COUNTS,
  CHUNK_COUNTS,
  COUNT_LIST,
  EXECUTION_COUNTS,
  FATES,
  noCounts,
  sumOfFates,
  wordsOf,
} from '../../statemachine/counts.ts';

test('each level counts what the one below it counts, and more', () => {
  for (const [less, more] of [
    [CALL_COUNTS, CHUNK_COUNTS],
    [CHUNK_COUNTS, CHILD_COUNTS],
    [CHILD_COUNTS, EXECUTION_COUNTS],
  ] as const) {
    expect(more).toEqual(expect.arrayContaining([...less]));
    expect(more.length).toBeGreaterThan(less.length);
  }
  expect(EXECUTION_COUNTS).toEqual(COUNT_LIST.map(([name]) => name));
});

test('what is found has one fate', () => {
  expect(FATES).toEqual(expect.arrayContaining(['deleted', 'renewed', 'notFound', 'failed']));
  const counts = { ...noCounts(EXECUTION_COUNTS), found: 100, deleted: 1, failed: 2, retries: 30 };
  expect(sumOfFates(counts)).toBe(3);
});

test('counts are added name by name, and nothing else is', () => {
  const one = { ...noCounts(CHUNK_COUNTS), deleted: 1, retries: 2, found: 7 };
  expect(addCounts(CHUNK_COUNTS, one, { ...one, deleted: 4 })).toEqual({
    ...noCounts(CHUNK_COUNTS),
    deleted: 5,
    retries: 4,
  });
});

test('a count that came with a deployment is 0 in an execution that began before it', () => {
  const { deleted: _deleted, ...older } = noCounts(CALL_COUNTS);
  const counts = { ...noCounts(CALL_COUNTS), deleted: 3 };
  expect(addCounts(CALL_COUNTS, older as typeof counts, counts)).toEqual(counts);
  expect(addCounts(CALL_COUNTS, counts, older as typeof counts)).toEqual(counts);
});

test('no two counts share a metric, and each says what it counts', () => {
  const metrics = COUNT_LIST.flatMap(([, { metric }]) => metric?.name ?? []);
  expect(new Set(metrics).size).toBe(metrics.length);
  for (const [, { help }] of COUNT_LIST) expect(help).toMatch(/^[A-Z][^|]*\.$/);
});

test('a name in words', () => expect(wordsOf('oldestOverdueSeconds')).toBe('oldest overdue seconds'));
