import { type JobEnd, tellEnd } from '../../cli/job-end.ts';

const TEXTS = { declined: 'Nothing was changed.', failed: 'Try again.', interrupted: 'Go on.' };

test.each<[JobEnd, number, string[]]>([
  ['done', 0, []],
  ['declined', 1, ['Nothing was changed.']],
  ['failed', 1, ['Try again.']],
  ['interrupted', 143, ['Go on.']],
])('a job that is %s ends the command with %d', (end, status, expected) => {
  const told = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  expect(tellEnd(end, TEXTS, { status: () => 143 })).toBe(status);
  expect(told.mock.calls.flat()).toEqual(expected);
  told.mockRestore();
});
