import { advanced, type Pause, pauseOf, tableEntry } from '../functions/journal/layout.ts';
import { type JournalTable, plainValue } from '../functions/journal/read-state.ts';
import { updateEntry } from '../functions/journal/write-entries.ts';
import { defineCommand, EXIT, YES } from './command.ts';
import { clock } from './dashboard/words.ts';
import { pauseText, readJournals } from './journal.ts';

export const command = defineCommand({
  name: 'resume',
  tables: 'all',
  flags: { yes: YES },
  about: `Lets the sweeps go on after npx precise-ttl pause. Nothing else is needed: the next tick begins at the table's watermark in the
journal, up to which everything is known to be gone, and each further tick goes on from there, until what has expired meanwhile is
deleted. So it is after a pause that has ended by itself, and after an outage, without this command.`,
  services: ['DYNAMODB'],
  seconds: 15,
  async run(given) {
    const tables = await readJournals(given);
    const now = given.now();
    const rows = tables.map(({ table, pause }) => {
      return pause === undefined
        ? `${table} is not paused.`
        : `${table} is paused ${pauseText(table, pause, now)}.`;
    });
    return {
      text: [`In ${given.config.region}:`, ...rows].join('\n'),
      ...(tables.some(({ pause }) => pause) && {
        question: 'Resume there, and let the ticks delete what is expired?',
      }),
      async apply() {
        const ended: { table: string; was: Pause | null; left: { from: string; to: string } | null }[] = [];
        for (const { table, journal, watermark } of tables) {
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
