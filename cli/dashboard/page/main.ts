/** The script of the page: it asks for the data every two seconds, and draws what has changed. */
import type { DashboardReport } from '../report.ts';
import { draw, element, part } from './dom.ts';
import { alarmsPanel, badge, schedulePanel, settingsPanel } from './panels.ts';
import { lagPlot, minutePlot } from './plots.ts';
import { sweepsTable, tablesTable } from './tables.ts';
import { tableHead } from './tiles.ts';
import { clock, duration, headline, minuteOf, secondsBetween, troubleLines, VERDICTS } from './words.ts';

const POLL_MS = 2_000;
/** A page that was just opened polls more often for some seconds, so that the first answers are shown soon. */
const OPENING = { ms: 5_000, pollMs: 200 } as const;
/** Time limit of a request: the server is on this machine, and answers at once. */
const LIMIT_MS = 4_000;

const NONE = { answeredAt: null, askedAt: null, failure: null } as const;

let report: DashboardReport | undefined;
/** When the report came, by a clock that nobody can set. */
let receivedAt = 0;
let lostAt: string | undefined;

/** The current time of the server. */
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
  if (!location.hash.startsWith(prefix)) return undefined;
  try {
    return decodeURIComponent(location.hash.slice(prefix.length));
  } catch {
    // Somebody has cut the address off.
    return undefined;
  }
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
  draw('tables', [tables, shown.tableName, data.statusAt], () =>
    tables.length > 1 ? [tablesTable(data)] : [],
  );
  draw('table', [known, shown.lags.at(-1)], () => tableHead(table, data));
  draw('lag', [shown.lags, shown.tableName, width, minuteOf(data.now)], () =>
    lagPlot(part('lag'), shown.lags, table.lateAfterSeconds, data.now),
  );
  draw('minutes', [shown.minutes, shown.tableName, width, minuteOf(data.now)], () =>
    minutePlot(part('minutes'), shown.minutes, data.now),
  );
  draw('panels', [known, tables.map(({ alarms }) => alarms)], () => [
    settingsPanel(table, data),
    schedulePanel(table, data),
    alarmsPanel(data),
  ]);
  draw('sweeps', [shown.sweeps, shown.tableName], () => sweepsTable(data));
}

function drawTrouble(): void {
  const lines =
    report === undefined && lostAt === undefined
      ? []
      : troubleLines(report ?? { source: NONE, tables: [], statusAt: null }, now(), lostAt);
  draw('trouble', lines, () => lines.map(line => element('p', {}, line)));
  document.body.classList.toggle('is-lost', lostAt !== undefined);
  draw('foot', [report?.statusAt, Math.floor(Date.parse(now()) / 1000)], () => [foot()]);
}

function foot(): string {
  const at = report?.statusAt;
  if (at == null) return 'Times are in UTC.';
  const ago = duration(Math.max(0, Math.round(secondsBetween(at, now()))));
  return `Looked ${ago} ago, at ${clock(at, now())}. Times are in UTC. The same as npx precise-ttl status says; this page changes nothing.`;
}

function head({ region, isLocal, links, verdict, tables, now: at }: DashboardReport): readonly Node[] {
  const place = isLocal === null ? region : isLocal ? `${region}, on this machine` : region;
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
          element('span', { class: 'sentence' }, headline(tables, at)),
        ),
  ];
}

/** A hidden page asks for nothing. */
async function keepPolling(): Promise<void> {
  for (;;) {
    if (!document.hidden) await poll();
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, performance.now() < OPENING.ms ? OPENING.pollMs : POLL_MS);
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
