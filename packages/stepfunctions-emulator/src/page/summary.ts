import type { Execution } from '../interpreter/index.ts';

/** Maximum number of characters of an input with a summary. Parsing a longer input would take too long. */
const MOST_READ = 10_000;
/** Maximum number of members of the input in a summary, and maximum number of characters of each value. */
const [MOST_MEMBERS, MOST_CHARACTERS] = [2, 40];

/** Cache of the summaries. The input of an execution never changes. */
const known = new WeakMap<Execution, string>();

/** Short text from the execution's input. Lists of executions show the text, because the names of executions are often random. */
export function summaryOfInput(execution: Execution): string {
  const summary = known.get(execution) ?? inputSummary(execution.inputText);
  known.set(execution, summary);
  return summary;
}

/** The first two texts or numbers of an input: `2026-11-28 12:00, table: Sessions`. A time is shown without the name of its member. */
export function inputSummary(json: string): string {
  if (json.length > MOST_READ) return '';
  const input: unknown = JSON.parse(json);
  if (Array.isArray(input)) return '';
  if (typeof input !== 'object' || input === null) return shortValue(input);
  return Object.entries(input)
    .filter(([, value]) => shortValue(value) !== '')
    .slice(0, MOST_MEMBERS)
    .map(([name, value]) => shortTime(value) ?? `${name}: ${shortValue(value)}`)
    .join(', ');
}

function shortValue(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return '';
  return value.length > MOST_CHARACTERS ? `${value.slice(0, MOST_CHARACTERS - 1)}…` : value;
}

/** An ISO time in UTC as `2026-11-28 12:00`, with the seconds only if the seconds are not 0; undefined for any other value. */
function shortTime(value: unknown): string | undefined {
  const [, day, minute, seconds = ''] =
    /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d(?:\.\d+)?)?Z$/.exec(String(value)) ?? [];
  return day && `${day} ${minute}${/[1-9]/.test(seconds) ? seconds : ''}`;
}
