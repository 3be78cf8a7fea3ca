import type { Execution } from '../interpreter/index.ts';

/** Longer inputs have no summary, characters. */
const MOST_READ = 10_000;
/** Maximum number of members that a summary names, and of characters of each value. */
const [MOST_MEMBERS, MOST_CHARACTERS] = [2, 40];

/** An input does not change. */
const known = new WeakMap<Execution, string>();

/** What tells an execution from others of its state machine. Names are often made up, so its input says it. */
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

/** `2026-11-28 12:00`, with its seconds if they are not 0; undefined for what is no time. */
function shortTime(value: unknown): string | undefined {
  const [, day, minute, seconds = ''] =
    /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d(?:\.\d+)?)?Z$/.exec(String(value)) ?? [];
  return day && `${day} ${minute}${/[1-9]/.test(seconds) ? seconds : ''}`;
}
