/** `precise-ttl pause` and `precise-ttl resume`. See their `--help`. */
import { advanced, type Pause, pauseOf, tableEntry } from '../functions/journal/layout.ts';
import { type JournalTable, plainValue, readState } from '../functions/journal/read-state.ts';
import { updateEntry } from '../functions/journal/write-entries.ts';
import { noneIfMissing } from './clients.ts';
import { defineCommand, duration, EXIT, type Given, wrong, YES } from './command.ts';
import { clock } from './dashboard/words.ts';
import { journalOf, pauseText } from './journal.ts';

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
    const { journal, tables } = await readTables(given);
    return {
      text: [`In ${given.config.region}:`, ...statesOf(tables, 'swept', given.now())].join('\n'),
      question: 'Pause there?',
      async apply() {
        const since = new Date(given.now()).toISOString();
        const endMs = forMs && Math.ceil((given.now() + forMs) / 1_000) * 1_000;
        const until = endMs && new Date(endMs).toISOString();
        for (const { table } of tables) await pauseTable(journal, table, { since, ...(until && { until }) });
        const { tables: paused } = await readTables(given);
        return {
          data: { tables: paused.map(({ table, pause }) => ({ table, pause: pause ?? null })) },
          text: [
            '',
            ...statesOf(paused, 'swept', given.now()),
            'Deletes stop within five seconds, also those of replays. Later the ticks delete what has expired until then.',
          ].join('\n'),
          exit: EXIT.fine,
        };
      },
    };
  },
});

export const resume = defineCommand({
  name: 'resume',
  tables: 'all',
  flags: { yes: YES },
  about: `Lets the sweeps go on after npx precise-ttl pause. Nothing else is needed: the next tick begins at the table's watermark in the
journal, up to which everything is known to be gone, and each further tick goes on from there, until what has expired meanwhile is
deleted. So it is after a pause that has ended by itself, and after an outage, without this command.`,
  services: ['DYNAMODB'],
  seconds: 15,
  async run(given) {
    const { journal, tables } = await readTables(given);
    const now = given.now();
    return {
      text: [`In ${given.config.region}:`, ...statesOf(tables, 'not paused', now)].join('\n'),
      ...(tables.some(({ pause }) => pause) && {
        question: 'Resume there, and let the ticks delete what is expired?',
      }),
      async apply() {
        const ended: { table: string; was: Pause | null; left: { from: string; to: string } | null }[] = [];
        for (const { table, watermark } of tables) {
          const was = await resumeTable(journal, table, given.now());
          const from = watermark && iso((advanced(watermark).gone + 1) * 1_000);
          ended.push({ table, was: was ?? null, left: was && from ? { from, to: iso(given.now()) } : null });
        }
        const words = ended.map(({ table, was, left }) => {
          if (was === null) return `${table}: was not paused.`;
          if (left === null)
            return `${table}: resumed. No tick has swept it yet: the first one begins two days back.`;
          return `${table}: resumed. The ticks make up for what was due from ${clock(left.from, now)} to ${clock(left.to, now)} by themselves.`;
        });
        return { data: { tables: ended }, text: ['', ...words].join('\n'), exit: EXIT.fine };
      },
    };
  },
});

const iso = (ms: number): string => new Date(ms).toISOString();

/** Reads the tables' pauses and watermarks from the journal. @throws {InvalidFieldError} when there is no journal */
async function readTables({ tables, clients, config, now }: Given) {
  const journal = journalOf(tables[0], clients);
  const state = await noneIfMissing(() => readState(journal));
  if (state === undefined) {
    const remedy =
      'Deploy first, or look whether account, region and AWS_ENDPOINT_URL_DYNAMODB are the right ones.';
    throw wrong('journal', `the table ${journal.tableName} in ${config.region}`, undefined, remedy);
  }
  const { pauses, watermarks } = state;
  return {
    journal,
    tables: tables.map(({ props: { tableName: table } }) => {
      return { table, pause: pauseOf(pauses[table], now()), watermark: watermarks.tables[table] };
    }),
  };
}

const statesOf = (tables: Awaited<ReturnType<typeof readTables>>['tables'], unpaused: string, now: number) =>
  tables.map(
    ({ table, pause }) => `${table} is ${pause ? `paused ${pauseText(table, pause, now)}` : unpaused}.`,
  );

/** Pauses the table. If it is paused already, changes the end of its pause and keeps the start. @throws {JournalUnwritableError} */
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
  // Somebody resumed the table between the two updates, so the whole pause is written.
  if (changed === undefined) await pauseTable(journal, table, pause);
}

/**
 * @returns the ended pause; undefined when the table was not paused
 * @throws {JournalUnwritableError}
 */
async function resumeTable(journal: JournalTable, table: string, nowMs: number): Promise<Pause | undefined> {
  const ended = await updateEntry(journal, tableEntry(table), {
    UpdateExpression: 'REMOVE pause',
    ConditionExpression: 'attribute_exists(pause)',
    ReturnValues: 'ALL_OLD',
  });
  return pauseOf(plainValue(ended?.Attributes?.['pause']) as Pause | undefined, nowMs);
}
