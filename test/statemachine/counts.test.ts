import {
  addCounts,
  CALL_COUNTS,
  CHILD_COUNTS,
  CHUNK_COUNTS,
  COUNT_LIST,
  EXECUTION_COUNTS,
  noCounts,
  sumOfFates,
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

test('counts are added name by name, and one that came with a deployment is 0 in an execution that began before', () => {
  const one = { ...noCounts(CHUNK_COUNTS), deleted: 1, retries: 2, found: 7 };
  const { retries: _retries, ...older } = { ...one, deleted: 4 };
  const sum = { ...noCounts(CHUNK_COUNTS), deleted: 5, retries: 2 };
  expect(addCounts(CHUNK_COUNTS, one, older as typeof one)).toEqual(sum);
  expect(addCounts(CHUNK_COUNTS, older as typeof one, one)).toEqual(sum);
  expect(sumOfFates({ ...one, ...older, failed: 2 })).toBe(6);
});

test('no two counts share a metric', () => {
  const metrics = COUNT_LIST.flatMap(([, { metric }]) => metric?.name ?? []);
  expect(new Set(metrics).size).toBe(metrics.length);
});
