import { once } from 'node:events';
import type { DeploymentConfig } from '../stacks/config/config.ts';
import { clientsOf, type Environment, localEndpoint } from './clients.ts';
import { defineCommand, EXIT, type Given, lookTime, type Tables, tablesOf, wrong } from './command.ts';
import { commandLine } from './command-line.ts';
import type { Facts, Looked, LooksOptions, Sweep, Verdict } from './dashboard/looks.ts';
import { clock, counted, lasting } from './dashboard/words.ts';
import { countsText, shortKey } from './format.ts';
import { pauseText } from './journal.ts';

const DAY_MS = 86_400_000;
/** Largest number of sweeps that --history lists: a day has 1,440 ticks, and a few replays. */
const SWEEPS_OF_A_DAY = 1_500;
const SHOWN_SWEEPS = 5;
/** Time limit for requests: the command then prints the answers that have arrived, so that it ends within 15 seconds. */
const SECONDS = 13;

const SERVICES = ['DYNAMODB', 'SCHEDULER', 'CLOUDWATCH'] as const;

export const command = defineCommand({
  name: 'status',
  tables: 'all',
  flags: {
    watch: { help: 'look again every five seconds, until Ctrl-C' },
    history: { help: 'list the sweeps of the last day that found something, the newest first' },
    page: {
      help: 'serve it, with the last three hours, as a page to the browsers of this machine, until Ctrl-C',
    },
  },
  about: `Shows facts about each table of the configuration: up to when everything that was due is gone; what is overdue, and how far back it was
looked; expired items that no sweep finds; pause, schedule, the last sweeps and how late they were; alarms; and what did not answer. It
reads the index, 4 MB of the table, the journal, the schedule and the alarms: $0.0002 a table. It changes nothing.

The page has a token in its address, another one each time: whoever has the address sees the page. It listens on 127.0.0.1 only. While
it is open it looks every 10 seconds; while it is closed or hidden, never.`,
  services: SERVICES,
  seconds: SECONDS,
  exits: '0 as it should be, 1 not; 3 also if it is not known',
  check({ flags }) {
    const [one, other] = (['watch', 'history', 'page'] as const).filter(name => flags[name]);
    if (other !== undefined)
      throw wrong(`--${other}`, `it without --${one}`, 'both', 'Leave one of them out.');
  },
  async run(given) {
    const { watch, history, page } = given.flags;
    if (page) return servePage(given);
    const { factsOf } = await import('./facts.ts');
    const tables = await factsOf(given, history ? SWEEPS_OF_A_DAY : 2 * SHOWN_SWEEPS);
    const now = given.now();
    const exits = tables.map(exitOf);
    const worst = [EXIT.notFine, EXIT.notKnown].find(exit => exits.includes(exit)) ?? EXIT.fine;
    return {
      data: { at: new Date(now).toISOString(), region: given.config.region, tables },
      text: tables.map(facts => (history ? historyText : tableText)(facts, now)).join('\n\n'),
      exit: history ? EXIT.fine : worst,
      ...(watch && { againAfterMs: 5_000 }),
    };
  },
});

async function servePage({ config, tables, print, stopped }: Given) {
  const { address, stop } = await startPage(config, tables);
  try {
    print(`${address}\nThe page of the sweep, for browsers of this machine. Ctrl-C stops it.`);
    if (!stopped.aborted) await once(stopped, 'abort');
  } finally {
    await stop();
  }
  return { data: { address }, exit: EXIT.fine };
}

/**
 * Serves the web page of `status --page`. `environment` has the endpoints of the services if they are not AWS's.
 * @param stepFunctions URL of the Step Functions emulator, to which the web page links. @default no link
 */
export async function startPage(
  config: DeploymentConfig,
  tables = tablesOf(config),
  environment: Environment = process.env,
  stepFunctions?: string,
) {
  const { startDashboard } = await import('./dashboard/server.ts');
  const links = stepFunctions === undefined ? [] : [{ text: 'State machines', href: `${stepFunctions}/` }];
  return startDashboard({ region: config.region, links, look: pageLook(config, tables, environment) });
}

function pageLook(config: DeploymentConfig, tables: Tables, environment: Environment): LooksOptions['look'] {
  return async (most, stopped) => {
    const { signal, leftMs } = lookTime(SECONDS, stopped);
    const { factsOf } = await import('./facts.ts');
    const { region } = config;
    const options = { services: SERVICES, region, signal: () => signal, quick: true, environment };
    const clients = await clientsOf(options);
    try {
      const at = new Date().toISOString();
      const facts = await factsOf({ tables, clients, now: Date.now, leftMs }, most);
      const isLocal = localEndpoint('DYNAMODB', environment) !== undefined;
      return { at, isLocal, tables: facts.map(each => lookedOf(each, Date.now())) };
    } finally {
      clients.destroy();
    }
  };
}

function lookedOf(facts: Facts, now: number): Looked {
  const verdict = verdictOf(facts);
  const severity = verdict === 'broken' ? 'broken' : 'warning';
  return {
    ...{ facts, verdict, gone: goneText(facts, now), promise: promiseText(facts) },
    remarks: [
      ...troubleRows(facts, now).map(([, text]) => ({ severity, text }) as const),
      ...facts.notKnown.map(
        text => ({ severity: text.endsWith('on this machine') ? 'note' : 'warning', text }) as const,
      ),
    ],
  };
}

const EXITS = {
  broken: EXIT.notFine,
  warnings: EXIT.notFine,
  unknown: EXIT.notKnown,
  fine: EXIT.fine,
} as const satisfies Readonly<Record<Verdict, number>>;

export const exitOf = (facts: Facts) => EXITS[verdictOf(facts)];

/** Returns `broken` if sweeps are late, fail or do not start; `warnings` after less serious findings; `unknown` if too little is known. */
function verdictOf(facts: Facts): Verdict {
  const { overdue, left, pause, isScheduled, alarms, isLate, failing, tick } = facts;
  if (isLate || failing !== null || isScheduled === false) return 'broken';
  const isLeft = (left?.before ?? 0) + (left?.unseen ?? 0) > 0;
  if (isLeft || pause !== null || (alarms ?? []).length > 0) return 'warnings';
  return overdue === null || overdue.short !== null || tick === null ? 'unknown' : 'fine';
}

type Row = readonly [name: string, is: string];

/** Returns only the rows that have a text. */
const said = (rows: readonly (readonly [name: string, is: string | false | undefined])[]): Row[] =>
  rows.flatMap(([name, is]) => (is ? [[name, is] as const] : []));

function troubleRows(facts: Facts, now: number): Row[] {
  const { table, pause, isScheduled, failing, isLate } = facts;
  return said([
    ['overdue', isLate && overdueText(facts, now)],
    ...leftTexts(facts, now).map(each => ['left', each] as const),
    ['paused', pause !== null && pauseText(table, pause, now)],
    ['schedule', isScheduled === false && 'off, or not there: nothing starts a sweep'],
    ['failing', failing !== null && `the last sweep that found something: ${failing}`],
  ]);
}

export function tableText(facts: Facts, now: number): string {
  const { sweeps, alarms, notKnown, overdue } = facts;
  const trouble = troubleRows(facts, now);
  const sounding = alarms?.map(
    ({ name, since }) => `${name}${since === null ? '' : ` since ${clock(since, now)}`}`,
  );
  const isJournalKnown = !notKnown.some(each => each.startsWith('the journal'));
  const gone = goneText(facts, now);
  const first = headline(facts, trouble) ?? gone;
  const rows = said([
    ...trouble,
    ['gone', gone],
    ['overdue', overdueText(facts, now)],
    ...(overdue?.keys ?? []).map(key => ['', shortKey(key)] as const),
    ['lag', sweeps !== null && lagText(sweeps, facts)],
    ['last tick', isJournalKnown && tickText(facts.tick, now)],
    ...(sweeps ?? [])
      .slice(0, SHOWN_SWEEPS)
      .map((sweep, at) => [at === 0 ? 'sweeps' : '', sweepText(sweep, now)] as const),
    ['alarms', sounding && (sounding.join(', ') || 'none sounds')],
    ...notKnown.map(unknownRow),
  ]);
  const told = new Map(
    rows.filter(([, is]) => is !== first).map(([name, is]) => [`  ${name.padEnd(11)}${is}`, true]),
  );
  return [`${facts.table}: ${first}`, ...told.keys()].join('\n');
}

function unknownRow(what: string): Row {
  const [, name] = /^the (\w+): .* is not on this machine$/.exec(what) ?? [];
  return name === undefined ? ['not known', what] : [name, 'not on this machine'];
}

function headline({ overdue, notKnown }: Facts, [trouble]: readonly Row[]): string | undefined {
  const isFirst = trouble?.[0] === 'overdue' || trouble?.[0] === 'left';
  if (isFirst) return trouble[1];
  const unknown = notKnown.find(each => each.startsWith('the index'));
  return overdue === null ? `what is overdue is not known: ${unknown}` : undefined;
}

function leftTexts({ table, watermark, left }: Facts, now: number): string[] {
  if (left === null) return [];
  const { before, unseen, isAll, read, readAt } = left;
  const how = `${isAll ? 'all of the table' : counted(read, 'item')} read at ${clock(readAt, now)}`;
  const adopt = commandLine('adopt', ['--table', table]);
  const since = clock(watermark?.since ?? 0, now);
  const doctor = commandLine('doctor', ['--table', table, '--all']);
  return [
    before > 0 &&
      `${counted(before, 'item')} that expired before ${since}, to where its first sweep looked back, ${before === 1 ? 'is' : 'are'} still there (${how}): ${adopt}`,
    unseen > 0 &&
      `${counted(unseen, 'expired item')} ${unseen === 1 ? 'is' : 'are'} still there that no sweep finds (${how}): ${doctor}`,
  ].filter(text => text !== false);
}

function goneText({ gone, watermark, left, overdue }: Facts, now: number): string {
  if (gone === null) return `nothing can be said to be gone${overdue?.short ? `: ${overdue.short}` : ''}`;
  const first =
    watermark !== null && watermark.since === gone.since ? ', to where its first sweep looked back' : '';
  const { unseen = 0, recent = 0 } = left ?? {};
  const but = [
    ...(unseen > 0 ? [`${counted(unseen, 'item')} that no sweep finds`] : []),
    ...(recent > 0 ? [`${counted(recent, 'item')} of the last minutes that the index did not show`] : []),
  ];
  // With --watch or --page the table is read less often than the index. A read before the index's does not show that all items are gone.
  const isKnown = left !== null && left.readAt >= (overdue?.readAt ?? 0);
  const known = isKnown ? '' : ', as far as the index shows';
  return `everything that was due by ${clock(gone.by, now)} is gone, since ${clock(gone.since, now)}${first}${but.length > 0 ? `, but for ${but.join(' and ')}` : ''}${known}`;
}

function overdueText({ overdue }: Facts, now: number): string {
  if (overdue === null) return 'not known';
  const { items, oldest, newest, from, queries, short, readAt } = overdue;
  const back = from > readAt ? 'no second was read as a whole' : `looked back to ${clock(from, now)}`;
  const far = `${back}, ${queries} ${queries === 1 ? 'query' : 'queries'}${short === null ? '' : `; no further: ${short}`}`;
  if (oldest === null || newest === null) return `nothing${short === null ? '' : ' that was seen'} (${far})`;
  const late = `the oldest for ${lasting(readAt - oldest)}, the newest for ${lasting(readAt - newest)}`;
  return `${short === null ? '' : 'at least '}${counted(items, 'item')}, ${late} (${far})`;
}

const promiseText = ({ promisedSeconds, lateAfterSeconds }: Facts): string =>
  `promised ${promisedSeconds} s${lateAfterSeconds > promisedSeconds ? ', and within two ticks if written late' : ''}`;

function lagText(sweeps: readonly Sweep[], facts: Facts): string {
  const lags = sweeps.flatMap(({ lagMs }) => lagMs?.p99 ?? []);
  const promised = promiseText(facts);
  if (lags.length === 0) return `nothing was deleted yet; ${promised}`;
  return `99% within ${(Math.max(...lags) / 1_000).toFixed(2)} s in each of the last ${counted(lags.length, 'sweep')}; ${promised}`;
}

const tickText = (tick: string | null, now: number) =>
  tick === null
    ? 'none has planned'
    : `planned ${clock(tick, now)}, ${lasting((now - Date.parse(tick)) / 1_000)} ago`;

function sweepText({ startedAt, endedAt, kind, counts, lagMs, failure }: Sweep, now: number): string {
  const seconds = ((Date.parse(endedAt) - Date.parse(startedAt)) / 1_000).toFixed(1);
  return `${clock(startedAt, now)}  ${kind} ${failure === null ? 'ok' : 'FAILED'} in ${seconds} s: ${countsText(counts, lagMs)}`;
}

export function historyText({ table, sweeps, notKnown }: Facts, now: number): string {
  if (sweeps === null) {
    const why = notKnown.filter(each => each.startsWith('the last sweeps'));
    return `${table}: not known\n  not known  ${why}`;
  }
  const since = now - DAY_MS;
  const rows = sweeps.filter(({ startedAt }) => Date.parse(startedAt) >= since);
  const lines = rows.flatMap(sweep => [
    // With `now` = 0, each time is shown with its date.
    `  ${sweepText(sweep, 0)}`,
    ...(sweep.failure === null ? [] : [`    ${sweep.execution}: ${sweep.failure}`]),
    ...sweep.failedKeys.map(key => `    not deleted: ${shortKey(key)}`),
  ]);
  const failed = rows.filter(({ failure }) => failure !== null).length;
  const isCut = rows.length === SWEEPS_OF_A_DAY ? ', and more' : '';
  const head = `${table}: ${counted(rows.length, 'sweep')} since ${clock(since / 1_000, 0)} that found something${isCut}, ${failed} of them left something`;
  return [head, ...lines].join('\n');
}
