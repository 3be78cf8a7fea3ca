import { LEDGER_DAYS } from '../../functions/journal/ledger.ts';
import type { AuditReport, MissingKey, ReaderAudit, TableAudit } from '../../operate/audit/report.ts';
import { commandLine } from '../../operate/command-line.ts';
import { utc } from '../../operate/deployment/sweep-text.ts';
import { count } from '../numbers.ts';
import { shortKey } from '../print.ts';

/** Spans with missing deletions that are shown to a person for each reader of the stream. */
const SHOWN_SPANS = 20;

/** Keys of missing deletions that are shown to a person for each reader of the stream. */
export const SHOWN_KEYS = 100;

/** An audit as text for a person. @param now epoch milliseconds */
export function describeAudit(audit: AuditReport, now: number): string {
  const tables = audit.tables.map(table => describeTable(table, audit, now));
  return [...tables, ...(audit.verdict === 'differs' ? [describeRemedy(now)] : [])].join('\n\n');
}

function describeTable(table: TableAudit, { from, to }: AuditReport, now: number): string {
  return [
    `Table ${table.tableName}, deleted from ${at(from)} to ${at(to)}`,
    ...describeLedger(table, from),
    ...table.readers.flatMap(reader => describeReader(reader, now)),
  ].join('\n');
}

function describeLedger({ ledgerFrom, isBatch }: TableAudit, from: string): string[] {
  const since =
    ledgerFrom === null
      ? [
          `  NOT KNOWN: the ledger has no deletion of the last ${LEDGER_DAYS} days. docs/operate.md says when it is kept.`,
        ]
      : Date.parse(ledgerFrom) >= Date.parse(from) + 60_000
        ? [
            `  The first deletion in the ledger is that of ${at(ledgerFrom)}: what was deleted before it was kept is not known.`,
          ]
        : [];
  const batch = isBatch
    ? [
        "  deleteMode 'batch' counts what was gone already as deleted: a key that others deleted before the sweep may be named.",
      ]
    : [];
  return [...since, ...batch];
}

function describeReader(audit: ReaderAudit, now: number): string[] {
  const { reader, deleted, missing, waiting, withinSeconds, spans } = audit;
  const seen = deleted - missing - waiting;
  return [
    `  ${reader} ${count(seen)} of ${count(deleted)}`,
    ...(waiting === 0
      ? []
      : [
          `    NOT KNOWN: ${count(waiting)} may still come: ${reader} within ${withinSeconds} s. Look again after ${at(Math.ceil(now / 1000) * 1000 + withinSeconds * 1000)}.`,
        ]),
    ...(missing === 0 ? [] : [`    DIFFERS: ${count(missing)} not ${reader}, deleted`]),
    ...spans
      .slice(0, SHOWN_SPANS)
      .map(({ from, to, keys }) => `      from ${at(from)} to ${at(to)}: ${count(keys)}`),
    ...(spans.length > SHOWN_SPANS
      ? [`      and ${count(spans.length - SHOWN_SPANS)} more spans: --json FILE has all`]
      : []),
    ...describeKeys(audit),
  ];
}

function describeKeys({ keys, missing }: ReaderAudit): string[] {
  if (missing === 0) return [];
  if (keys[0]?.key === undefined) return ["    the table's logKeys shows no keys"];
  const lines = keys
    .slice(0, SHOWN_KEYS)
    .map(each => `      ${shortKey(each.key ?? '')}  deleted ${at(each.deletedAt)}${expiry(each)}`);
  const more =
    missing > lines.length ? [`      and ${count(missing - lines.length)} more: --json FILE has all`] : [];
  return ['    the keys', ...lines, ...more];
}

const expiry = ({ expiredAt }: MissingKey) => (expiredAt === null ? '' : `, expired ${at(expiredAt)}`);

function describeRemedy(now: number): string {
  return [
    'What mends it:',
    `  Why: ${commandLine('doctor')} names a reader that is off, filtered or fails, and a stream that is off; docs/reference/alarms.md#deletes-unread.`,
    `  Deleted since ${at(now - 86_400_000)}: the stream has it for 24 hours from the deletion, unless it was off. A reader that is ` +
      'behind catches up by itself. One whose filter was changed has passed it over, and reads it again when its mapping is made anew.',
    '  Deleted before, or while the stream was off: restore the table to a time before the deletion, under another name, and take the ' +
      'items from there. That works for 35 days with pointInTimeRecovery.',
    '  The log of a reader has "cannot write the ledger": it may have seen what it could not write down.',
  ].join('\n');
}

const at = (time: string | number): string => utc(new Date(time));
