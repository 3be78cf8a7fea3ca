import { pathOf } from '../../config/prop-groups.ts';
import { propProblems, RELATIONS, relationProblems } from '../../config/prop-problems.ts';
import { resolveProps } from '../../config/props.ts';
import { BROKEN_RELATIONS } from '../support/broken-relations.ts';

test('there is a broken example of each relation', () => {
  expect(BROKEN_RELATIONS.map(({ field }) => field)).toEqual(RELATIONS.map(({ props: [field] }) => field));
});

test.each(BROKEN_RELATIONS.map(({ field, props }, index) => ({ field, props, relation: RELATIONS[index] })))(
  '$field is refused of $props, and nothing else',
  ({ field, props, relation }) => {
    const table = resolveProps({ ...props, tableName: 'Sessions' });
    expect(RELATIONS.filter(({ holds }) => !holds(table))).toEqual([relation]);
    expect(relationProblems(table)).toEqual([expect.objectContaining({ field })]);
    expect(propProblems({ ...props, tableName: 'Sessions' })).toEqual([
      expect.objectContaining({ field: pathOf(field) }),
    ]);
  },
);

test('nothing is refused of a table with defaults', () => {
  expect(relationProblems(resolveProps({ tableName: 'Sessions', partitionKey: 'id' }))).toEqual([]);
});
