/** `precise-ttl pause`: pauses the sweeps without a deployment. See `--help`. */
import type { PauseOptions } from '../operate/changes.ts';
import { commandLine } from '../operate/command-line.ts';
import { describePause } from '../operate/deployment/sweep.ts';
import { describeDuration, readDuration, textFlag } from './flags.ts';
import { defineOperation, planOf, type Session } from './operation.ts';

/** Limits of `--for`: a minute, as between two ticks, and a time longer than any pause should be. */
const BOUNDS = { least: '1m', most: '180d' } as const;

export const command = defineOperation({
  name: 'pause',
  usage: ['[--table NAME] [--for DURATION] [flags]'],
  tables: 'all',
  flags: {
    for: textFlag('DURATION', 'then the ticks sweep it again: 30m, 2h, 1d (default: until resume)'),
  },
  about: `Stops the sweeps of tables, without a deployment: writes it into the journal, which every delete reads first; with --for, until a
later time. Deletes stop within five seconds, those of ticks and replays that run already too. While a table is paused, expired items
stay until npx precise-ttl resume, or until native TTL deletes them. Deployments leave a pause as it is. The alarm watermark-age
tells of one without --for after 25 hours; npx precise-ttl status at once. Run it again as often as you like; the last pause holds.`,
  services: ['DYNAMODB'],
  quick: ['DYNAMODB'],
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
        ({ table, until }) => `${table}: paused${until === null ? '' : ` until ${until}`}.`,
      );
      const resume = commandLine('resume', named === undefined ? '' : `--table ${named}`);
      print(`\n${lines.join('\n')}\n\nDeletes stop within five seconds, also those of replays.`);
      print(
        forMs === undefined
          ? `It goes on with ${resume}: the ticks then delete what has expired until then.`
          : 'Then the ticks go on by themselves, and delete what has expired until then.',
      );
      return { end: 'done' };
    },
  });
}
