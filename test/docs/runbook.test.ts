import { ALARM_NAMES, kebab, runbookOf } from '../../config/alarms.ts';
import { runbookSections } from '../runbook/sections.ts';

test('the runbook has a section for each alarm, and no others', () => {
  expect([...runbookSections().keys()].sort()).toEqual(ALARM_NAMES.map(kebab).sort());
});

test.each(ALARM_NAMES)('the section of %s says what to do, and when it is over', alarm => {
  const section = runbookSections().get(kebab(alarm)) ?? '';
  expect(section).toMatch(/^- .+: .+/m);
  expect(section).toMatch(/\*\*Over\*\*/);
  // GitHub's anchor of the heading is the heading.
  expect(runbookOf(alarm)).toMatch(new RegExp(`/docs/reference/alarms\\.md#${kebab(alarm)}$`));
});
