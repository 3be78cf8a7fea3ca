import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { IndexScan, PagePosition, ScanRecord } from '../../statemachine/contract/targets.ts';
import { JOURNAL_KEYS, tableEntry } from './layout.ts';
import { unreadable } from './read-state.ts';
import { nextScanAt, SCAN_TAKEN_SECONDS } from './scan-turn.ts';
import { plainValue } from './stored-values.ts';
import { type JournalTable, updateEntry, updateItem } from './update-entry.ts';

/*
 * The scans of indexes. Each table has two records, which no tick reads: the progress of the running scan, and the result of the last
 * finished one. The time of the next scan is in a record that ticks read.
 */

/** Partition key of a table's scans. */
export function scansId(table: string): string {
  return `scan#${table}`;
}

const RUNNING_AT = 'running';
const FINISHED_AT = 'finished';

/** Seconds for which a stopped scan can be continued; after that a new one begins. */
const RESUMED_SECONDS = 86_400;

/** A running scan. */
export interface RunningScan {
  /** ISO-8601. */
  readonly beganAt: string;
  readonly position: PagePosition | null;
  readonly record: ScanRecord | null;
}

/** The results of a scan that has read the whole index. */
export interface FinishedScan {
  /** ISO-8601. */
  readonly beganAt: string;
  readonly endedAt: string;
  readonly record: ScanRecord;
}

/**
 * Claims the start of a table's scan for one tick. For an hour no other tick starts one, and longer while the scan reports that it runs: a
 * scan that did not start, or was stopped, is started again after that.
 *
 * @returns false when the table's scan is not due any more
 * @throws JournalUnwritableError
 */
export async function takeScanTurn(journal: JournalTable, table: string, nowMs: number): Promise<boolean> {
  const now = Math.floor(nowMs / 1_000);
  const taken = await updateEntry(journal, tableEntry(table), {
    UpdateExpression: 'SET scanAt = :until',
    ConditionExpression: 'attribute_not_exists(scanAt) OR scanAt <= :now',
    ExpressionAttributeValues: { ':until': now + SCAN_TAKEN_SECONDS, ':now': now },
  });
  return taken !== undefined;
}

function writeScanAt(journal: JournalTable, table: string, scanAt: number): Promise<unknown> {
  return updateEntry(journal, tableEntry(table), {
    UpdateExpression: 'SET scanAt = :scanAt',
    ExpressionAttributeValues: { ':scanAt': scanAt },
  });
}

/**
 * Claims the scan of a table: continues the running one, or begins a new one. From then on the checkpoints of other executions are
 * refused, so that two at once cannot set each other back: the previous owner ends at its next page. Each round of an execution claims it
 * again, which keeps the ticks from starting another scan.
 *
 * @throws JournalUnwritableError
 */
export async function takeScan(
  journal: JournalTable,
  table: string,
  { execution, nowMs }: { execution: string; nowMs: number },
): Promise<RunningScan> {
  await writeScanAt(journal, table, Math.floor(nowMs / 1_000) + SCAN_TAKEN_SECONDS);
  const key = { id: scansId(table), at: RUNNING_AT };
  const continued = await updateItem(journal, key, {
    UpdateExpression: 'SET execution = :execution',
    ConditionExpression: 'beganAt > :earliest',
    ExpressionAttributeValues: {
      ':execution': execution,
      ':earliest': new Date(nowMs - RESUMED_SECONDS * 1000).toISOString(),
    },
    ReturnValues: 'ALL_NEW',
  });
  const under = continued && (plainValue(continued.Attributes) as RunningScan);
  // A scan that has reached its end has no position to continue from: it was stopped before it recorded its end.
  if (under !== undefined && (under.position !== null || under.record === null)) {
    const { beganAt, position, record } = under;
    return { beganAt, position, record };
  }
  const beganAt = new Date(nowMs).toISOString();
  await updateItem(journal, key, {
    UpdateExpression:
      'SET execution = :execution, beganAt = :beganAt, scanned = :none, #position = :null, #record = :null',
    ExpressionAttributeNames: { '#position': 'position', '#record': 'record' },
    ExpressionAttributeValues: { ':execution': execution, ':beganAt': beganAt, ':none': 0, ':null': null },
  });
  return { beganAt, position: null, record: null };
}

/**
 * Writes a checkpoint of a scan.
 *
 * @returns false when another execution owns it now, or another run of the same child is further
 * @throws JournalUnwritableError
 */
export async function checkpointScan(
  journal: JournalTable,
  table: string,
  { execution }: Pick<IndexScan, 'execution'>,
  { position, record }: { readonly position: PagePosition | null; readonly record: ScanRecord },
): Promise<boolean> {
  const written = await updateItem(
    journal,
    { id: scansId(table), at: RUNNING_AT },
    {
      UpdateExpression: 'SET #position = :position, #record = :record, scanned = :scanned',
      ConditionExpression: 'execution = :execution AND scanned <= :scanned',
      ExpressionAttributeNames: { '#position': 'position', '#record': 'record' },
      ExpressionAttributeValues: {
        ':position': position,
        ':record': record,
        ':scanned': record.scanned,
        ':execution': execution,
      },
    },
  );
  return written !== undefined;
}

/**
 * Records the result of a scan that has read the whole index. This happens before its running record is removed, so that a crash between
 * the two writes loses nothing.
 *
 * @throws JournalUnwritableError
 */
export async function finishScan(
  journal: JournalTable,
  table: string,
  { execution, beganAt }: Pick<IndexScan, 'execution' | 'beganAt'>,
  { endedAt, record }: { readonly endedAt: string; readonly record: ScanRecord },
): Promise<void> {
  await updateItem(
    journal,
    { id: scansId(table), at: FINISHED_AT },
    {
      UpdateExpression: 'SET beganAt = :beganAt, endedAt = :endedAt, #record = :record',
      ExpressionAttributeNames: { '#record': 'record' },
      ExpressionAttributeValues: { ':beganAt': beganAt, ':endedAt': endedAt, ':record': record },
    },
  );
  await writeScanAt(journal, table, nextScanAt(table, Math.floor(Date.parse(beganAt) / 1_000)));
  await updateItem(
    journal,
    { id: scansId(table), at: RUNNING_AT },
    {
      UpdateExpression: 'REMOVE execution, beganAt, scanned, #position, #record',
      ConditionExpression: 'execution = :execution',
      ExpressionAttributeNames: { '#position': 'position', '#record': 'record' },
      ExpressionAttributeValues: { ':execution': execution },
    },
  );
}

/** The scans of a table in the journal; undefined where there is none. */
export interface SeenScans {
  readonly running: RunningScan | undefined;
  readonly finished: FinishedScan | undefined;
}

/**
 * Reads the scans of a table from the journal.
 *
 * @throws JournalUnreadableError
 */
export async function readScans({ documents, tableName }: JournalTable, table: string): Promise<SeenScans> {
  const command = new QueryCommand({
    TableName: tableName,
    KeyConditionExpression: '#id = :id',
    ExpressionAttributeNames: { '#id': JOURNAL_KEYS.partitionKey },
    ExpressionAttributeValues: { ':id': scansId(table) },
    ConsistentRead: true,
  });
  const { Items = [] } = await documents.send(command).catch((error: unknown) => {
    throw unreadable(tableName, error);
  });
  const at = (key: string) => Items.find(item => item[JOURNAL_KEYS.sortKey] === key);
  const [running, finished] = [at(RUNNING_AT), at(FINISHED_AT)];
  return {
    // An ended scan leaves a record with only its key.
    running: running?.['beganAt'] === undefined ? undefined : (plainValue(running) as RunningScan),
    finished: finished && (plainValue(finished) as FinishedScan),
  };
}

/**
 * Reads the results of the last finished scan of a table; undefined: there was none.
 *
 * @throws JournalUnreadableError
 */
export async function readFinishedScan(
  journal: JournalTable,
  table: string,
): Promise<FinishedScan | undefined> {
  return (await readScans(journal, table)).finished;
}
