import { DescribeAlarmsCommand, type MetricAlarm } from '@aws-sdk/client-cloudwatch';
import { GetScheduleCommand } from '@aws-sdk/client-scheduler';
import { QueryCommand, type QueryCommandOutput, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expiredRange, storedNumber } from '../expiry/ttl.ts';
import { advanced, INDEX_SECONDS, pauseOf, type Watermark } from '../functions/journal/layout.ts';
import { readState } from '../functions/journal/read-state.ts';
import { sideBySide } from '../functions/plan-sweep/probe.ts';
import { lateMs } from '../functions/record-metrics/metrics.ts';
import { keyShower } from '../functions/report/shown-keys.ts';
import { leftNothing } from '../functions/report/sweep-totals.ts';
import { type IndexKey, indexLayout, rangesOf } from '../functions/table/index-layout.ts';
import { keyCondition } from '../functions/table/index-query.ts';
import { keyAttributeNames, toItemKey } from '../functions/table/item-key.ts';
import { alarmsOf } from '../stacks/config/alarms.ts';
import { tickName } from '../stacks/config/names.ts';
import type { SweepReport } from '../statemachine/contract/report.ts';
import { COUNT_LIST } from '../statemachine/counts.ts';
import { type Answer, ask, type Clients, NoAnswerError, noneIfMissing } from './clients.ts';
import type { Given, Table } from './command.ts';
import type { Alarm, Facts, IndexLook, Sweep, TableLook } from './dashboard/looks.ts';
import { shownText } from './format.ts';
import { journalOf, readRows } from './journal.ts';

/** Maximum number of queries of the index in one reading of a table. 1,000 queries without results cost about $0.0001. */
const QUERIES = 1_000;
const QUERIES_AT_ONCE = 16;
/** After this number of index keys without an answer no more queries are sent, because DynamoDB is then probably down. */
const UNREAD = 64;
/** Maximum time to read a table's index. The reading ends earlier if only `SPARE_MS` of the command's time limit remain. */
const LOOK_MS = 6_000;
const SPARE_MS = 3_000;
/** How far back the index is read if the journal has no watermark or does not answer. */
const BACK_SECONDS = 900;
const TABLES_AT_ONCE = 8;
/** An item that was written just before its TTL is deleted at most this late, by one of the next two ticks. */
const TICKS_SECONDS = 180;
/** Maximum number of pages of a scan. A page has at most 1 MB, so a scan takes at most 1,024 read units, which cost $0.0001. */
const PAGES = 4;
/** With `status --page` and `status --watch`, a table is scanned at most once in this time. */
const TABLE_AGE_SECONDS = 60;
const QUARTER_MS = 900_000;
const KEYS = 3;

type Asking = Pick<Given, 'tables' | 'clients' | 'now' | 'leftMs'>;

export async function factsOf(given: Asking, most: number): Promise<Facts[]> {
  const shared = askShared(given.tables[0], given);
  return sideBySide(given.tables, TABLES_AT_ONCE, table => tableFacts(table, given, most, shared));
}

function askShared(table: Table, { clients }: Asking) {
  const reading = ask('DYNAMODB', () => readState(journalOf(table, clients)));
  const scheduling = ask('SCHEDULER', async () => (await askSchedule(table, clients))?.State === 'ENABLED');
  const alarming = ask('CLOUDWATCH', () => soundingAlarms(table, clients));
  // `tableFacts` awaits these promises later. Without this handler a rejection before that would end the process.
  for (const each of [reading, scheduling, alarming]) each.catch(() => undefined);
  return { reading, scheduling, alarming };
}

async function tableFacts(
  table: Table,
  given: Asking,
  most: number,
  { reading, scheduling, alarming }: ReturnType<typeof askShared>,
): Promise<Facts> {
  const { props } = table;
  const { now } = given;
  const sweeping = ask('DYNAMODB', () => sweepsOf(table, given, most));
  sweeping.catch(() => undefined);
  // The wait for the journal ends after two seconds: the index is read even if the journal does not answer.
  const early = await Promise.race([reading, new Promise<void>(end => setTimeout(end, 2_000).unref())]);
  const known = early && 'is' in early ? early.is.watermarks.tables[props.tableName] : undefined;
  const nowSeconds = Math.floor(now() / 1_000);
  const unread = known
    ? Math.min(advanced(known).gone + 1, nowSeconds - INDEX_SECONDS)
    : nowSeconds - BACK_SECONDS;
  const looking = await ask('DYNAMODB', () => lookAtIndex(table, given, unread, known?.shards ?? 1));
  const notKnown: string[] = [];
  const seen = <Is>(what: string, answer: Answer<Is>): Is | null => {
    if ('is' in answer) return answer.is;
    notKnown.push(`${what}: ${answer.not}`);
    return null;
  };
  const state = seen('the journal', await reading);
  const stored = state?.watermarks.tables[props.tableName];
  const watermark = stored ? advanced(stored) : null;
  const overdue = seen('the index', looking);
  const gone = goneOf(overdue, watermark);
  // The index is queried before the table is scanned: otherwise an item that is deleted in between would seem to have no index entry.
  const scanned = await ask('DYNAMODB', () => lookAtTable(table, given, gone, watermark));
  const left = seen('the table', scanned);
  const promisedSeconds = lateMs(props) / 1_000 + props.pollSeconds;
  const lateAfterSeconds = props.pollSeconds > 0 ? promisedSeconds : Math.max(promisedSeconds, TICKS_SECONDS);
  const sweeps = seen('the last sweeps', await sweeping);
  return {
    ...{ table: props.tableName, deployment: props.deployment, gone, overdue, left },
    ...{ promisedSeconds, lateAfterSeconds, notKnown },
    isLate: overdue !== null && overdue.readAt - (overdue.oldest ?? overdue.readAt) > lateAfterSeconds,
    watermark: watermark && { since: watermark.since, gone: watermark.gone },
    tick: state?.watermarks.tick ?? null,
    pause: pauseOf(state?.pauses[props.tableName], now()) ?? null,
    isScheduled: seen('the schedule', await scheduling),
    sweeps,
    failing: failingOf(sweeps?.[0], watermark, now()),
    alarms: seen('the alarms', await alarming),
  };
}

/** Why the last recorded sweep failed. Null also if later ticks probably succeeded: a tick without work is not recorded. */
function failingOf(last: Sweep | undefined, watermark: Watermark | null, nowMs: number): string | null {
  if (last === undefined || last.failure === null) return null;
  const endedMs = Date.parse(last.endedAt);
  const isPast = watermark !== null && watermark.gone * 1_000 > endedMs;
  return isPast && nowMs - endedMs > QUARTER_MS ? null : last.failure;
}

/** The span of TTLs whose items are all deleted. It ends ten seconds before the index was read, which may not show later entries yet. */
export function goneOf(
  look: Pick<IndexLook, 'from' | 'readAt' | 'oldest'> | null,
  watermark: Pick<Watermark, 'since' | 'gone'> | null,
): Facts['gone'] {
  const swept = watermark && { since: watermark.since, by: watermark.gone };
  const read = look && { since: look.from, by: look.readAt - INDEX_SECONDS };
  const isJoined = swept !== null && read !== null && swept.by >= read.since - 1;
  const span = isJoined
    ? { since: Math.min(swept.since, read.since), by: Math.max(swept.by, read.by) }
    : (swept ?? read);
  if (span === null) return null;
  const by = Math.min(span.by, Math.ceil(look?.oldest ?? Number.POSITIVE_INFINITY) - 1);
  return by >= span.since ? { since: span.since, by } : null;
}

/**
 * Counts the index's expired entries, the newest first. If the reading ends early, only TTLs before the result's `from` are missing.
 * @param wanted oldest TTL to read, epoch seconds
 * @param shards highest number of shards that the table ever had
 */
async function lookAtIndex(
  { props, model }: Table,
  { clients, now, leftMs }: Asking,
  wanted: number,
  shards: number,
): Promise<IndexLook> {
  const readAt = Math.floor(now() / 1_000);
  const endsAt = performance.now() + Math.min(LOOK_MS, leftMs() - SPARE_MS);
  const from = Math.max(wanted, expiredRange(readAt).after + 1);
  const layout = indexLayout(model);
  const ever = rangesOf(Array(Math.max(shards, layout.shards)).keys());
  const parts = layout.keys({ from, before: readAt + 1, shards: ever }).toReversed();
  let items = 0;
  let newest: number | null = null;
  let oldest: readonly { readonly ttl: number; readonly item: Record<string, unknown> }[] = [];
  let queries = 0;
  let short: string | null = null;
  let unreadKeys = 0;
  let readFrom = from;
  const readPage = (key: IndexKey, startKey: QueryCommandOutput['LastEvaluatedKey']) => {
    if (performance.now() > endsAt || queries === QUERIES || unreadKeys >= UNREAD)
      return { not: `${queries} queries took all of its time` };
    queries += 1;
    const command = new QueryCommand({
      ...{ TableName: props.tableName, IndexName: props.indexName, ScanIndexForward: false },
      ...keyCondition(model, key, { from, upTo: readAt }),
      ExclusiveStartKey: startKey,
    });
    return ask('DYNAMODB', () => clients.documents.send(command));
  };
  const readKey = async (key: IndexKey) => {
    let startKey: QueryCommandOutput['LastEvaluatedKey'];
    let unreadTo = key.ttl ?? key.from + model.granularitySeconds;
    do {
      const page = await readPage(key, startKey);
      if ('not' in page) {
        short ??= page.not;
        unreadKeys += 1;
        readFrom = Math.max(readFrom, unreadTo + 1);
        return;
      }
      const { Items = [], LastEvaluatedKey } = page.is;
      const read = Items.map(item => ({ ttl: storedNumber(item[model.ttlAttribute]), item }));
      items += read.length;
      for (const { ttl } of read) newest = Math.max(newest ?? ttl, ttl);
      oldest = [...oldest, ...read].toSorted((one, other) => one.ttl - other.ttl).slice(0, KEYS);
      // The page's last entry is its oldest. Its TTL counts as not read, because the next page may have more entries with this TTL.
      unreadTo = Math.floor(read.at(-1)?.ttl ?? unreadTo);
      startKey = LastEvaluatedKey;
    } while (startKey !== undefined);
  };
  await sideBySide(parts, QUERIES_AT_ONCE, readKey);
  if (unreadKeys === parts.length && items === 0) throw new NoAnswerError(short ?? 'no time was left');
  const show = keyShower({ logKeys: props.logKeys, tableName: props.tableName, model });
  const keyNames = keyAttributeNames(model);
  const keys = oldest.map(({ item }) => show(toItemKey(item, keyNames))).filter(key => key !== undefined);
  return {
    ...{ readAt, items, newest, queries, short },
    from: readFrom,
    oldest: oldest[0]?.ttl ?? null,
    keys: keys.map(shownText),
  };
}

/** The last scan of each table. */
const lastLooks = new WeakMap<Table, TableLook>();

async function lookAtTable(
  table: Table,
  { clients, now, leftMs }: Asking,
  gone: Facts['gone'],
  watermark: Watermark | null,
): Promise<TableLook> {
  const { props, model } = table;
  const readAt = Math.floor(now() / 1_000);
  const last = lastLooks.get(table);
  if (last !== undefined && readAt - last.readAt < TABLE_AGE_SECONDS) return last;
  const from = expiredRange(readAt).after + 1;
  const seen = { read: 0, before: 0, unseen: 0, recent: 0 };
  let startKey: QueryCommandOutput['LastEvaluatedKey'];
  for (let page = 0; page < PAGES && (page === 0 || leftMs() > SPARE_MS); page += 1) {
    const command = new ScanCommand({
      TableName: props.tableName,
      // An eventually consistent scan could return items that were just deleted.
      ConsistentRead: true,
      FilterExpression: '#ttl BETWEEN :from AND :upTo',
      ProjectionExpression: '#ttl',
      ExpressionAttributeNames: { '#ttl': model.ttlAttribute },
      ExpressionAttributeValues: { ':from': from, ':upTo': readAt },
      ExclusiveStartKey: startKey,
    });
    const { Items = [], ScannedCount = 0, LastEvaluatedKey } = await clients.documents.send(command);
    seen.read += ScannedCount;
    for (const item of Items) {
      const ttl = storedNumber(item[model.ttlAttribute]);
      if (gone !== null && ttl >= gone.since && ttl <= gone.by)
        seen[ttl > readAt - TICKS_SECONDS ? 'recent' : 'unseen'] += 1;
      else if (watermark !== null && ttl < watermark.since) seen.before += 1;
    }
    startKey = LastEvaluatedKey;
    if (startKey === undefined) break;
  }
  const look = { readAt, isAll: startKey === undefined, ...seen };
  lastLooks.set(table, look);
  return look;
}

async function sweepsOf(table: Table, { clients }: Asking, most: number): Promise<Sweep[]> {
  const sweeps: Sweep[] = [];
  for await (const row of readRows(journalOf(table, clients), table.props.tableName, most)) {
    const { execution, kind, startedAt, endedAt, report } = row;
    sweeps.push({
      ...{ execution, kind, startedAt, endedAt, failure: failureOf(report) },
      counts: countsOf(report),
      lagMs: report.lagMs ?? null,
      failedKeys: report.failedKeys.map(({ key, keyStart, reason }) => {
        const shown = key === undefined ? keyStart && `${keyStart}…` : shownText(key);
        return `${shown ?? 'a key'} (${reason})`;
      }),
    });
    if (sweeps.length === most) break;
  }
  return sweeps;
}

export const countsOf = (report: SweepReport): Sweep['counts'] =>
  Object.fromEntries(COUNT_LIST.flatMap(([name]) => (report[name] > 0 ? [[name, report[name]]] : [])));

function failureOf(report: SweepReport): string | null {
  const { failure, found, failed, shardsFailed, failedKeys } = report;
  if (failure !== undefined) return `${failure.error}: ${failure.message.split('\n')[0]}`;
  if (leftNothing(report)) return null;
  const reasons = [...new Set(failedKeys.map(({ reason }) => reason))].join(', ');
  const items = `${failed} of ${found} items could not be deleted${reasons && ` (${reasons})`}`;
  const children = `${shardsFailed} of its children did not get through`;
  return [...(failed > 0 ? [items] : []), ...(shardsFailed > 0 ? [children] : [])].join(', and ');
}

/** @returns undefined when there is no schedule */
export function askSchedule({ deployment: { name } }: Table, { scheduler }: Clients) {
  const input = { Name: tickName(name), GroupName: name };
  return noneIfMissing(() => scheduler.send(new GetScheduleCommand(input)));
}

/** The deployment's alarms. The request has their full names, because a prefix could also match another deployment's alarms. */
export async function askAlarms({ deployment }: Table, { cloudWatch }: Clients): Promise<MetricAlarm[]> {
  const AlarmNames = alarmsOf(deployment).map(({ name }) => name);
  if (AlarmNames.length === 0) return [];
  return (await cloudWatch.send(new DescribeAlarmsCommand({ AlarmNames }))).MetricAlarms ?? [];
}

async function soundingAlarms(table: Table, clients: Clients): Promise<Alarm[]> {
  const sounding = (await askAlarms(table, clients)).filter(({ StateValue }) => StateValue === 'ALARM');
  return sounding.map(({ AlarmName: name = '', StateUpdatedTimestamp: since }) => {
    return { name, since: since?.toISOString() ?? null };
  });
}
