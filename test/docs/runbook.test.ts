import { ALARM_NAMES, kebab, runbookOf } from '../../config/alarms.ts';
import { INCIDENTS } from '../../local/rehearsal.ts';
import { runbookSections } from '../runbook/sections.ts';

const INCIDENT_SECTIONS = Object.values(INCIDENTS).map(({ section }) => section);

test('the runbook has a section for each alarm and each incident that can be rehearsed, and no others', () => {
  const expected = [...ALARM_NAMES.map(kebab), ...INCIDENT_SECTIONS];
  expect([...runbookSections().keys()].sort()).toEqual(expected.sort());
});

test.each(Object.entries(INCIDENTS))(
  'the section of %s says how it is rehearsed, besides what one of an alarm does',
  (kind, { section }) => {
    const text = runbookSections().get(section) ?? '';
    expect(text).toContain(`npx precise-ttl local --seed 1000 --break ${kind}`);
    for (const part of [/^```$/m, /^- .+: .+/m, /\*\*Over\*\*/]) expect(text).toMatch(part);
  },
);

test.each(ALARM_NAMES)('the section of %s says what to do, and when it is over', alarm => {
  const section = runbookSections().get(kebab(alarm)) ?? '';
  expect(section).toMatch(/^- .+: .+/m);
  expect(section).toMatch(/\*\*Over\*\*/);
  // GitHub's anchor of the heading is the heading.
  expect(runbookOf(alarm)).toMatch(new RegExp(`/docs/reference/alarms\\.md#${kebab(alarm)}$`));
});
