import type { Execution } from '../interpreter/index.ts';

/** Inputs with more characters have no summary. */
const MOST_READ = 10_000;
/** Maximum number of members that a summary names, and of characters of each value. */
const [MOST_MEMBERS, MOST_CHARACTERS] = [2, 40];

/** A cache: the input of an execution does not change. */
const known = new WeakMap<Execution, string>();

/** A text that tells executions of one state machine apart: the input, because names are often random. */
export function summaryOfInput(execution: Execution): string {
  const summary = known.get(execution) ?? inputSummary(execution.inputText);
  known.set(execution, summary);
  return summary;
}

/** `2026-11-28 12:00, table: Sessions`: the first texts and numbers of an input. A time needs no name. */
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

/** `2026-11-28 12:00`, with the seconds if the seconds are not 0; undefined for any other value. */
function shortTime(value: unknown): string | undefined {
  const [, day, minute, seconds = ''] =
    /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d(?:\.\d+)?)?Z$/.exec(String(value)) ?? [];
  return day && `${day} ${minute}${/[1-9]/.test(seconds) ? seconds : ''}`;
}
