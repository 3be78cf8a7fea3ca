import { type Checked, check, notAsked, seenOf } from '../deployment/check.ts';
import { type ConnectDeployment, connectDeployment, type DeploymentClients } from '../deployment/clients.ts';
import {
  observeDeployment,
  observeSweep,
  type SeenDeployment,
  type SeenSweep,
} from '../deployment/observe-deployment.ts';
import { chooseTables, type Subject, subjectsOf } from '../deployment/subject.ts';
import { TableNotFoundError } from '../errors.ts';
import { NEVER } from '../options.ts';
import { describeNativeTtl, describeRecovery, describeShape, keyNamesOf } from '../table/describe-table.ts';
import { keysToShow } from '../table/key-text.ts';
import { sampleItems } from '../table/sample.ts';
import { scanTable, wholeTable } from '../table/scan.ts';
import { TimeLimit } from '../time-limit.ts';
import { deploymentFindings, FUNCTIONS_AT_ONCE } from './deployment-findings.ts';
import { FINDINGS, type ItemFindingId, SEVERITIES } from './findings.ts';
import { ItemTally } from './item-findings.ts';
import {
  type DoctorOptions,
  type DoctorReport,
  type Facts,
  type Finding,
  judged,
  type TableReport,
  verdictOf,
} from './report.ts';
import {
  nativeTtlFindings,
  observeIndexWrites,
  recoveryFindings,
  settingsFindings,
  shardFindings,
  type TableShape,
  tableFindings,
  wantsRecovery,
} from './table-findings.ts';

/** Time limit of all checks of a table except a full scan, seconds. */
const TABLE_SECONDS = 60;

/**
 * Checks the tables of a configuration and what is deployed for them. It changes nothing.
 *
 * @throws {InputError} before any request; the SDK's error when there are no credentials
 */
export async function examine(
  given: DoctorOptions,
  connect: ConnectDeployment = connectDeployment(given),
): Promise<DoctorReport> {
  const options = {
    full: false,
    all: false,
    rate: 100,
    segments: 4,
    mask: false,
    now: Date.now,
    signal: NEVER,
    ...given,
  };
  const { config } = options;
  const { region } = config;
  const tables = chooseTables(config, options.table);
  const limit = new TimeLimit(TABLE_SECONDS);
  const clients = connect(region, limit);
  try {
    const checkedAt = new Date(options.now()).toISOString();
    const reports: TableReport[] = [];
    const sweeps = new Map<string, SeenSweep>();
    for (const subject of subjectsOf(config, tables)) {
      limit.start();
      const { deployment } = subject;
      const sweep = sweeps.get(deployment.name) ?? (await observeSweep(clients, deployment, region));
      sweeps.set(deployment.name, sweep);
      const report = await checkTable(subject, clients, sweep, { ...options, limit });
      options.signal.throwIfAborted();
      reports.push(report);
    }
    const verdict = verdictOf(reports.flatMap(({ findings }) => findings));
    return { verdict, region, isLocal: clients.isLocal, checkedAt, tables: reports };
  } finally {
    limit.stop();
    clients.destroy();
  }
}

type LimitedOptions = DoctorOptions &
  Required<Pick<DoctorOptions, 'full' | 'all' | 'rate' | 'segments' | 'mask'>> & {
    readonly limit: TimeLimit;
    readonly now: () => number;
    readonly signal: AbortSignal;
  };

async function checkTable(
  subject: Subject,
  clients: DeploymentClients,
  sweep: SeenSweep,
  options: LimitedOptions,
): Promise<TableReport> {
  const { props } = subject;
  const deployment = await observeDeployment(clients, subject, sweep);
  const looked = await lookAtTable(subject, clients, options);
  const findings = [...looked.findings, ...deploymentFindings(deployment, subject, looked.streamArn)].sort(
    byImportance,
  );
  return {
    tableName: props.tableName,
    name: props.sweep,
    verdict: verdictOf(findings),
    facts: { ...looked.facts, ...factsOf(deployment), functionsAtOnce: FUNCTIONS_AT_ONCE },
    findings,
  };
}

const ORDER = Object.keys(FINDINGS);

function byImportance(one: Finding, other: Finding): number {
  return (
    SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity) ||
    ORDER.indexOf(one.id) - ORDER.indexOf(other.id)
  );
}

type TableFacts = Pick<Facts, 'status' | 'itemCount' | 'itemsRead' | 'allItemsRead' | 'entriesRead'>;
const NO_FACTS: TableFacts = {
  status: null,
  itemCount: null,
  itemsRead: 0,
  allItemsRead: false,
  entriesRead: null,
};

interface LookedAt {
  readonly findings: Finding[];
  readonly facts: TableFacts;
  /** ARN of the table's current stream. */
  readonly streamArn?: string | undefined;
}

async function lookAtTable(
  subject: Subject,
  clients: DeploymentClients,
  options: LimitedOptions,
): Promise<LookedAt> {
  const { dynamoDb, cloudWatch, isLocal } = clients;
  const { tableName } = subject.props;
  const all = 'the table, its index and its items';
  if (dynamoDb === undefined)
    return { findings: judged(all, notAsked('DynamoDB'), subject, () => []), facts: NO_FACTS };
  const arn = `arn:aws:dynamodb:${subject.region}:*:table/${tableName}`;
  const shape = await check('dynamodb:DescribeTable', arn, async () => {
    try {
      return await describeShape(dynamoDb, tableName);
    } catch (error) {
      if (error instanceof TableNotFoundError) return undefined;
      throw error;
    }
  });
  const table = seenOf(shape);
  if (!table)
    return {
      findings: judged(all, shape, subject, () => tableFindings(undefined, subject)),
      facts: NO_FACTS,
    };
  const ttl = await check('dynamodb:DescribeTimeToLive', table.arn, () => describeNativeTtl(dynamoDb, table));
  // There is no client if the table is on this machine, and DynamoDB Local has no partitions.
  const load = cloudWatch && (await observeIndexWrites(cloudWatch, subject, options.now()));
  const settings = isLocal ? [] : await lookAtSettings(table, subject, dynamoDb);
  const items = await lookAtItems(table, subject, dynamoDb, options);
  return {
    findings: [
      ...tableFindings(table, subject),
      ...judged('native TTL', ttl, subject, seen => nativeTtlFindings(seen, subject, isLocal)),
      ...settings,
      ...(load
        ? judged('how much is written to the index', load, subject, seen =>
            shardFindings(seen, table, subject),
          )
        : []),
      ...items.findings,
    ],
    facts: { status: table.status, itemCount: table.itemCount, ...items.facts },
    streamArn: table.streamArn,
  };
}

/** Checks settings of a table on AWS; DynamoDB Local does not have them, or creates tables without them. */
async function lookAtSettings(
  table: TableShape,
  subject: Subject,
  dynamoDb: NonNullable<DeploymentClients['dynamoDb']>,
): Promise<Finding[]> {
  const findings = settingsFindings(table, subject);
  if (!wantsRecovery(subject)) return findings;
  const recovery = await check('dynamodb:DescribeContinuousBackups', table.arn, () =>
    describeRecovery(dynamoDb, table),
  );
  const ofRecovery = (isOn: boolean) => recoveryFindings(isOn, subject);
  return [...findings, ...judged('point-in-time recovery', recovery, subject, ofRecovery)];
}

/** Reads a sample of the items, or all of them; with `all` also the whole index, which then speaks for the items that it has. */
async function lookAtItems(
  table: TableShape,
  subject: Subject,
  dynamoDb: NonNullable<DeploymentClients['dynamoDb']>,
  options: LimitedOptions,
): Promise<{ findings: Finding[]; facts: Pick<Facts, 'itemsRead' | 'allItemsRead' | 'entriesRead'> }> {
  const { full, all, mask, now, signal } = options;
  const { name: tableName, arn: tableArn } = table;
  const judge = { model: subject.model, now: Math.floor(now() / 1000) };
  const keys = { tableName, keyNames: keyNamesOf(table), logKeys: keysToShow(subject.props.logKeys, mask) };
  const items = new ItemTally(judge, keys);
  const read = await check('dynamodb:Scan', tableArn, async () => {
    if (full) {
      await readAll(dynamoDb, table, items, options);
      return true;
    }
    const { items: sample, complete } = await sampleItems(dynamoDb, { tableName, tableArn, signal });
    for (const item of sample) items.add(item);
    return complete;
  });
  const entries = new ItemTally(judge, keys);
  const index = all ? await readIndex(dynamoDb, table, subject, entries, options) : undefined;
  const isWhole = index !== undefined && 'seen' in index;
  const ofItems = items.findings(subject).filter(({ id }) => !isWhole || NOT_IN_INDEX.has(id));
  return {
    findings: [
      ...entries.findings(subject),
      ...ofItems,
      ...judged(items.read > 0 ? 'the other items' : 'the items', read, subject, () => []),
      ...(index ? judged('the whole index', index, subject, () => []) : []),
    ],
    facts: {
      itemsRead: items.read,
      allItemsRead: 'seen' in read && read.seen,
      entriesRead: isWhole ? entries.read : null,
    },
  };
}

/** Faults of items that have no entry in the index. */
const NOT_IN_INDEX: ReadonlySet<string> = new Set<ItemFindingId>([
  'ttl-string',
  'ttl-other-type',
  'ttl-elsewhere',
  'window-missing',
  'window-without-ttl',
]);

/** Reads every entry of the index; an index that is not there is another finding. */
async function readIndex(
  dynamoDb: NonNullable<DeploymentClients['dynamoDb']>,
  table: TableShape,
  { props: { indexName } }: Subject,
  tally: ItemTally,
  options: LimitedOptions,
): Promise<Checked<boolean> | undefined> {
  const index = table.indexes.find(({ name }) => name === indexName);
  if (index === undefined) return undefined;
  const arn = `${table.arn}/index/${indexName}`;
  // An entry has the keys only: DynamoDB's size of the table says nothing of it.
  const scanned = { name: table.name, arn, itemCount: index.itemCount, sizeBytes: index.sizeBytes };
  return check('dynamodb:Scan', arn, async () => {
    await readAll(dynamoDb, scanned, tally, options, indexName);
    return true;
  });
}

/** Reads every item of a table, or every entry of its index, in segments. */
async function readAll(
  dynamoDb: NonNullable<DeploymentClients['dynamoDb']>,
  scanned: Pick<TableShape, 'name' | 'arn' | 'itemCount' | 'sizeBytes'>,
  tally: ItemTally,
  { rate, segments, onScan, signal, limit }: LimitedOptions,
  indexName?: string,
): Promise<void> {
  const shown = { ...scanned, name: indexName === undefined ? scanned.name : `${scanned.name}/${indexName}` };
  onScan?.(shown, undefined);
  // The earlier checks may have used up the time limit; the scan itself has none.
  limit.start();
  limit.stop();
  await scanTable(dynamoDb, {
    ...wholeTable(scanned, {
      readUnitsPerSecond: rate,
      signal,
      onProgress: progress => onScan?.(shown, progress),
    }),
    ...(indexName !== undefined && { indexName }),
    segments,
    onItem: item => tally.add(item),
  });
  limit.start();
}

function factsOf({ concurrency }: SeenDeployment) {
  return { concurrency: 'seen' in concurrency ? concurrency.seen : null };
}
