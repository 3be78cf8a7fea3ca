import { Html, html } from './html.ts';
import type { Looked, Looks, Part, Sweep, TableMemory, Verdict } from './looks.ts';
import { lagPlot, minutePlot, WHEN_COUNTED } from './plots.ts';
import { clock, count, counted, lasting } from './words.ts';

export interface ViewOptions {
  readonly region: string;
  readonly links: readonly { readonly text: string; readonly href: string }[];
  /** Name of the table that the dashboard shows in detail. Null or an unknown name: the first table. */
  readonly table: string | null;
}

/** Returns the sections of the dashboard as HTML, each a `div` with an id. */
export function view(looks: Looks, options: ViewOptions): string {
  const now = looks.now();
  const { last, tables } = looks;
  const table = tables.get(options.table ?? '') ?? [...tables.values()][0];
  const sections = {
    head: headOf(looks, options),
    trouble: troubleLines(looks, now).map(line => html`<p class="remark warning">${line}</p>`),
    ...(last === undefined || table === undefined
      ? {}
      : {
          tables: tables.size > 1 && tablesTable(looks, table, now),
          table: tableHead(table, now, tables.size),
          lag: lagPlot(table.sweeps, table.latest.facts.promisedSeconds, now),
          minutes: minutePlot(table.minutes, now),
          settings: settings(table, now),
          sweeps: sweepsTable(table.sweeps.slice(-SHOWN_SWEEPS).reverse(), now),
          foot: `Looked ${lasting((now - Date.parse(last.at)) / 1_000)} ago, at ${clock(last.at, now)}. The same as npx precise-ttl status says; this page changes nothing.`,
        }),
  };
  return Object.entries(sections)
    .map(([id, section]) => html`<div id="${id}">${section}</div>`.text)
    .join('\n');
}

const SHOWN_SWEEPS = 12;

const VERDICTS = {
  broken: { text: 'Broken', sign: '✗', tables: 'swept badly or not at all' },
  unknown: { text: 'Not known', sign: '?', tables: 'of which too little is known' },
  warnings: { text: 'Warnings', sign: '!', tables: 'with warnings' },
  fine: { text: 'Fine', sign: '✓', tables: 'fine' },
} as const;

/** A word with the colour of a verdict, and a sign for people who cannot see the colour. */
const badge = (verdict: Verdict, text: string = VERDICTS[verdict].text): Html =>
  html`<span class="badge ${verdict}"><span aria-hidden="true">${VERDICTS[verdict].sign}</span> ${text}</span>`;

function headOf({ last, now }: Looks, { region, links }: ViewOptions): Html {
  const verdicts = last?.tables.map(({ verdict }) => verdict) ?? [];
  const worst = (Object.keys(VERDICTS) as Verdict[]).find(each => verdicts.includes(each));
  const others = links.map(({ text, href }) => html`<a href="${href}">${text}</a>`);
  return html`<div class="title"><h1>precise-ttl</h1>
    <span class="quiet">${region}${last?.isLocal === true && ', on this machine'}</span>
    <nav aria-label="Other pages">${others}</nav></div>
    ${
      last === undefined || worst === undefined
        ? html`<p class="lead quiet">Asking how the sweeps stand …</p>`
        : html`<p class="lead">${badge(worst)} <span>${headline(last.tables, now())}</span></p>`
    }`;
}

export function headline(tables: readonly Looked[], now: number): string {
  const [only, another] = tables;
  if (only !== undefined && another === undefined) return sentence(only.gone);
  const gone = tables.flatMap(({ facts: { gone: span } }) => span?.by ?? []);
  if (gone.length === tables.length && tables.every(({ verdict }) => verdict === 'fine')) {
    return `Everything that was due by ${clock(Math.min(...gone), now)} is gone, in all ${tables.length} tables.`;
  }
  const parts = Object.entries(VERDICTS).flatMap(([verdict, { tables: words }]) => {
    const { length } = tables.filter(each => each.verdict === verdict);
    return length === 0 ? [] : [`${length} ${words}`];
  });
  return `Of ${tables.length} tables ${parts.join(', ')}.`;
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;

/** If a reading of the tables takes longer than this time, the dashboard shows how long it has taken so far. */
const PATIENCE_SECONDS = 3;

/** Returns a line for each problem with the shown data: a reading of the tables that hangs or has failed, or old values. */
export function troubleLines({ last, tables, askingSince, failure }: Looks, now: number): string[] {
  const shown =
    last === undefined
      ? 'There is nothing to show yet.'
      : `What is shown is as of ${clock(last.at, now)}, ${lasting((now - Date.parse(last.at)) / 1_000)} ago.`;
  const waited = Math.floor((now - (askingSince ?? now)) / 1_000);
  const stale = [...tables].flatMap(([name, { known }]) => {
    const old = [...known].filter(([, { at }]) => at !== last?.at);
    if (old.length === 0) return [];
    const parts = old.map(([part, { at }]) => `${part} as of ${clock(at, now)}`).join(', ');
    return [`${name}: the last look did not learn everything. Shown are ${parts}.`];
  });
  if (waited >= PATIENCE_SECONDS) return [`Asked ${waited} s ago, no answer yet. ${shown}`, ...stale];
  return failure === undefined ? stale : [`${failure}. ${shown}`, ...stale];
}

function tableHead(table: TableMemory, now: number, tables: number): Html {
  const { latest } = table;
  // Remarks of severity `note` are left out: they say what is not on this machine, and so does the section `settings`.
  const remarks = latest.remarks
    .filter(({ severity }) => severity !== 'note')
    .map(({ severity, text }) => html`<p class="remark ${severity}"><b>${severity}</b> ${text}</p>`);
  const tile = (name: string, [value, note, tone = '']: readonly [string, string, string?]) =>
    html`<div class="panel tile ${tone}"><h3>${name}</h3><p class="value">${value}</p><p class="note">${note}</p></div>`;
  return html`<h2>${latest.facts.table}</h2>${tables > 1 && html`<p>${sentence(latest.gone)}</p>`}
    <div class="tiles">${[
      tile('Watermark', [watermarkOf(table, now), 'the ticks have left nothing up to then']),
      tile('Overdue', overdueOf(table, now)),
      tile('Last minute', lastMinuteOf(table)),
      tile('Lag, 99%', lagOf(table)),
    ]}</div>
    <div>${remarks}</div>`;
}

function watermarkOf({ known }: TableMemory, now: number): string {
  const watermark = known.get('the journal')?.facts.watermark;
  return watermark ? clock(watermark.gone, now) : '–';
}

export function overdueOf({ known }: TableMemory, now: number): readonly [string, string, string?] {
  const facts = known.get('what is overdue')?.facts;
  if (!facts?.overdue) return ['–', 'not known'];
  const { items, oldest, short } = facts.overdue;
  if (items === 0) return short === null ? ['0', 'nothing is overdue'] : ['–', short];
  const value = `${short === null ? '' : '≥ '}${count(items)}`;
  if (!facts.isLate) return [value, 'expired a moment ago; not late yet'];
  return [value, `the oldest for ${lasting(now / 1_000 - (oldest ?? 0))}`, 'warning'];
}

function lastMinuteOf({ minutes }: TableMemory): readonly [string, string, string?] {
  const minute = minutes.at(-1);
  if (minute === undefined) return ['–', 'no sweep of the last three hours that has ended found anything'];
  const { due, deleted, renewed, left, at } = minute;
  const others = renewed === 0 ? '' : `${count(renewed)} renewed, `;
  const note = `deleted of what was due, ${others}${count(left)} left; due at ${at.slice(11, 16)}`;
  return [`${count(deleted)} of ${count(due)}`, note, left > 0 ? 'broken' : ''];
}

function lagOf({ sweeps, latest }: TableMemory): readonly [string, string, string?] {
  const lagMs = sweeps.findLast(each => each.lagMs !== null)?.lagMs;
  if (!lagMs) return ['–', latest.promise];
  const isLate = lagMs.p99 > 1_000 * latest.facts.promisedSeconds;
  return [
    lagText(lagMs.p99),
    `${latest.promise}; the latest item ${lagText(lagMs.max)}`,
    isLate ? 'warning' : '',
  ];
}

const lagText = (ms: number): string => (ms < 10_000 ? `${(ms / 1_000).toFixed(2)} s` : lasting(ms / 1_000));

function settings({ known, latest }: TableMemory, now: number): Html {
  const isLocal = latest.remarks.some(({ severity }) => severity === 'note');
  const row = (name: string, part: Part, value: (facts: Looked['facts']) => Html | string) => {
    const seen = known.get(part);
    const is = seen === undefined ? (isLocal ? 'not on this machine' : 'not known') : value(seen.facts);
    return html`<div><dt>${name}</dt><dd>${is}</dd></div>`;
  };
  return html`<dl>${[
    row('last tick', 'the journal', ({ tick }) =>
      tick === null ? 'none' : `${clock(tick, now)}, ${lasting((now - Date.parse(tick)) / 1_000)} ago`,
    ),
    row('pause', 'the journal', ({ pause }) =>
      pause === null
        ? 'none'
        : html`${badge('warnings', 'paused')} since ${clock(pause.since, now)}, until ${pause.until === undefined ? 'somebody resumes it' : clock(pause.until, now)}`,
    ),
    row('schedule, each minute', 'the schedule', ({ isScheduled }) =>
      isScheduled === true ? 'on' : badge('broken', 'off'),
    ),
    row('alarms', 'alarms', ({ alarms }) =>
      alarms === null || alarms.length === 0
        ? 'none sounds'
        : html`${alarms.map(({ name, since }) => html`<p>${badge('broken', 'ALARM')} ${name}${since !== null && ` since ${clock(since, now)}`}</p>`)}`,
    ),
  ]}</dl>`;
}

interface RowOf {
  readonly cells: readonly (Html | string)[];
  readonly below?: string | null;
}

/** Returns an HTML table. @param texts number of columns with text; the columns after them have aligned numbers */
function tableOf(
  caption: string,
  note: string,
  heads: readonly string[],
  texts: number,
  rows: readonly RowOf[],
) {
  const kind = (at: number) => (at < texts ? 'text' : 'number');
  const head = heads.map((text, at) => html`<th scope="col" class="${kind(at)}">${text}</th>`);
  const body = rows.map(({ cells, below = null }) => {
    const row = html`<tr>${cells.map((cell, at) => html`<td class="${kind(at)}">${cell}</td>`)}</tr>`;
    return html`${row}${below !== null && html`<tr class="why"><td colspan="${heads.length}">${below}</td></tr>`}`;
  });
  return html`<h3>${caption} <span class="note">${note}</span></h3>
    <div class="scroll" tabindex="0" role="group" aria-label="${caption}"><table>
    <thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

function tablesTable({ tables }: Looks, shown: TableMemory, now: number): Html {
  const rows = [...tables].map(([name, table]) => {
    const current = new Html(table === shown ? ' aria-current="true"' : '');
    const link = html`<a id="to-${name}" href="#table=${encodeURIComponent(name)}"${current}>${name}</a>`;
    const last = table.minutes.at(-1);
    const minute = last === undefined ? ['–', '–', '–'] : [last.due, last.deleted, last.left].map(count);
    const [overdue] = overdueOf(table, now);
    return { cells: [link, badge(table.latest.verdict), watermarkOf(table, now), ...minute, overdue] };
  });
  const note = 'due, deleted and left: in the last minute with a sweep';
  const heads = ['Table', 'State', 'Watermark', 'Due', 'Deleted', 'Left', 'Overdue'];
  return tableOf(counted(tables.size, 'table'), note, heads, 2, rows);
}

function sweepsTable(sweeps: readonly Sweep[], now: number): Html {
  if (sweeps.length === 0) {
    return html`<h3>The last sweeps</h3>
      <p class="quiet empty">None has found anything in the last three hours. ${WHEN_COUNTED}</p>`;
  }
  const rows = sweeps.map(({ startedAt, endedAt, kind, failure, counts, lagMs }) => {
    const ended = failure === null ? 'succeeded' : badge('broken', 'failed');
    const took = lasting((Date.parse(endedAt) - Date.parse(startedAt)) / 1_000);
    const items = [counts.found ?? 0, counts.deleted ?? 0, counts.failed ?? 0].map(count);
    const lag = lagMs === null ? '–' : lagText(lagMs.p99);
    return { cells: [clock(startedAt, now), kind, ended, took, ...items, lag], below: failure };
  });
  const heads = ['Began', 'Kind', 'Ended', 'Took', 'Due', 'Deleted', 'Left', 'Lag, 99%'];
  return tableOf('The last sweeps', 'a tick that had nothing to do is not in it', heads, 3, rows);
}
