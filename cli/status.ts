/** `precise-ttl status`: shows how the sweeps are doing: once, every few seconds, on a page, or as their history. See `--help`. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Verdict } from '../operate/status/report.ts';
import type { Status } from '../operate/status/status.ts';
import { FlagError, type FlagValues, readDuration, switchFlag, textFlag, wholeNumber } from './flags.ts';
import { defineLook, type LookSession, MASK, NOT_KNOWN } from './look.ts';

const STATUS: Readonly<Record<Verdict, number>> = { fine: 0, warnings: 1, broken: 2, unknown: NOT_KNOWN };

const FLAGS = {
  watch: switchFlag('look again every few seconds, until Ctrl-C'),
  every: {
    type: 'number',
    min: 1,
    max: 3600,
    default: 5,
    value: 'N',
    help: 'with --watch: seconds between two looks',
  },
  back: wholeNumber(
    1,
    44_640,
    'minutes that the index is read back (default: to what no sweep is known to cover)',
  ),
  page: switchFlag(
    'serve it, with the last three hours, as a page to the browsers of this machine, until Ctrl-C',
  ),
  history: switchFlag('list what the executions of the last days came to, the newest first'),
  since: textFlag(
    'SPAN',
    'with --history: how far back: 90m, 24h, 7d (default 24h); the journal keeps 90 days',
  ),
  failed: switchFlag('with --history: only those that left something'),
  mask: { ...MASK, help: `with --history: ${MASK.help}` },
} as const;

/** The flags that say how the status is shown: one of them at most. */
const WAYS = ['watch', 'page', 'history'] as const;
const OF_HISTORY = ['since', 'failed', 'mask'] as const;

const isGiven = (value: unknown) => value !== undefined && value !== false;

/** @throws {FlagError} */
function read(flags: FlagValues<typeof FLAGS>) {
  const ways = WAYS.filter(way => flags[way]);
  if (ways.length > 1) {
    throw new FlagError(`--${ways[1]}: expected it without --${ways[0]}, got both; leave one of them out`);
  }
  const alone = flags.history ? undefined : OF_HISTORY.find(name => isGiven(flags[name]));
  if (alone !== undefined) {
    throw new FlagError(
      `--${alone}: expected it with --history, got it alone; write --history --${alone} too`,
    );
  }
  const sinceMs = readDuration('--since', flags.since ?? '24h', { least: '1s', most: '90d' });
  return { ...flags, sinceMs };
}

type Session = LookSession<ReturnType<typeof read>>;

export const command = defineLook({
  name: 'status',
  flags: FLAGS,
  tables: 'all of them',
  about: `Shows how the sweep of each table of the configuration stands: up to when everything that was due is gone, what is overdue,
the schedules, the last sweeps and how they ended, open executions, dead letters, alarms. It reads only: the index from here, and
what AWS knows of the deployment. What each line means: docs/operate.md.

With --history it lists from the journal what each execution was, what it found and deleted, how late, and what it left: the cause, and
the keys. A tick that had nothing to do is not in it.`,
  more: `The page has a token in its address, another one each time: whoever has the address sees the page. It listens on 127.0.0.1 only. While it
is open it asks for the status every 10 seconds, and for the history twice a minute; while it is closed or hidden, for nothing.

A call waits 2 seconds for a connection and 5 for an answer, twice. 13 seconds after its start (a second more for each table beyond
ten) the command tells what is known, and what did not answer. A later look of --watch has 13 seconds of its own.`,
  services: ['DYNAMODB', 'SFN'],
  where:
    'With an endpoint on this machine, such as AWS_ENDPOINT_URL_SFN, it asks the services of this machine only, and says what that leaves out.',
  status:
    '0 fine, 1 warnings, 2 something is broken; 3 it could not be told: a service did not answer, wrong flags, a wrong configuration, no credentials. With --watch, that of the last look; 0 after --history and --page',
  failureStatus: NOT_KNOWN,
  interrupted: 'nothing is known',
  read,
  look(session) {
    if (session.asked.page) return servePage(session);
    return session.asked.history ? listHistory(session) : look(session);
  },
});

async function listHistory({ asked, config, table, signal, tell }: Session): Promise<number> {
  const [{ readHistory }, { describeHistory }] = await Promise.all([
    import('../operate/history/history.ts'),
    import('./status/text.ts'),
  ]);
  const report = await readHistory({ ...asked, config, table, signal });
  tell({ report, text: () => describeHistory(report) });
  return 0;
}

async function servePage({ config, table, signal, tell }: Session): Promise<number> {
  const { startDashboard } = await import('../dashboard/start.ts');
  const { address, stop } = await startDashboard({ config, table });
  try {
    const text = () => `${address}\nThe page of the sweep, for browsers of this machine. Ctrl-C stops it.`;
    tell({ report: { address }, text });
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await stop();
  }
  return 0;
}

async function look({ asked: { watch, every, back }, config, table, signal, tell }: Session) {
  const [{ statusJob }, { statusReport }, { describeStatus, showLook }] = await Promise.all([
    import('../operate/status/status.ts'),
    import('../operate/status/to-report.ts'),
    import('./status/text.ts'),
  ]);
  let last: Status | undefined;
  const job = statusJob({ config, table, back, signal });
  try {
    // The time limit of the first look includes the start of the process.
    for (let spentMs = performance.now(); ; spentMs = 0) {
      const status = await job.look(spentMs).catch((error: unknown) => {
        // Ctrl-C is the usual way to stop watching.
        if (signal.aborted && last !== undefined) return last;
        throw error;
      });
      if (status === last) return STATUS[status.verdict];
      last = status;
      tell({
        report: statusReport(status),
        text: () => describeStatus(status),
        show: watch ? () => showLook(status, process.stdout) : undefined,
      });
      if (watch) await sleep(every * 1000, undefined, { signal }).catch(() => undefined);
      if (!watch || signal.aborted) return STATUS[status.verdict];
    }
  } finally {
    job.destroy();
  }
}
