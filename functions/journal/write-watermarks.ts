import { type SweptSpan, tableEntry, WATERMARKS_AT, type Watermark } from './layout.ts';
import { type JournalTable, updateEntry } from './update-entry.ts';

/**
 * Tables per update: an expression has at most 4 KB, and a table takes up to 12 characters of it. Source: DynamoDB Developer Guide,
 * "Constraints".
 */
const TABLES_AT_ONCE = 300;

/**
 * Records when a tick has planned, and the new watermarks. Tables without a new one keep theirs, which a replay may have moved further in
 * the meantime.
 *
 * @param tick start of the tick, ISO-8601
 * @throws JournalUnwritableError
 */
export async function writeWatermarks(
  journal: JournalTable,
  tick: string,
  tables: Readonly<Record<string, Watermark>>,
): Promise<void> {
  const entries = Object.entries(tables);
  for (let first = 0; first === 0 || first < entries.length; first += TABLES_AT_ONCE) {
    const written = entries.slice(first, first + TABLES_AT_ONCE);
    await updateEntry(journal, WATERMARKS_AT, {
      UpdateExpression: `SET tick=:t${written.map((_entry, index) => `,#${index}=:${index}`).join('')}`,
      ...(written.length > 0 && {
        ExpressionAttributeNames: Object.fromEntries(
          written.map(([table], index) => [`#${index}`, tableEntry(table)]),
        ),
      }),
      ExpressionAttributeValues: {
        ':t': tick,
        ...Object.fromEntries(written.map(([, watermark], index) => [`:${index}`, watermark])),
      },
    });
  }
}

/**
 * Records what a child of a tick has swept behind the watermark. The next tick that plans moves the watermark over it.
 *
 * @throws JournalUnwritableError also when the table has no watermark
 */
export async function noteSwept(journal: JournalTable, table: string, span: SweptSpan): Promise<void> {
  await updateEntry(journal, WATERMARKS_AT, {
    UpdateExpression: 'SET #table.swept = list_append(if_not_exists(#table.swept, :none), :swept)',
    ExpressionAttributeNames: { '#table': tableEntry(table) },
    ExpressionAttributeValues: { ':none': [], ':swept': [span] },
  });
}

/**
 * Records that a replay has swept all TTLs of [from, to), epoch seconds: the table's watermark moves to its end, unless there is a gap
 * before the replay or the watermark is further already.
 *
 * @param endedAt ISO-8601
 * @throws JournalUnwritableError
 */
export async function noteReplayed(
  journal: JournalTable,
  table: string,
  from: number,
  to: number,
  endedAt: string,
): Promise<void> {
  await updateEntry(journal, WATERMARKS_AT, {
    UpdateExpression: 'SET #table.gone = :gone, #table.#at = :at',
    ConditionExpression: '#table.gone BETWEEN :least AND :most',
    ExpressionAttributeNames: { '#table': tableEntry(table), '#at': 'at' },
    ExpressionAttributeValues: {
      ':gone': to - 1,
      ':at': endedAt,
      ':least': from - 1,
      ':most': to - 2,
    },
  });
}
