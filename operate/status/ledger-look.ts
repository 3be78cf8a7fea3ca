import { setTimeout as sleep } from 'node:timers/promises';
import type { ResolvedProps } from '../../config/props.ts';
import { compareBooks, readAccounts } from '../../functions/journal/accounts.ts';
import type { Reader } from '../../functions/journal/books.ts';
import type { JournalTable } from '../../functions/journal/update-entry.ts';
import { tableReaders } from '../deployment/subject.ts';

/** Deletions of the last hour and whether a reader recorded them, as far as the ticks have compared them. */
export interface ReaderLook {
  readonly reader: Reader;
  readonly deleted: number;
  /** Deletions that the reader did not record. */
  readonly missing: number;
  /** First minute with a missing record, epoch seconds; null if none is missing. */
  readonly missingFrom: number | null;
  /** Start of the last compared minute, epoch seconds; null if nothing of the hour was compared, or nothing was deleted. */
  readonly upTo: number | null;
  /** Whether `missing` was compared again now. If not, a slow reader may have recorded some of it since. */
  readonly isNow: boolean;
}

const HOUR_SECONDS = 3_600;

/** Time limit for comparing missing records again, milliseconds. */
const AGAIN_MS = 3_000;

/**
 * Reads what the ticks found when they compared the deletions of a table with its readers, and compares again where records were
 * missing.
 *
 * @param againMs time limit of the second comparison, milliseconds
 * @throws JournalUnreadableError
 */
export async function lookAtLedger(
  journal: JournalTable,
  props: ResolvedProps,
  nowMs: number,
  againMs = AGAIN_MS,
): Promise<ReaderLook[]> {
  const table = props.tableName;
  const now = Math.floor(nowMs / 60_000) * 60;
  const rows = await readAccounts(journal, { table, from: now - HOUR_SECONDS, before: now });
  return Promise.all(
    tableReaders(props).map(async ({ reader }): Promise<ReaderLook> => {
      const compared = rows.flatMap(({ from, deleted, missing: { [reader]: missing } }) =>
        missing === undefined ? [] : [{ from, deleted, missing }],
      );
      const before = compared.filter(({ missing }) => missing > 0);
      const again = await missingNow(journal, { table, reader }, before, againMs);
      const left = again ?? before;
      return {
        reader,
        deleted: sumOf(compared, 'deleted'),
        missing: sumOf(left, 'missing'),
        missingFrom: left[0]?.from ?? null,
        upTo: compared.at(-1)?.from ?? null,
        isNow: again !== undefined,
      };
    }),
  );
}

interface MissingMinute {
  readonly from: number;
  readonly missing: number;
}

/** The minutes in which records are still missing; undefined if the comparison takes too long. */
async function missingNow(
  journal: JournalTable,
  book: { readonly table: string; readonly reader: Reader },
  minutes: readonly MissingMinute[],
  againMs: number,
): Promise<MissingMinute[] | undefined> {
  const [first, last] = [minutes[0], minutes.at(-1)];
  if (first === undefined || last === undefined) return [];
  const comparing = compareBooks(journal, { ...book, from: first.from, before: last.from + 60 });
  comparing.catch(() => undefined); // nobody waits for it after the time limit
  const account = await Promise.race([comparing, sleep(againMs, undefined, { ref: false })]);
  if (account === undefined) return undefined;
  const byMinute = Map.groupBy(account.missing, ({ at }) => Math.floor(at / 60) * 60);
  return minutes.flatMap(({ from }) => {
    const { length: missing = 0 } = byMinute.get(from) ?? [];
    return missing === 0 ? [] : [{ from, missing }];
  });
}

function sumOf<Name extends string>(rows: readonly Readonly<Record<Name, number>>[], name: Name): number {
  return rows.reduce((sum, row) => sum + row[name], 0);
}
