/** The script of the page: it asks for the data every two seconds, and draws what has changed. */
import type { DashboardReport, TableData } from '../report.ts';
import { draw, element, part } from './dom.ts';
import { alarmsPanel, badge, costPanel, ledgerPanel, machineryPanel, settingsPanel } from './panels.ts';
import { lagPlot, minutePlot } from './plots.ts';
import {
  backlogWords,
  clock,
  count,
  duration,
  goneSentence,
  isStale,
  minuteOf,
  secondsBetween,
  troubleLines,
  VERDICTS,
} from './words.ts';

const POLL_MS = 2_000;
/** The server of this page is on this machine, and has its answer ready. */
const LIMIT_MS = 4_000;

let report: DashboardReport | undefined;
/** When it came, by the clock that nobody sets. */
let receivedAt = 0;
let lostAt: string | undefined;

/** The time of the server. */
function now(): string {
  const base = report === undefined ? Date.now() : Date.parse(report.now) + performance.now() - receivedAt;
  return new Date(base).toISOString();
}

async function poll(): Promise<void> {
  try {
    const answer = await fetch(`data.json?table=${encodeURIComponent(chosenTable() ?? '')}`, {
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    report = (await answer.json()) as DashboardReport;
    receivedAt = performance.now();
    lostAt = undefined;
  } catch {
    lostAt ??= report?.now ?? now();
  }
  drawAll();
}

/** The table that the address names: `#table=Sessions`. */
function chosenTable(): string | undefined {
  const prefix = '#table=';
  return location.hash.startsWith(prefix)
    ? decodeURIComponent(location.hash.slice(prefix.length))
    : undefined;
}

function drawAll(): void {
  drawTrouble();
  if (report === undefined) return;
  const { tables, shown } = report;
  const table = tables.find(({ tableName }) => tableName === shown.tableName) ?? tables[0];
  if (table === undefined) return;
  const data = report;
  document.title = `${data.verdict === null ? '' : `${VERDICTS[data.verdict]}: `}precise-ttl`;
  const width = part('lag').clientWidth;
  const known = [table, data.statusAt];
  draw(
    'head',
    [data.verdict, data.region, data.isLocal, data.links, tables.map(({ gone, verdict }) => [gone, verdict])],
    () => head(data),
  );
  draw('tables', [tables, shown.tableName, data.statusAt], () => (tables.length > 1 ? [overview(data)] : []));
  draw('table', [known, shown.lags.at(-1)], () => tableParts(table, data));
  draw('lag', [shown.lags, shown.tableName, width, minuteOf(data.now)], () =>
    lagPlot(part('lag'), shown.lags, table.promisedSeconds, data.now),
  );
  draw('minutes', [shown.minutes, shown.tableName, width, minuteOf(data.now)], () =>
    minutePlot(part('minutes'), shown.minutes, data.now),
  );
  draw('panels', [known, tables.map(({ alarms }) => alarms), data.cost], () => [
    ledgerPanel(table, data),
    settingsPanel(table, data),
    machineryPanel(table, data),
    alarmsPanel(data),
    costPanel(data.cost, data),
  ]);
  draw('sweeps', [shown.sweeps, shown.tableName], () => sweepsTable(data));
}

function drawTrouble(): void {
  const lines =
    report === undefined && lostAt === undefined
      ? []
      : troubleLines(report ?? { sources: [], tables: [], statusAt: null }, now(), lostAt);
  draw('trouble', lines, () => lines.map(line => element('p', {}, line)));
  document.body.classList.toggle('is-lost', lostAt !== undefined);
  draw('foot', [report?.statusAt, Math.floor(Date.parse(now()) / 1000)], () => [foot()]);
}

function foot(): string {
  const at = report?.statusAt;
  if (at == null) return 'Times are in UTC.';
  const ago = duration(Math.max(0, Math.round(secondsBetween(at, now()))));
  return `Looked ${ago} ago, at ${clock(at, now())}. Times are in UTC. The same as npx precise-ttl status, history, audit and cost say; this page changes nothing.`;
}

function head({ region, isLocal, links, verdict, tables, now: at }: DashboardReport): readonly Node[] {
  const place = isLocal === null ? region : isLocal ? `${region}, on this machine` : region;
  const [only, another] = tables;
  const sentence =
    only !== undefined && another === undefined
      ? goneSentence(only, at)
      : Object.entries(Object.groupBy(tables, table => table.verdict ?? 'unknown'))
          .map(
            ([each, those = []]) =>
              `${count(those.length)} ${VERDICTS[each as keyof typeof VERDICTS].toLowerCase()}`,
          )
          .join(', ');
  return [
    element(
      'div',
      { class: 'title' },
      element('h1', {}, 'precise-ttl'),
      element('span', { class: 'place' }, place),
      element(
        'nav',
        { 'aria-label': 'Other pages' },
        ...links.map(({ text, href }) => element('a', { href }, text)),
      ),
    ),
    verdict === null
      ? element('p', { class: 'lead quiet' }, 'Asking how the sweeps stand …')
      : element(
          'p',
          { class: 'lead' },
          badge(verdict, VERDICTS[verdict]),
          ' ',
          element('span', { class: 'sentence' }, sentence),
        ),
  ];
}

const cell = (label: string, content: Node | string, kind = 'number') =>
  element('td', { class: kind, 'data-label': label }, content);

/** All tables in a table: what each has left, and what its last minute came to. */
function overview({ tables, shown, now: at }: DashboardReport): HTMLElement {
  const heads = ['Table', 'State', 'Watermark', 'Due', 'Deleted', 'Left', 'Overdue'];
  return element(
    'table',
    { class: 'panel' },
    element(
      'caption',
      {},
      'Tables ',
      element('span', { class: 'note' }, 'due, deleted and left: in the last minute with a sweep'),
    ),
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        ...heads.map((text, index) =>
          element('th', { scope: 'col', class: index < 2 ? '' : 'number' }, text),
        ),
      ),
    ),
    element('tbody', {}, ...tables.map(table => overviewRow(table, shown.tableName, at))),
  );
}

function overviewRow(table: TableData, shown: string, at: string): HTMLElement {
  const { tableName, verdict, journal, lastMinute } = table;
  const watermark = journal?.value.watermark;
  const number = (value: number | undefined) => (value === undefined ? '–' : count(value));
  const link = element(
    'a',
    {
      id: `to-${tableName}`,
      href: `#table=${encodeURIComponent(tableName)}`,
      'aria-current': tableName === shown ? 'true' : undefined,
    },
    tableName,
  );
  return element(
    'tr',
    { class: tableName === shown ? 'chosen' : '' },
    element('th', { scope: 'row' }, link),
    cell('State', verdict === null ? '–' : badge(verdict, VERDICTS[verdict]), 'state'),
    cell('Watermark', watermark == null ? '–' : clock(watermark, at)),
    cell('Due', number(lastMinute?.due)),
    cell('Deleted', number(lastMinute?.deleted)),
    cell('Left', number(lastMinute?.left)),
    cell('Overdue', backlogWords(table, at).value),
  );
}

function tableParts(table: TableData, data: DashboardReport): readonly (Node | null)[] {
  const { tableName, remarks, cause } = table;
  const texts = remarks.filter(({ severity }) => severity !== 'note' || remarks.length < 4);
  return [
    element('h2', {}, tableName),
    data.tables.length > 1 ? element('p', { class: 'sentence' }, goneSentence(table, data.now)) : null,
    element('div', { class: 'tiles' }, ...tiles(table, data)),
    texts.length === 0
      ? null
      : element(
          'ul',
          { class: 'remarks', 'aria-label': 'What is wrong, and why' },
          ...texts.map(({ id, severity, text }) =>
            element(
              'li',
              { class: severity },
              element('b', {}, id === cause?.id ? `${severity}, the cause` : severity),
              ' ',
              text,
            ),
          ),
        ),
  ];
}

function tiles(table: TableData, data: DashboardReport): HTMLElement[] {
  const { now: at, statusAt, shown } = data;
  const { journal, overdue, lastMinute, promisedSeconds } = table;
  const watermark = journal?.value.watermark ?? null;
  const backlog = backlogWords(table, at);
  const lag = shown.lags.at(-1);
  const isLate = lag !== undefined && lag.p99 / 1000 > promisedSeconds;
  const old = (aged: TableData['journal'] | TableData['overdue']) =>
    aged !== null && isStale(aged, statusAt) ? `as of ${clock(aged.at, at)}` : undefined;
  return [
    tile(
      'Watermark',
      watermark === null ? '–' : clock(watermark, at),
      'up to then the ticks have left nothing',
      old(journal),
    ),
    tile(
      'Overdue',
      backlog.value,
      backlog.note,
      old(overdue),
      backlog.value === '0' || backlog.value === '–' ? '' : 'warn',
    ),
    tile(
      'Last minute',
      lastMinute === null ? '–' : `${count(lastMinute.deleted)} of ${count(lastMinute.due)}`,
      lastMinute === null
        ? 'no sweep has ended in the last three hours'
        : `deleted of what was due, ${count(lastMinute.left)} left; sweeps that ended ${minuteOf(lastMinute.at)}`,
      undefined,
      lastMinute !== null && lastMinute.left > 0 ? 'bad' : '',
    ),
    tile(
      'Lag, 99%',
      lag === undefined ? '–' : duration(lag.p99 / 1000),
      `promised: ${duration(promisedSeconds)}${lag === undefined ? '' : `; the latest item ${duration(lag.max / 1000)}`}`,
      undefined,
      isLate ? 'warn' : '',
    ),
  ];
}

function tile(name: string, value: string, note: string, age?: string, tone = ''): HTMLElement {
  return element(
    'div',
    { class: `panel tile ${tone}` },
    element('h3', {}, name, ' ', age === undefined ? null : element('span', { class: 'age' }, age)),
    element('p', { class: 'value' }, value),
    element('p', { class: 'note' }, note),
  );
}

const KINDS = { tick: 'tick', replay: 'replay', handOver: 'hand-over', scan: 'scan' } as const;

function sweepsTable({ shown: { sweeps }, now: at }: DashboardReport): readonly Node[] {
  const heads = ['Began', 'Kind', 'Ended', 'Took', 'Due', 'Deleted', 'Left', 'Lag, 99%'];
  if (sweeps.length === 0) {
    return [
      element('h3', {}, 'The last sweeps'),
      element('p', { class: 'quiet empty' }, 'None has found anything in the last three hours.'),
    ];
  }
  return [
    element(
      'table',
      {},
      element(
        'caption',
        {},
        'The last sweeps ',
        element('span', { class: 'note' }, 'a tick that had nothing to do is not in it'),
      ),
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          ...heads.map((text, index) =>
            element('th', { scope: 'col', class: index === 1 || index === 2 ? '' : 'number' }, text),
          ),
        ),
      ),
      element(
        'tbody',
        {},
        ...sweeps.flatMap(({ startedAt, stoppedAt, kind, status, outcome, failure }) => [
          element(
            'tr',
            {},
            element('th', { scope: 'row', class: 'number' }, clock(startedAt, at)),
            cell('Kind', KINDS[kind], 'text'),
            cell(
              'Ended',
              badge(status === 'FAILED' ? 'broken' : 'fine', status === 'FAILED' ? 'failed' : 'succeeded'),
              'state',
            ),
            cell('Took', duration(Math.round(secondsBetween(startedAt, stoppedAt)))),
            cell('Due', count(outcome.found)),
            cell('Deleted', count(outcome.deleted)),
            cell('Left', count(outcome.failed)),
            cell('Lag, 99%', outcome.lagMs === null ? '–' : duration(outcome.lagMs.p99 / 1000)),
          ),
          ...(failure === null
            ? []
            : [element('tr', { class: 'why' }, element('td', { colspan: heads.length }, failure))]),
        ]),
      ),
    ),
  ];
}

/** A page that nobody sees asks for nothing. */
async function keepPolling(): Promise<void> {
  for (;;) {
    if (!document.hidden) await poll();
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, POLL_MS);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

let wake = (): void => undefined;
addEventListener('hashchange', () => wake());
document.addEventListener('visibilitychange', () => wake());
addEventListener('resize', () => drawAll());
setInterval(drawTrouble, 1_000);
void keepPolling();
