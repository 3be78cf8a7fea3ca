import { readFileSync } from 'node:fs';

const RUNBOOK = 'docs/reference/alarms.md';

/** The sections of the runbook by their headings. */
export function runbookSections(): ReadonlyMap<string, string> {
  const [, ...sections] = readFileSync(RUNBOOK, 'utf8').split(/^## /m);
  return new Map(sections.map(text => [text.slice(0, text.indexOf('\n')), text]));
}

/** Blocks without a language are what was printed; `…` stands for lines that are left out. */
function shownIn(section: string): string[] {
  return [...section.matchAll(/^```(\w*)\n(.*?)^```$/gms)]
    .filter(([, language]) => language === '')
    .flatMap(([, , block = '']) => block.split('\n'))
    .filter(line => line.trim() !== '' && line.trim() !== '…');
}

/** Times, numbers and made-up names differ from run to run. */
const invariant = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4,12}){2,}/g, 'NAME')
    .replaceAll(/\d[\d.,:]*/g, '0')
    .replaceAll(/ +/g, ' ');

/** The lines that a section shows and that were not printed. One that ends with ` …` shows the beginning of a line. */
export function notPrinted(heading: string, printed: readonly string[]): string[] {
  const section = runbookSections().get(heading);
  if (section === undefined) throw new Error(`${RUNBOOK} has no section ${heading}`);
  const lines = printed.flatMap(text => text.split('\n')).map(invariant);
  const shown = shownIn(section);
  if (shown.length === 0) throw new Error(`${RUNBOOK}: the section ${heading} shows nothing`);
  return shown.filter(line => {
    const [wanted = '', ...more] = invariant(line).split(' …');
    return !lines.some(each => (more.length === 0 ? each === wanted : each.startsWith(wanted)));
  });
}
