import { setTimeout as sleep } from 'node:timers/promises';
import type { ResolvedProps } from '../../config/props.ts';
import { compareBooks, readAccounts } from '../../functions/journal/accounts.ts';
import type { Reader } from '../../functions/journal/books.ts';
import type { JournalTable } from '../../functions/journal/update-entry.ts';
import { tableReaders } from '../deployment/table-readers.ts';

/** The deletions of the last hour that a reader has seen, as far as the ticks have compared them. */
export interface ReaderLook {
  readonly reader: Reader;
  readonly deleted: number;
  /** The ones of these that it has not seen. */
  readonly missing: number;
  /** The first minute in which something is missing, epoch seconds; null: nothing is. */
  readonly missingFrom: number | null;
  /** Up to which minute they were compared, epoch seconds; null: none of the hour was, or nothing was deleted in it. */
  readonly upTo: number | null;
  /** The missing entries were looked up again now: a reader that is behind catches up. Otherwise they may be there by now. */
  readonly isNow: boolean;
}

const HOUR_SECONDS = 3_600;

/** Missing entries are looked up again for so long, milliseconds. */
const AGAIN_MS = 3_000;

/**
 * Reads what the ticks have found when they compared the books of a table, and compares again where something was missing.
 *
 * @param againMs how long it waits for the second comparison, milliseconds
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

/** The ones of these minutes in which something is still missing; undefined when that takes too long. */
async function missingNow(
  journal: JournalTable,
  book: { readonly table: string; readonly reader: Reader },
  minutes: readonly MissingMinute[],
  againMs: number,
): Promise<MissingMinute[] | undefined> {
  const [first, last] = [minutes[0], minutes.at(-1)];
  if (first === undefined || last === undefined) return [];
  const comparing = compareBooks(journal, { ...book, from: first.from, before: last.from + 60 });
  comparing.catch(() => undefined); // when nobody waits for it any more
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
