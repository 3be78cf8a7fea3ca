import { type ResolvedProps, resolveProps } from '../../config/props.ts';
import { compareBooks } from '../../functions/journal/accounts.ts';
import { LEDGER_DAYS, readBook } from '../../functions/journal/ledger.ts';
import { keyAttributeNames } from '../../functions/table/item-key.ts';
import { chooseTables } from '../choose-tables.ts';
import { type ConnectJournal, connectJournal } from '../deployment/clients.ts';
import { type TableReader, tableReaders } from '../deployment/subject.ts';
import { InputError } from '../errors.ts';
import { type DeploymentJournal, inJournal, journalAt } from '../journals.ts';
import { NEVER } from '../options.ts';
import { keysToShow, keyText } from '../table/key-text.ts';
import { isoSeconds } from '../times.ts';
import type {
  AuditOptions,
  AuditReport,
  AuditVerdict,
  MissingKey,
  ReaderAudit,
  TableAudit,
} from './report.ts';

/** Times of deletion in epoch seconds: [from, before), whole minutes. */
export interface AuditSpan {
  readonly from: number;
  readonly before: number;
}

/**
 * Rounds a span outwards to whole minutes.
 *
 * @param now epoch milliseconds
 * @throws {InputError}
 */
export function auditSpan({ from, to }: Pick<AuditOptions, 'from' | 'to'>, now: number): AuditSpan {
  const before = to ?? new Date(now);
  if (before.getTime() > now)
    throw new InputError(
      'to',
      `expected a time that has passed, got ${isoSeconds(before)}; leave it out for now`,
    );
  if (!(from.getTime() < before.getTime()))
    throw new InputError(
      'from',
      `expected a time before ${to === undefined ? 'now, ' : ''}${isoSeconds(before)}, got ${timeText(from)}`,
    );
  const first = now - LEDGER_DAYS * 86_400_000;
  if (from.getTime() < first)
    throw new InputError(
      'from',
      `expected ${isoSeconds(first)} or later, got ${isoSeconds(from)}; the journal has the ledger of the last ${LEDGER_DAYS} days`,
    );
  return {
    from: Math.floor(from.getTime() / 60_000) * 60,
    before: Math.ceil(before.getTime() / 60_000) * 60,
  };
}

const timeText = (time: Date) => (Number.isNaN(time.getTime()) ? 'no valid time' : isoSeconds(time));

type Comparing = Omit<AuditOptions, 'now' | 'onProgress'> & {
  readonly span: AuditSpan;
  readonly now: number;
  /** Gets each hour before it is compared. */
  readonly onHour: (at: string) => void;
};

/**
 * Compares what the sweeps of some tables deleted in a span of time with what their stream readers recorded. It changes nothing.
 *
 * @throws {InputError}, {JournalNotFoundError}, {MissingPermissionError}, or the SDK's error
 */
export async function compareDeletions(
  options: AuditOptions,
  connect: ConnectJournal = connectJournal(options),
): Promise<AuditReport> {
  const { config, signal = NEVER } = options;
  const now = (options.now ?? Date.now)();
  const span = auditSpan(options, now);
  const { region } = config;
  const chosen = chooseTables(config, options.table)
    .map(resolveProps)
    .filter(props => tableReaders(props).length > 0);
  if (chosen.length === 0)
    throw new InputError(
      'table',
      `expected a table with archive or events, got ${options.table ?? 'none in the configuration'}; nothing else reads what is deleted`,
    );
  const { dynamoDb, destroy } = connect(region);
  try {
    const tables: TableAudit[] = [];
    const onHour = hourTeller(chosen, span, options.onProgress);
    for (const props of chosen) {
      const journal = journalAt(dynamoDb, props.sweep, region);
      const comparing = { ...options, signal, span, now, onHour };
      tables.push(await inJournal('dynamodb:Query', journal, () => auditTable(journal, props, comparing)));
      signal.throwIfAborted();
    }
    return { region, verdict: verdictOf(tables), from: iso(span.from), to: iso(span.before), tables };
  } finally {
    destroy();
  }
}

async function auditTable(
  journal: DeploymentJournal,
  props: ResolvedProps,
  options: Comparing,
): Promise<TableAudit> {
  const { tableName, sweep: name, deleteMode } = props;
  const readers: ReaderAudit[] = [];
  for (const reader of tableReaders(props)) readers.push(await auditReader(journal, props, reader, options));
  const first = await firstDeletion(journal, tableName, options);
  const ledgerFrom = first === null ? null : iso(first);
  return { tableName, name, ledgerFrom, isBatch: deleteMode === 'batch', readers };
}

/** Seconds of deletions whose keys are in memory at the same time. */
const STEP_SECONDS = 3600;

/** Returns a function that reports each hour of each reader as progress. */
function hourTeller(
  chosen: readonly ResolvedProps[],
  { from, before }: AuditSpan,
  onProgress: AuditOptions['onProgress'],
): (at: string) => void {
  const readers = chosen.reduce((sum, props) => sum + tableReaders(props).length, 0);
  const total = readers * Math.ceil((before - from) / STEP_SECONDS);
  let done = 0;
  return at => {
    onProgress?.({ at, done, total });
    done += 1;
  };
}

async function auditReader(
  journal: DeploymentJournal,
  props: ResolvedProps,
  { reader, withinSeconds }: TableReader,
  { span, now, maxKeys = Number.POSITIVE_INFINITY, mask = false, onHour, signal = NEVER }: Comparing,
): Promise<ReaderAudit> {
  const { tableName } = props;
  const shown = {
    ...{ tableName, keyNames: keyAttributeNames(props) },
    logKeys: keysToShow(props.logKeys, mask),
  };
  const due = now / 1000 - withinSeconds;
  const counts = { deleted: 0, missing: 0, waiting: 0 };
  const minutes: { from: number; before: number; keys: number }[] = [];
  const keys: MissingKey[] = [];
  for (let from = span.from; from < span.before && !signal.aborted; from += STEP_SECONDS) {
    onHour(`${tableName}: ${reader}, ${new Date(from * 1000).toISOString().slice(0, 13)}h`);
    const before = Math.min(from + STEP_SECONDS, span.before);
    const account = await compareBooks(journal, { table: tableName, reader, from, before });
    counts.deleted += account.deleted;
    for (const { key, at, ttl } of account.missing) {
      if (at > due) {
        counts.waiting += 1;
        continue;
      }
      counts.missing += 1;
      const text = keyText(key, shown);
      const times = { deletedAt: iso(at), expiredAt: ttl === null ? null : iso(ttl) };
      if (keys.length < maxKeys) keys.push({ ...(text !== undefined && { key: text }), ...times });
      addMinute(minutes, Math.floor(at / 60) * 60);
    }
  }
  const spans = minutes.map(each => ({ from: iso(each.from), to: iso(each.before), keys: each.keys }));
  return { reader, withinSeconds, ...counts, spans, keys };
}

/** Extends the last span by a minute or begins a new one; deletions come oldest first. */
function addMinute(spans: { from: number; before: number; keys: number }[], minute: number): void {
  const last = spans.at(-1);
  if (last === undefined || minute > last.before) spans.push({ from: minute, before: minute + 60, keys: 1 });
  else Object.assign(last, { before: minute + 60, keys: last.keys + 1 });
}

async function firstDeletion(
  journal: DeploymentJournal,
  table: string,
  { span, now }: Comparing,
): Promise<number | null> {
  const from = now / 1000 - LEDGER_DAYS * 86_400;
  for await (const { entries } of readBook(journal, { book: 'deleted', table, from, before: span.before }))
    return Math.min(...entries.map(({ at }) => at));
  return null;
}

function verdictOf(tables: readonly TableAudit[]): AuditVerdict {
  const readers = tables.flatMap(table => table.readers);
  if (readers.some(({ missing }) => missing > 0)) return 'differs';
  const isUnknown =
    tables.some(({ ledgerFrom }) => ledgerFrom === null) || readers.some(({ waiting }) => waiting > 0);
  return isUnknown ? 'unknown' : 'equal';
}

const iso = (seconds: number): string => isoSeconds(seconds * 1000);
