import { type Pause, tableEntry } from '../functions/journal/layout.ts';
import type { JournalTable } from '../functions/journal/read-state.ts';
import { updateEntry } from '../functions/journal/write-entries.ts';
import { defineCommand, duration, EXIT, YES } from './command.ts';
import { pauseText, readJournals } from './journal.ts';

export const command = defineCommand({
  name: 'pause',
  tables: 'all',
  flags: {
    for: {
      help: 'then the ticks sweep it again: 30m, 2h, 1d (default: until resume)',
      kind: duration('1m', '180d'),
      value: 'DURATION',
    },
    yes: YES,
  },
  about: `Stops the sweeps of tables, without a deployment: writes it into the journal, which every delete reads first; with --for, until a
later time. Deletes stop within five seconds, those of ticks and replays that run already too. While a table is paused, expired items
stay until npx precise-ttl resume, or until native TTL deletes them. Deployments leave a pause as it is. The alarm watermark-age
tells of one without --for after 25 hours; npx precise-ttl status at once. Run it again as often as you like: the last end holds.`,
  services: ['DYNAMODB'],
  seconds: 15,
  async run(given) {
    const { for: forMs } = given.flags;
    const tables = await readJournals(given);
    const textOf = (table: string, pause: Pause | undefined) =>
      `${table} is ${pause === undefined ? 'swept' : `paused ${pauseText(table, pause, given.now())}`}.`;
    return {
      text: [`In ${given.config.region}:`, ...tables.map(({ table, pause }) => textOf(table, pause))].join(
        '\n',
      ),
      question: 'Pause there?',
      async apply() {
        const since = new Date(given.now()).toISOString();
        const endMs = forMs && Math.ceil((given.now() + forMs) / 1_000) * 1_000;
        const until = endMs && new Date(endMs).toISOString();
        for (const { table, journal } of tables) {
          await pauseTable(journal, table, { since, ...(until && { until }) });
        }
        const paused = await readJournals(given);
        return {
          data: { tables: paused.map(({ table, pause }) => ({ table, pause: pause ?? null })) },
          text: [
            '',
            ...paused.map(({ table, pause }) => textOf(table, pause)),
            'Deletes stop within five seconds, also those of replays. Later the ticks delete what has expired until then.',
          ].join('\n'),
          exit: EXIT.fine,
        };
      },
    };
  },
});

/** If the table is paused already, only the end of the pause changes, not its start. @throws {JournalUnwritableError} */
export async function pauseTable(journal: JournalTable, table: string, pause: Pause): Promise<void> {
  const { since, until } = pause;
  const begun = await updateEntry(journal, tableEntry(table), {
    UpdateExpression: 'SET pause = :pause',
    ConditionExpression: 'attribute_not_exists(pause) OR pause.#until <= :since',
    ExpressionAttributeNames: { '#until': 'until' },
    ExpressionAttributeValues: { ':pause': pause, ':since': since },
  });
  if (begun !== undefined) return;
  const changed = await updateEntry(journal, tableEntry(table), {
    UpdateExpression: until === undefined ? 'REMOVE pause.#until' : 'SET pause.#until = :until',
    ConditionExpression: 'attribute_exists(pause)',
    ExpressionAttributeNames: { '#until': 'until' },
    ...(until !== undefined && { ExpressionAttributeValues: { ':until': until } }),
  });
  // The table was resumed in the meantime.
  if (changed === undefined) await pauseTable(journal, table, pause);
}
