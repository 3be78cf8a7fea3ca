/** `npm run bench index-scan`: scans the index of a large table on DynamoDB Local, with two interruptions. */
import { setTimeout as sleep } from 'node:timers/promises';
import { BatchWriteCommand, DynamoDBDocumentClient, GetCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { DynamoDbProxy } from 'aws-on-loopback/dynamodb/proxy';
import type { Execution } from 'stepfunctions-emulator';
import { replayName } from '../../config/names.ts';
import { type PreciseTtlProps, resolveProps } from '../../config/props.ts';
import { windowKey, windowStart } from '../../expiry/window.ts';
import { readFinishedScan, scansId } from '../../functions/journal/index-scans.ts';
import { journalName } from '../../functions/journal/layout.ts';
import { SCAN_ENTRIES } from '../../functions/query-expired/scan-page.ts';
import { LocalCloud } from '../../local/cloud.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';
import { count } from '../report/numbers.ts';
import { defineExperiment, whole } from './support/experiment.ts';

const BY_SECOND = { tableName: 'BySecond', partitionKey: 'id', index: { by: 'second' } } as const;
const BY_WINDOW = { tableName: 'ByWindow', partitionKey: 'id', index: { shards: 2 } } as const;
const TABLES: readonly PreciseTtlProps[] = [BY_SECOND, BY_WINDOW];

/** Number of items with a fractional TTL, and of misfiled ones. */
const REMARKABLE = 500;
const OVERDUE_SHARE = 0.02;
/** Largest share of the entries that may be read again, if it is more than a page. */
const MAX_READ_AGAIN = 0.01;
const YEAR = 365 * 86_400;
const DAY = 86_400;
const WRITERS = 8;
/** Shares of the entries after which the executions are ended. */
const ENDED_AT = [0.3, 0.7];

interface Item {
  readonly id: string;
  readonly ttl: number;
  readonly expirationWindow?: string;
}

export default defineExperiment({
  name: 'index-scan',
  about: `
Fills a table by second with items of which 2% are overdue by years and 500 have a TTL with a fraction, and a tenth as large one by window
of which 500 are misfiled, and runs the deployed scan of the index on each, on this machine. The first one's execution is ended at
30% and at 70%, and started again. At the end all of what is overdue must be gone and all else be there, all that is remarkable must
be counted, and no more than 1%, or a page, may have been read again.`,
  flags: {
    items: whole(
      { min: 10_000, max: 10_000_000 },
      1_000_000,
      'items in the table; 2% of them are overdue by years',
    ),
  },
  holds: 'all found, the due ones gone, the others there',
  async run({ flags: { items }, print }) {
    const read = { entries: 0, pages: 0 };
    let proxy: DynamoDbProxy | undefined;
    const cloud = await LocalCloud.start({
      stack: plainStack({ region: 'us-east-1', tables: TABLES }),
      environment: {},
      schedules: false,
      functionsDynamoDbEndpoint: async target => {
        proxy = await countingProxy(target, read);
        return proxy.endpoint;
      },
    });
    try {
      const bySecond = await measure(cloud, BY_SECOND, read, { items, print });
      const byWindow = await measure(cloud, BY_WINDOW, read, { items: Math.ceil(items / 10), print });
      return { problems: [...bySecond, ...byWindow] };
    } finally {
      await cloud.stop();
      await proxy?.stop();
    }
  },
});

/** Counts the entries of scanned pages on their way to the functions. */
function countingProxy(target: string, read: { entries: number; pages: number }): Promise<DynamoDbProxy> {
  return DynamoDbProxy.start(target, {
    handle: async ({ operation, forward }) => {
      const answer = await forward();
      if (operation === 'Scan') {
        const { Count = 0 } = JSON.parse(answer.body.toString()) as { readonly Count?: number };
        read.entries += Count;
        read.pages += 1;
      }
      return answer;
    },
  });
}

async function measure(
  cloud: LocalCloud,
  table: typeof BY_SECOND | typeof BY_WINDOW,
  read: { entries: number; pages: number },
  { items, print }: { readonly items: number; readonly print: (text: string) => void },
): Promise<string[]> {
  const { tableName } = table;
  const { sweep } = resolveProps(table);
  const documents = DynamoDBDocumentClient.from(cloud.client);
  const now = Math.floor(Date.now() / 1000);
  const all = Array.from({ length: items }, (_unused, index) => itemOf(table, index, items, now));
  let from = Date.now();
  const seconds = () => ((Date.now() - from) / 1000).toFixed(1);
  await put(documents, tableName, all);
  print(`\n${tableName}: ${count(items)} items written in ${seconds()} s`);

  const scanned = async (): Promise<number> => {
    const Key = { id: scansId(tableName), at: 'running' };
    const { Item } = await documents.send(new GetCommand({ TableName: journalName(sweep), Key }));
    return Number(Item?.['scanned'] ?? 0);
  };
  const finished = () => readFinishedScan({ documents, tableName: journalName(sweep) }, tableName);
  read.entries = 0;
  read.pages = 0;
  const reports: SweepReport[] = [];
  // A call in progress reads for two more seconds, which is enough for the whole smaller table.
  const endedAt = table === BY_SECOND ? ENDED_AT : [];
  for (const share of [...endedAt, Number.POSITIVE_INFINITY]) {
    from = Date.now();
    const execution = cloud.startExecution(replayName(sweep), { table: tableName, scanIndex: true });
    while (execution.status === 'RUNNING' && (await scanned()) < items * share) await sleep(100);
    if (execution.status === 'RUNNING') {
      execution.stop('Stopped', 'by the benchmark');
      // A call that was in progress still finishes.
      await Promise.all([execution.done, sleep(3_000)]);
      print(`ended after ${seconds()} s at ${await scanned()} entries; ${read.entries} read`);
    } else {
      reports.push(reportOf(execution));
      print(`${execution.status} after ${seconds()} s, ${read.entries} entries read in ${read.pages} pages`);
    }
  }
  const report = reports.at(-1);
  print(JSON.stringify(report));
  const left = new Set<string>();
  for await (const page of paginateScan({ client: documents }, { TableName: tableName }))
    for (const item of page.Items ?? []) left.add(String(item['id']));
  const wrong = all.filter(({ id, ttl }) => left.has(id) !== ttl > now);
  const again = read.entries - items;
  const { record } = (await finished()) ?? {};
  const kind = table === BY_SECOND ? 'fractional' : 'misfiled';
  const counted = Number(record?.[kind] ?? 0);
  return [
    ...(counted < REMARKABLE ? [`${tableName}: ${counted} of ${REMARKABLE} are counted as ${kind}`] : []),
    ...(report === undefined ? [`${tableName}: no execution has ended by itself`] : []),
    ...(wrong.length > 0 ? [`${tableName}: ${wrong.length} items are wrong, such as ${wrong[0]?.id}`] : []),
    ...(again > Math.max(MAX_READ_AGAIN * items, SCAN_ENTRIES)
      ? [`${tableName}: ${again} were read again`]
      : []),
  ];
}

function itemOf(table: typeof BY_SECOND | typeof BY_WINDOW, index: number, items: number, now: number): Item {
  const isOverdue = index % Math.round(1 / OVERDUE_SHARE) === 0;
  const isRemarkable = index % Math.floor(items / REMARKABLE) === 1;
  const id = `item-${index}`;
  const whole = isOverdue ? now - 2 * YEAR + (index % YEAR) : now + DAY + (index % YEAR);
  if (table === BY_SECOND) return { id, ttl: isRemarkable ? whole + 0.5 : whole };
  const shard = isRemarkable ? 5 : index % 2;
  return { id, ttl: whole, expirationWindow: windowKey(windowStart(whole, DAY), DAY, shard) };
}

async function put(documents: DynamoDBDocumentClient, table: string, items: readonly Item[]): Promise<void> {
  let next = 0;
  const writer = async () => {
    for (let from = next; from < items.length; from = next) {
      next = from + 25;
      const requests = items.slice(from, from + 25).map(Item => ({ PutRequest: { Item } }));
      await documents.send(new BatchWriteCommand({ RequestItems: { [table]: requests } }));
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
}

function reportOf({ output, cause }: Execution): SweepReport {
  return (output ?? JSON.parse(cause ?? 'null')) as SweepReport;
}
