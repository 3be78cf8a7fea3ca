import type { Aged, DashboardReport, SourceReport, TableData } from '../report.ts';

/** A number for a person: `12,345`. */
export function count(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 0 });
}

/** `1 item`, `2 items`. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** `0.35 s`, `12 s`, `4 min`, `3.5 h`, `2 d`. */
export function duration(seconds: number): string {
  const size = Math.abs(seconds);
  if (size < 10) return `${trimmed(seconds, 2)} s`;
  if (size < 300) return `${Math.round(seconds)} s`;
  if (size < 3_600) return `${Math.round(seconds / 60)} min`;
  if (size < 172_800) return `${trimmed(seconds / 3_600, 1)} h`;
  return `${trimmed(seconds / 86_400, 1)} d`;
}

const trimmed = (value: number, digits: number): string => String(Number(value.toFixed(digits)));

/** A time that is nearer than this to now needs no date, even if midnight is between them, seconds. */
const NEAR = 3_600;

/** `12:34:56`, with the date if it is not today's and the time is not near. Times are in UTC, as the commands print them. */
export function clock(at: string, now: string): string {
  const time = at.slice(11, 19);
  const isClear = at.slice(0, 10) === now.slice(0, 10) || Math.abs(secondsBetween(at, now)) < NEAR;
  return isClear ? time : `${at.slice(0, 10)} ${time}`;
}

/** Why a sweep that somebody sees at work is not on the page yet. */
export const WHEN_COUNTED = 'A tick is counted when it has ended, up to two minutes after its start.';

/** `12:34`. */
export const minuteOf = (at: string): string => at.slice(11, 16);

export const secondsBetween = (from: string, to: string): number =>
  (Date.parse(to) - Date.parse(from)) / 1000;

export const VERDICTS = {
  fine: 'Fine',
  warnings: 'Warnings',
  broken: 'Broken',
  unknown: 'Not known',
} as const;

/** The sentence that says up to when everything that was due is gone. */
export function goneSentence({ gone }: Pick<TableData, 'gone'>, now: string): string {
  if (gone === null) return 'It is not known what is gone.';
  const { since, by, unseen } = gone.value;
  const parts = [
    `Everything that was due by ${clock(by, now)} is gone`,
    unseen === 0 ? '' : `, all but ${counted(unseen, 'item')} that the index did not show`,
    `, back to ${clock(since, now)}`,
  ];
  return `${parts.join('')}.`;
}

/** The sentence at the top of the page, about all tables. */
export function headline(tables: readonly Pick<TableData, 'gone' | 'verdict'>[], now: string): string {
  const [only, another] = tables;
  if (only !== undefined && another === undefined) return goneSentence(only, now);
  const known = tables.flatMap(({ gone }) => (gone === null || gone.value.unseen > 0 ? [] : [gone.value.by]));
  const [first] = known.toSorted();
  if (
    first !== undefined &&
    known.length === tables.length &&
    tables.every(({ verdict }) => verdict === 'fine')
  ) {
    return `Everything that was due by ${clock(first, now)} is gone, in all ${tables.length} tables.`;
  }
  const verdicts = Object.groupBy(tables, ({ verdict }) => verdict ?? 'unknown');
  const parts = (['broken', 'unknown', 'warnings', 'fine'] as const).flatMap(each => {
    const { length = 0 } = verdicts[each] ?? [];
    return length === 0 ? [] : [`${length} ${HEADLINES[each]}`];
  });
  return `Of ${tables.length} tables ${parts.join(', ')}.`;
}

const HEADLINES = {
  broken: 'swept badly or not at all',
  unknown: 'of which too little is known',
  warnings: 'with warnings',
  fine: 'fine',
} as const;

/** The backlog in a few words. */
export function backlogWords(
  { overdue }: Pick<TableData, 'overdue'>,
  now: string,
): { value: string; note: string } {
  if (overdue === null) return { value: '–', note: 'not known' };
  const { items, oldest, short } = overdue.value;
  if (items === 0 && short !== null) return { value: '–', note: short };
  if (items === 0) return { value: '0', note: 'nothing is overdue' };
  const late = oldest === null ? '' : `the oldest for ${duration(secondsBetween(oldest, now))}`;
  return { value: `${short === null ? '' : '≥ '}${count(items)}`, note: late };
}

/** The page mentions a request that has had no answer for this time, seconds. */
const PATIENCE_SECONDS = 3;

/**
 * Problems of the data itself: services that do not answer, and old values.
 * @param lostAt since when the page has had no answer from its server
 */
export function troubleLines(shown: Shown, now: string, lostAt: string | undefined): string[] {
  if (lostAt !== undefined) {
    return [
      `No data since ${clock(lostAt, now)}: the command that serves this page has ended, or does not answer. What is shown is as of then.`,
    ];
  }
  return [...sourceTrouble(shown.source, now), ...staleLines(shown, now)];
}

type Shown = Pick<DashboardReport, 'source' | 'tables' | 'statusAt'>;

function sourceTrouble({ answeredAt, askedAt, failure }: SourceReport, now: string): string[] {
  const shown =
    answeredAt === null
      ? 'There is nothing to show yet.'
      : `What is shown is as of ${clock(answeredAt, now)}, ${duration(Math.round(secondsBetween(answeredAt, now)))} ago.`;
  const waited = askedAt === null ? 0 : Math.floor(secondsBetween(askedAt, now));
  if (waited >= PATIENCE_SECONDS) return [`Asked ${waited} s ago, no answer yet. ${shown}`];
  return failure === null ? [] : [`${failure}. ${shown}`];
}

const PARTS = {
  journal: 'the journal',
  gone: 'what is gone',
  overdue: 'what is overdue',
  alarms: 'alarms',
} as const;

/** Parts that earlier reports knew and the last one does not. */
function staleLines({ tables, statusAt }: Shown, now: string): string[] {
  return tables.flatMap(table => {
    const old = Object.entries(PARTS).flatMap(([part, words]) => {
      const aged: Aged<unknown> | null = table[part as keyof typeof PARTS];
      return aged !== null && isStale(aged, statusAt) ? [`${words} as of ${clock(aged.at, now)}`] : [];
    });
    if (old.length === 0) return [];
    return [`${table.tableName}: the last look did not learn everything. Shown are ${old.join(', ')}.`];
  });
}

/** Whether a value is older than the last look. */
export function isStale({ at }: Aged<unknown>, statusAt: string | null): boolean {
  return at !== statusAt;
}
