import { type PreciseTtlProps, resolveProps } from '../../config/props.ts';
import { expiryModel } from '../../expiry/index.ts';
import type { Problems } from '../../lab/report/problems.ts';
import { WatchedTable } from '../../lab/watch/watched-table.ts';
import type { LocalCloud } from '../../local/cloud.ts';
import { enableStream, ensureTable } from '../../local/dynamodb/tables.ts';
import type { TableResource } from '../../local/stack/synthesized.ts';
import { tableOf } from '../../local/stack/table-of.ts';
import { type ExpiredTable, makeExpiredTable } from '../live/expired-table.ts';
import { stampedWindow, sweepPublished } from './published-algorithm.ts';
import { publishedStore } from './published-store.ts';
import type { Mode } from './result.ts';

const KEYS = { partitionKey: 'UserName', sortKey: 'SessionId', ttlAttribute: 'ExpirationTime' };
const MODEL = expiryModel(KEYS);
const PRECISE = { tableName: 'PreciseSessions', ...KEYS, precisionSeconds: 1 };
const PLAIN = { tableName: 'PlainSessions', ...KEYS, precisionSeconds: 60 };
const PUBLISHED = 'PublishedSessions';

/** What is synthesized; the published algorithm has a table beside it. */
export const SWEPT_TABLES: readonly PreciseTtlProps[] = [PRECISE, PLAIN];

const TABLES: Readonly<Record<Mode, (cloud: LocalCloud) => TableResource | Promise<TableResource>>> = {
  precise: cloud => tableOf(cloud.synthesized, PRECISE.tableName),
  plain: cloud => tableOf(cloud.synthesized, PLAIN.tableName),
  published: makePublishedTable,
};

/** A table for each mode, alike but for how they are stamped and swept. */
export function watchTables(
  modes: readonly Mode[],
  cloud: LocalCloud,
  prefix: string,
  problems: Problems,
): Promise<[Mode, WatchedTable][]> {
  return Promise.all(
    modes.map(async (mode): Promise<[Mode, WatchedTable]> => {
      const table = await TABLES[mode](cloud);
      const watched = await WatchedTable.start({
        cloud,
        table,
        model: MODEL,
        prefix,
        ...(mode === 'published' && { stamp: stampPublished }),
        onError: error => problems.breakOff(`the stream of ${table.name} couldn't be read: ${error}`),
      });
      return [mode, watched];
    }),
  );
}

/** A table that is measured by nothing, for what is done before. */
export function makeWarmUpTable({ client, synthesized }: LocalCloud): Promise<ExpiredTable> {
  const props = { ...PRECISE, tableName: 'WarmUpSessions' };
  return makeExpiredTable(client, props, tableOf(synthesized, PRECISE.tableName));
}

/** One invocation of the published algorithm on its table. */
export function publishedSweep({ client }: LocalCloud): (nowMs: number) => Promise<void> {
  const store = publishedStore(client, PUBLISHED, resolveProps(PLAIN).indexName, MODEL);
  return nowMs => sweepPublished(store, nowMs);
}

function stampPublished(_key: unknown, ttl: number): Record<string, number | string> {
  return { [MODEL.ttlAttribute]: ttl, [MODEL.windowAttribute]: stampedWindow(ttl).key };
}

async function makePublishedTable(cloud: LocalCloud): Promise<TableResource> {
  const table = {
    ...tableOf(cloud.synthesized, PLAIN.tableName),
    name: PUBLISHED,
    address: PUBLISHED,
  };
  await ensureTable(cloud.client, table);
  await enableStream(cloud.client, table.name);
  return table;
}
