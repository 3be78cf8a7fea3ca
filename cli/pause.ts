/** `precise-ttl pause`: pauses the sweeps without a deployment. See `--help`. */
import type { OpenExecution, PauseOptions } from '../operate/changes.ts';
import { commandLine } from '../operate/command-line.ts';
import { describePause } from '../operate/deployment/sweep.ts';
import { isoSeconds } from '../operate/times.ts';
import { describeDuration, readDuration, textFlag } from './flags.ts';
import { firstLines } from './numbers.ts';
import { defineOperation, planOf, type Session } from './operation.ts';

/** Limits of `--for`: a minute, as between two ticks, and a time longer than any pause should be. */
const BOUNDS = { least: '1m', most: '180d' } as const;

/** Executions that are shown for each table. */
const SHOWN = 10;

/** Running ticks cannot be listed: Step Functions does not list Express executions. */
const AFTER_TICKS =
  'It holds from the next tick on. Ticks that began before end within two minutes, with a backlog within five; a replay that a tick ' +
  'has started ends after its round.';

export const command = defineOperation({
  name: 'pause',
  usage: ['[--table NAME] [--for DURATION] [flags]'],
  tables: 'all',
  flags: {
    for: textFlag('DURATION', 'then the ticks sweep it again: 30m, 2h, 1d (default: until resume)'),
  },
  about: `Stops the sweeps of tables, without a deployment: writes it into the journal, which every tick reads first; with --for, until a
later time. What runs goes on to its end; the command says what that is. While a table is paused, expired items stay until
npx precise-ttl resume, or until native TTL deletes them. Deployments leave a pause as it is. The alarm watermark-age
tells of one without --for after 25 hours; npx precise-ttl status at once. Run it again as often as you like; the last pause holds.`,
  services: ['DYNAMODB', 'SFN'],
  quick: ['DYNAMODB', 'SFN'],
  question: 'Pause there?',
  status: { done: 'paused' },
  read: (flags, config) => ({
    config,
    table: flags.table,
    forMs: flags.for === undefined ? undefined : readDuration('--for', flags.for, BOUNDS),
  }),
  prepare: planPause,
});

/** Reads the state of the tables, and describes the change. */
export async function planPause(wanted: PauseOptions, { clients, print }: Session) {
  const { preparePause } = await import('../operate/pause.ts');
  const { facts, apply } = await preparePause({ ...wanted, clients });
  const { forMs, table: named } = wanted;
  return planOf({
    facts: {
      title: `Pause: ${forMs === undefined ? 'until resume' : `for ${describeDuration(forMs)}`}`,
      rows: facts.map(({ table, was }) => ['table', `${table}, ${describePause(was)}`]),
    },
    apply,
    tell({ tables }) {
      const lines = tables.map(
        ({ table, until, open }) =>
          `${table}: paused${until === null ? '' : ` until ${until}`}. ${describeOpen(open)}`,
      );
      const resume = commandLine('resume', named === undefined ? '' : `--table ${named}`);
      print(`\n${lines.join('\n')}\n\n${AFTER_TICKS}\n`);
      print(
        forMs === undefined
          ? `It goes on with ${resume}, which also replays what expires until then.`
          : `Then the ticks go on by themselves. What has expired until then, and longer ago than they look back, is left to ${resume}.`,
      );
      return { end: 'done' };
    },
  });
}

function describeOpen(open: readonly OpenExecution[] | null): string {
  if (open === null) return 'Step Functions did not answer: which replays are open is not known.';
  if (open.length === 0) return 'No replay is open.';
  const first =
    open.length === 1
      ? '1 replay is open and goes on to its end:'
      : `${open.length} replays are open and go on to their end:`;
  const lines = open.map(({ name, startedAt }) => `${name}, since ${isoSeconds(startedAt)}`);
  return [first, ...firstLines(lines, { shown: SHOWN, indent: '    ', where: '' })].join('\n');
}
