import { LEDGER_DAYS, type LedgerEntry } from '../../functions/journal/ledger.ts';
import { commandLine } from '../command-line.ts';
import { utc } from '../deployment/sweep-text.ts';
import { shortKey } from '../print.ts';
import { type KeyTextOptions, keysToShow, keyText } from '../table/key-text.ts';
import { type Audit, type ReaderAudit, type TableAudit, verdictOf } from './job.ts';

/** Spans of a reader that a person is shown. */
const SHOWN_SPANS = 20;

/** Keys of a reader that a person is shown. */
export const SHOWN_KEYS = 100;

export interface AuditTextOptions {
  readonly mask: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** An audit for a person. */
export function describeAudit(audit: Audit, options: AuditTextOptions): string {
  const tables = audit.tables.map(table => describeTable(table, audit, options));
  const mend = verdictOf(audit) === 'differs' ? [describeRemedy(options)] : [];
  return [...tables, ...mend].join('\n\n');
}

function describeTable(table: TableAudit, { span }: Audit, { mask, now }: AuditTextOptions): string {
  const { tableName, readers, keys } = table;
  const shown = { ...keys, logKeys: keysToShow(keys.logKeys, mask) };
  return [
    `Table ${tableName}, deleted from ${at(span.from)} to ${at(span.before)}`,
    ...describeLedger(table, span.from),
    ...readers.flatMap(reader => describeReader(reader, shown, now)),
  ].join('\n');
}

function describeLedger({ ledgerFrom, isBatch }: TableAudit, from: number): string[] {
  const since =
    ledgerFrom === null
      ? [
          `  NOT KNOWN: the ledger has no deletion of the last ${LEDGER_DAYS} days. docs/status.md says when it is kept.`,
        ]
      : ledgerFrom >= from + 60
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

function describeReader(audit: ReaderAudit, keys: KeyTextOptions, now: number): string[] {
  const { reader, deleted, missing, waiting, withinSeconds, spans } = audit;
  const seen = deleted - missing - waiting;
  return [
    `  ${reader} ${count(seen)} of ${count(deleted)}`,
    ...(waiting === 0
      ? []
      : [
          `    NOT KNOWN: ${count(waiting)} may still come: ${reader} within ${withinSeconds} s. Look again after ${at(Math.ceil(now / 1000) + withinSeconds)}.`,
        ]),
    ...(missing === 0 ? [] : [`    DIFFERS: ${count(missing)} not ${reader}, deleted`]),
    ...spans
      .slice(0, SHOWN_SPANS)
      .map(span => `      from ${at(span.from)} to ${at(span.before)}: ${count(span.keys)}`),
    ...(spans.length > SHOWN_SPANS
      ? [`      and ${count(spans.length - SHOWN_SPANS)} more spans: --json FILE has all`]
      : []),
    ...describeKeys(audit, keys),
  ];
}

function describeKeys({ keys, missing }: ReaderAudit, options: KeyTextOptions): string[] {
  if (missing === 0) return [];
  if (options.logKeys === 'none') return ["    the table's logKeys shows no keys"];
  const lines = keys.slice(0, SHOWN_KEYS).map(entry => {
    const key = shortKey(keyText(entry.key, options) ?? '');
    return `      ${key}  deleted ${at(entry.at)}${expiry(entry)}`;
  });
  const more =
    missing > lines.length ? [`      and ${count(missing - lines.length)} more: --json FILE has all`] : [];
  return ['    the keys', ...lines, ...more];
}

const expiry = ({ ttl }: LedgerEntry) => (ttl === null ? '' : `, expired ${at(ttl)}`);

function describeRemedy({ now }: AuditTextOptions): string {
  return `What mends it:
  Why: ${commandLine('doctor')} names a reader that is off, filtered or fails, and a stream that is off; docs/runbook.md#deletes-unread.
  Deleted since ${at(now / 1000 - 86_400)}: the stream has it for 24 hours from the deletion, unless it was off. A reader that is
    behind catches up by itself. One whose filter was changed has passed it over, and reads it again when its mapping is made anew.
  Deleted before, or while the stream was off: restore the table to a time before the deletion, under another name, and take the
    items from there. That works for 35 days with pointInTimeRecovery.
  The log of a reader has "cannot write the ledger": it may have seen what it could not write down.`;
}

const at = (seconds: number): string => utc(new Date(seconds * 1000));

const count = (value: number): string => value.toLocaleString('en-US');
