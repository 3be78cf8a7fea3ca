import { checkConfig } from '../../config/config.ts';
import { TimeLimit } from '../aws/time-limit.ts';
import { chooseTables } from '../choose-tables.ts';
import { check, type NotChecked, notAsked, seenOf } from '../deployment/check.ts';
import type { DeploymentClients } from '../deployment/clients.ts';
import {
  observeDeployment,
  observeSweep,
  type SeenDeployment,
  type SeenSweep,
} from '../deployment/observe-deployment.ts';
import { type Subject, subjectsOf } from '../deployment/subject.ts';
import { describeNativeTtl, describeRecovery, describeShape, keyNamesOf } from '../table/describe-table.ts';
import { TableNotFoundError } from '../table/errors.ts';
import { keysToShow } from '../table/key-text.ts';
import { sampleItems } from '../table/sample.ts';
import { type ScanProgress, scanTable } from '../table/scan.ts';
import { deploymentFindings, functionsAtOnce } from './deployment-findings.ts';
import { type Finding, type Verdict, verdictOf } from './finding.ts';
import { FINDINGS, SEVERITIES } from './findings.ts';
import { observeIndexWrites, shardFindings } from './index-writes.ts';
import { ItemTally } from './item-findings.ts';
import { notCheckedFindings } from './not-checked.ts';
import { recoveryFindings, settingsFindings, wantsRecovery } from './settings-findings.ts';
import { nativeTtlFindings, type TableShape, tableFindings } from './table-findings.ts';

export interface DoctorJobOptions {
  /** What the configuration file exports. */
  readonly config: unknown;
  /** @default all tables of the configuration */
  readonly table: string | undefined;
  /** Read every item instead of a sample. */
  readonly full: boolean;
  /** Read units a second of a full scan. */
  readonly rate: number;
  /** Of a full scan. */
  readonly segments: number;
  /** Hashes instead of keys. */
  readonly mask: boolean;
  /** Called when all of the above has been found right; the limit is that of all looks at a table but a full scan. */
  readonly connect: (region: string, limit: TimeLimit) => DeploymentClients;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Told before a table is scanned as a whole, and after each page of it. */
  readonly onScan?: (table: TableShape, progress: ScanProgress | undefined) => void;
  /** Ends the work; it is then not known how the tables are. */
  readonly signal: AbortSignal;
}

/** All looks at a table take so long at the most, seconds, but for a full scan. */
const TABLE_SECONDS = 60;

/** What was looked at, whatever was found. Null: it is not there, or was not checked. */
export interface Facts {
  readonly status: string | null;
  /** DynamoDB counts them about every six hours. */
  readonly itemCount: number | null;
  readonly itemsRead: number;
  /** Each item of the table was read. */
  readonly allItemsRead: boolean;
  /** When the last tick planned, ISO-8601. */
  readonly lastTick: string | null;
  readonly deadLetters: number | null;
  /** Functions that one execution can run at once, and those that the account has left for it. */
  readonly functionsAtOnce: number;
  readonly concurrency: number | null;
}

export interface TableReport {
  readonly tableName: string;
  /** Of its state machine, and the beginning of the other names. */
  readonly name: string;
  readonly verdict: Verdict;
  readonly facts: Facts;
  /** The worst first. */
  readonly findings: readonly Finding[];
}

export interface DoctorReport {
  readonly verdict: Verdict;
  readonly region: string;
  /** Services of this machine were asked, and no others. */
  readonly isLocal: boolean;
  /** ISO-8601. */
  readonly checkedAt: string;
  readonly tables: readonly TableReport[];
}

/**
 * Looks at the tables of a configuration and at what is deployed for them, and changes nothing.
 *
 * @returns undefined when it was interrupted
 * @throws {FlagError} and {InvalidConfigError} before anything is asked; the SDK's error when there are no credentials
 */
export async function runDoctor(options: DoctorJobOptions): Promise<DoctorReport | undefined> {
  const config = checkConfig(options.config);
  const { region } = config;
  const tables = chooseTables(config, options.table);
  const limit = new TimeLimit(TABLE_SECONDS);
  const clients = options.connect(region, limit);
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
      if (options.signal.aborted) return undefined;
      reports.push(report);
    }
    const verdict = verdictOf(reports.flatMap(({ findings }) => findings));
    return { verdict, region, isLocal: clients.isLocal, checkedAt, tables: reports };
  } catch (error) {
    if (options.signal.aborted) return undefined;
    throw error;
  } finally {
    limit.stop();
    clients.destroy();
  }
}

type LimitedOptions = DoctorJobOptions & { readonly limit: TimeLimit };

async function checkTable(
  subject: Subject,
  clients: DeploymentClients,
  sweep: SeenSweep,
  options: LimitedOptions,
): Promise<TableReport> {
  const { props } = subject;
  const deployment = await observeDeployment(clients, subject, sweep, options.now());
  const looked = await lookAtTable(subject, clients, formerHoldsOf(deployment, subject), options);
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

/** Attributes that hold items as it is deployed, or did, and do not with the configuration. */
function formerHoldsOf({ holdAttributes }: SeenDeployment, { props }: Subject): string[] {
  const former = new Set([seenOf(holdAttributes)?.get(props.tableName), props.releasesHoldsOf]);
  former.delete(props.holdAttribute);
  return [...former].filter(attribute => attribute !== undefined);
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
  /** Of the stream that the table has now. */
  readonly streamArn?: string | undefined;
}

async function lookAtTable(
  subject: Subject,
  clients: DeploymentClients,
  formerHolds: readonly string[],
  options: LimitedOptions,
): Promise<LookedAt> {
  const { dynamoDb, cloudWatch, isLocal } = clients;
  const { tableName } = subject.props;
  const notChecked = (what: string, why: NotChecked) => notCheckedFindings([{ what, why }], subject);
  const all = 'the table, its index and its items';
  if (dynamoDb === undefined) {
    return { findings: notChecked(all, notAsked('DynamoDB').notChecked), facts: NO_FACTS };
  }
  const arn = `arn:aws:dynamodb:${subject.region}:*:table/${tableName}`;
  const shape = await check('dynamodb:DescribeTable', arn, async () => {
    try {
      return await describeShape(dynamoDb, tableName);
    } catch (error) {
      if (error instanceof TableNotFoundError) return undefined;
      throw error;
    }
  });
  if ('notChecked' in shape) return { findings: notChecked(all, shape.notChecked), facts: NO_FACTS };
  const table = shape.seen;
  if (table === undefined) return { findings: tableFindings(table, subject), facts: NO_FACTS };
  const ttl = await check('dynamodb:DescribeTimeToLive', table.arn, () => describeNativeTtl(dynamoDb, table));
  // Without a client it is on this machine, whose DynamoDB has no partitions.
  const load = cloudWatch && (await observeIndexWrites(cloudWatch, subject, options.now()));
  const settings = isLocal ? [] : await lookAtSettings(table, subject, dynamoDb);
  const items = await lookAtItems(table, subject, dynamoDb, formerHolds, options);
  return {
    findings: [
      ...tableFindings(table, subject),
      ...('seen' in ttl
        ? nativeTtlFindings(ttl.seen, subject, isLocal)
        : notChecked('native TTL', ttl.notChecked)),
      ...settings,
      ...(load === undefined
        ? []
        : 'seen' in load
          ? shardFindings(load.seen, table, subject)
          : notChecked('how much is written to the index', load.notChecked)),
      ...items.findings,
    ],
    facts: { status: table.status, itemCount: table.itemCount, ...items.facts },
    streamArn: table.streamArn,
  };
}

/** Not of a table in DynamoDB Local, which has no such settings or is made without them. */
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
  return [
    ...findings,
    ...('seen' in recovery
      ? recoveryFindings(recovery.seen, subject)
      : notCheckedFindings([{ what: 'point-in-time recovery', why: recovery.notChecked }], subject)),
  ];
}

async function lookAtItems(
  table: TableShape,
  subject: Subject,
  dynamoDb: NonNullable<DeploymentClients['dynamoDb']>,
  formerHolds: readonly string[],
  { full, rate, segments, mask, now, onScan, signal, limit }: LimitedOptions,
): Promise<{ findings: Finding[]; facts: Pick<Facts, 'itemsRead' | 'allItemsRead'> }> {
  const { name: tableName, arn: tableArn, itemCount, sizeBytes } = table;
  const keyNames = keyNamesOf(table);
  const { lookbackMinutes, graceSeconds, holdAttribute } = subject.props;
  const logKeys = keysToShow(subject.props.logKeys, mask);
  const judge = {
    ...{ model: subject.model, lookbackMinutes, graceSeconds, holdAttribute, formerHolds },
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
    // The checks before it may have used up the time.
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
  return {
    findings: [
      ...tally.findings(subject),
      ...('seen' in read
        ? []
        : notCheckedFindings(
            [{ what: tally.read > 0 ? 'the other items' : 'the items', why: read.notChecked }],
            subject,
          )),
    ],
    facts: { itemsRead: tally.read, allItemsRead: 'seen' in read && read.seen },
  };
}

function factsOf({ journal, deadLetters, concurrency }: SeenDeployment) {
  const tick = 'seen' in journal ? journal.seen?.tick : undefined;
  return {
    lastTick: tick?.toISOString() ?? null,
    deadLetters: 'seen' in deadLetters ? (deadLetters.seen ?? null) : null,
    concurrency: 'seen' in concurrency ? concurrency.seen : null,
  };
}
