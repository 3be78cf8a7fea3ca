import { TimeLimit } from '../aws/time-limit.ts';
import { chooseTables } from '../choose-tables.ts';
import { check, notAsked, seenOf } from '../deployment/check.ts';
import { type ConnectDeployment, connectDeployment, type DeploymentClients } from '../deployment/clients.ts';
import {
  observeDeployment,
  observeSweep,
  type SeenDeployment,
  type SeenSweep,
} from '../deployment/observe-deployment.ts';
import { type Subject, subjectsOf } from '../deployment/subject.ts';
import { TableNotFoundError } from '../errors.ts';
import { NEVER } from '../options.ts';
import { describeNativeTtl, describeRecovery, describeShape, keyNamesOf } from '../table/describe-table.ts';
import { keysToShow } from '../table/key-text.ts';
import { sampleItems } from '../table/sample.ts';
import { scanTable } from '../table/scan.ts';
import { deploymentFindings, functionsAtOnce } from './deployment-findings.ts';
import { type Finding, judged, verdictOf } from './finding.ts';
import { FINDINGS, SEVERITIES } from './findings.ts';
import { observeIndexWrites, shardFindings } from './index-findings.ts';
import { ItemTally } from './item-findings.ts';
import type { DoctorOptions, DoctorReport, Facts, TableReport } from './report.ts';
import {
  nativeTtlFindings,
  recoveryFindings,
  settingsFindings,
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
  Required<Pick<DoctorOptions, 'full' | 'rate' | 'segments' | 'mask'>> & {
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
  const findings = [
    ...looked.findings,
    ...deploymentFindings(deployment, subject, {
      now: options.now(),
      mask: options.mask,
      streamArn: looked.streamArn,
    }),
  ].sort(byImportance);
  return {
    tableName: props.tableName,
    name: props.sweep,
    verdict: verdictOf(findings),
    facts: { ...looked.facts, ...factsOf(deployment), functionsAtOnce: functionsAtOnce(subject) },
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

type TableFacts = Pick<Facts, 'status' | 'itemCount' | 'itemsRead' | 'allItemsRead'>;
const NO_FACTS: TableFacts = { status: null, itemCount: null, itemsRead: 0, allItemsRead: false };

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

async function lookAtItems(
  table: TableShape,
  subject: Subject,
  dynamoDb: NonNullable<DeploymentClients['dynamoDb']>,
  { full, rate, segments, mask, now, onScan, signal, limit }: LimitedOptions,
): Promise<{ findings: Finding[]; facts: Pick<Facts, 'itemsRead' | 'allItemsRead'> }> {
  const { name: tableName, arn: tableArn, itemCount, sizeBytes } = table;
  const keyNames = keyNamesOf(table);
  const { lookbackMinutes } = subject.props;
  const logKeys = keysToShow(subject.props.logKeys, mask);
  const judge = {
    ...{ model: subject.model, lookbackMinutes },
    now: Math.floor(now() / 1000),
  };
  const tally = new ItemTally(judge, { tableName, keyNames, logKeys });
  const read = await check('dynamodb:Scan', tableArn, async () => {
    if (!full) {
      const { items, complete } = await sampleItems(dynamoDb, { tableName, tableArn, signal });
      for (const item of items) tally.add(item);
      return complete;
    }
    onScan?.(table, undefined);
    // The earlier checks may have used up the time limit; the scan itself has none.
    limit.start();
    limit.stop();
    await scanTable(dynamoDb, {
      tableName,
      tableArn,
      segments,
      readUnitsPerSecond: rate,
      itemBytes: itemCount > 0 ? sizeBytes / itemCount : 0,
      signal,
      onItem: item => tally.add(item),
      onProgress: progress => onScan?.(table, progress),
    });
    limit.start();
    return true;
  });
  const unread = tally.read > 0 ? 'the other items' : 'the items';
  return {
    findings: [...tally.findings(subject), ...judged(unread, read, subject, () => [])],
    facts: { itemsRead: tally.read, allItemsRead: 'seen' in read && read.seen },
  };
}

function factsOf({ concurrency }: SeenDeployment) {
  return { concurrency: 'seen' in concurrency ? concurrency.seen : null };
}
