/** `precise-ttl doctor`: asks what can be wrong with tables, their items and their deployment. See `--help`. */
import { DescribeAlarmsCommand, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { DescribeTimeToLiveCommand, type GlobalSecondaryIndexDescription } from '@aws-sdk/client-dynamodb';
import { GetAccountSettingsCommand } from '@aws-sdk/client-lambda';
import { DescribePipeCommand } from '@aws-sdk/client-pipes';
import { GetScheduleCommand } from '@aws-sdk/client-scheduler';
import { DescribeStateMachineCommand } from '@aws-sdk/client-sfn';
import { GetQueueAttributesCommand, GetQueueUrlCommand } from '@aws-sdk/client-sqs';
import { deadLetterQueueOf, pipeName, tickName } from '../config/names.ts';
import { pipesOf } from '../config/pipe-props.ts';
import { number } from '../expiry/fields.ts';
import { readState } from '../functions/journal/read-state.ts';
import { sideBySide } from '../functions/plan-sweep/side-by-side.ts';
import { keyShower } from '../functions/report/shown-keys.ts';
import { keyAttributeNames } from '../functions/table/item-key.ts';
import { type Answer, ask, noneIfMissing, type Service } from './clients.ts';
import { defineCommand, EXIT, type Given } from './command.ts';
import { commandLine } from './command-line.ts';
import { FAULTS, FaultTally, type Item, type Severity } from './faults.ts';
import {
  FAULT_REMEDIES,
  OF_THE_DEPLOYMENT,
  OF_THE_TABLE,
  type Question,
  type SeenDeployment,
  type SeenTable,
  type Subject,
} from './findings.ts';
import { journalOf } from './journal.ts';
import { shortKey } from './print.ts';
import { describeTable, Rate, sampleTable, scanLine, scanTable, sizeOf, storedKey } from './whole-table.ts';
import { count, counted, lasting } from './words.ts';

const DAY_SECONDS = 86_400;

export const command = defineCommand({
  name: 'doctor',
  tables: 'all',
  flags: {
    all: { help: 'read every entry of the index, instead of a sample of 1,000 items only' },
    rate: {
      help: 'with --all: read units a second, of 8 KB each',
      kind: number(1, 40_000),
      value: 'N',
      default: 100,
    },
  },
  about: `Looks at each table of the configuration: the table, its index and native TTL; a sample of its items, for TTLs and windows that no
sweep finds; and what is deployed. It changes nothing. Of each finding it says how many items have it, some keys, and what mends it: a
command, if there is one. How the sweeps go says another command, npx precise-ttl status.

With --all it reads the whole index, $0.016 for a GB.`,
  services: ['DYNAMODB', 'SCHEDULER', 'SFN', 'CLOUDWATCH', 'SQS', 'LAMBDA', 'PIPES'],
  exits: '0 healthy, 1 something was found; 3 also if it is not known',
  async run(given) {
    const subjects = given.tables.map(table => ({ ...table, region: given.config.region }));
    const deployments = await sideBySide(subjects.slice(0, 1), 1, subject =>
      examineDeployment(subject, given),
    );
    const tables = await sideBySide(subjects, 1, subject => examineTable(subject, given));
    const found = [...deployments, ...tables].flatMap(({ findings }) => findings);
    const has = (severity: Found['severity']) => found.filter(each => each.severity === severity).length;
    const told = (['broken', 'warning', 'not known'] as const)
      .filter(has)
      .map(each => `${has(each)} ${each}`);
    return {
      data: { region: given.config.region, deployments, tables },
      text: [...deployments, ...tables]
        .map(textOf)
        .concat(told.join(', ') || 'Healthy')
        .join('\n\n'),
      exit:
        has('broken') + has('warning') > 0 ? EXIT.notFine : has('not known') > 0 ? EXIT.notKnown : EXIT.fine,
    };
  },
});

export interface Found {
  readonly id: string;
  /** `note`: what is not on this machine. */
  readonly severity: Severity | 'not known' | 'note';
  readonly what: string;
  readonly items?: number;
  readonly keys?: readonly string[];
  readonly remedy: string;
}

interface Examined {
  readonly of: string;
  readonly read: string;
  readonly findings: readonly Found[];
}

class NotKnown extends Error {}

/** What did not answer is thrown when it is read: so a question needs no check of it. */
function seenOf<Seen extends object>(known: object, asked: Readonly<Record<string, Answer<unknown>>>): Seen {
  const seen = { ...known };
  for (const [name, answer] of Object.entries(asked)) {
    const get = () => {
      if ('not' in answer) throw new NotKnown(answer.not);
      return answer.is;
    };
    Object.defineProperty(seen, name, { get });
  }
  return seen as Seen;
}

function findingsOf<Seen extends Subject>(
  table: Readonly<Record<string, Question<Seen>>>,
  seen: Seen,
): Found[] {
  const found: Found[] = [];
  const unknown = new Map<string, string[]>();
  for (const [id, { severity, asks, remedy, no }] of Object.entries(table)) {
    try {
      const detail = no(seen);
      if (detail) found.push({ id, severity, what: `${asks} No: ${detail}`, remedy: remedy(seen) });
    } catch (error) {
      if (!(error instanceof NotKnown)) throw error;
      unknown.set(error.message, [...(unknown.get(error.message) ?? []), asks]);
    }
    // Without the table every other answer is the same.
    if (found.some(each => each.id === 'table-missing')) return found;
  }
  return [...found, ...[...unknown].map(([why, asks]) => notKnown(why, asks.join(' ')))];
}

const notKnown = (why: string, asks: string): Found => {
  const isAbsent = why.endsWith('on this machine');
  const remedy = isAbsent ? 'Nothing: it is asked in an account.' : commandLine('doctor');
  return {
    id: 'not-known',
    severity: isAbsent ? 'note' : 'not known',
    what: `${asks} Not known: ${why}`,
    remedy,
  };
};

async function answersOf<Name extends string>(
  asked: Readonly<Record<Name, readonly [Service, () => Promise<unknown>]>>,
): Promise<Record<Name, Answer<unknown>>> {
  const entries = Object.entries(asked) as [Name, readonly [Service, () => Promise<unknown>]][];
  const answered = entries.map(
    async ([name, [service, question]]) => [name, await ask(service, question)] as const,
  );
  return Object.fromEntries(await Promise.all(answered)) as Record<Name, Answer<unknown>>;
}

async function examineDeployment(subject: Subject, { clients, now }: Given): Promise<Examined> {
  const { sweep } = subject.props;
  const { scheduler, sfn, sqs, cloudWatch, lambda } = clients;
  const input = { Name: tickName(sweep), GroupName: sweep };
  const schedule = () => noneIfMissing(() => scheduler.send(new GetScheduleCommand(input)));
  const asked = await answersOf({
    state: ['DYNAMODB', () => noneIfMissing(() => readState(journalOf(subject, clients)))],
    schedule: ['SCHEDULER', schedule],
    machine: [
      'SFN',
      async () => {
        const stateMachineArn = (await schedule())?.Target?.Arn;
        if (!stateMachineArn) return undefined;
        const described = new DescribeStateMachineCommand({ stateMachineArn });
        return (await noneIfMissing(() => sfn.send(described)))?.definition;
      },
    ],
    deadLetters: [
      'SQS',
      () =>
        noneIfMissing(async () => {
          const { QueueUrl } = await sqs.send(
            new GetQueueUrlCommand({ QueueName: deadLetterQueueOf(sweep) }),
          );
          const attribute = 'ApproximateNumberOfMessages';
          const { Attributes } = await sqs.send(
            new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [attribute] }),
          );
          return Number(Attributes?.[attribute] ?? 0);
        }),
    ],
    alarms: [
      'CLOUDWATCH',
      async () => {
        const alarms = { AlarmNamePrefix: `${sweep}-`, MaxRecords: 100 };
        const { MetricAlarms = [] } = await cloudWatch.send(new DescribeAlarmsCommand(alarms));
        return MetricAlarms.map(({ AlarmName: name = '', AlarmActions = [] }) => ({
          name,
          tells: AlarmActions.length > 0,
        }));
      },
    ],
    concurrency: [
      'LAMBDA',
      async () =>
        (await lambda.send(new GetAccountSettingsCommand({}))).AccountLimit?.UnreservedConcurrentExecutions ??
        0,
    ],
  });
  const seen = seenOf<SeenDeployment>({ ...subject, now: Math.floor(now() / 1_000) }, asked);
  return { of: `Deployment ${sweep}`, read: '', findings: findingsOf(OF_THE_DEPLOYMENT, seen) };
}

async function examineTable(subject: Subject, given: Given): Promise<Examined> {
  const { tableName: TableName, indexName: IndexName } = subject.props;
  const { clients, flags, now } = given;
  const table = await ask('DYNAMODB', () => describeTable(clients.dynamoDb, TableName));
  const index =
    'is' in table ? table.is?.GlobalSecondaryIndexes?.find(each => each.IndexName === IndexName) : undefined;
  const asked = await answersOf({
    nativeTtl: [
      'DYNAMODB',
      async () => {
        const { TimeToLiveDescription: is } = await clients.dynamoDb.send(
          new DescribeTimeToLiveCommand({ TableName }),
        );
        return (is?.TimeToLiveStatus?.startsWith('ENABL') && is.AttributeName) || 'off';
      },
    ],
    throttled: ['CLOUDWATCH', () => throttledWrites(subject, given)],
    pipes: [
      'PIPES',
      async () => {
        const names = pipesOf(subject.props).map(pipe => pipeName(subject.props, pipe));
        return new Map(
          await sideBySide(names, 2, async Name => [
            Name,
            await noneIfMissing(() => clients.pipes.send(new DescribePipeCommand({ Name }))),
          ]),
        );
      },
    ],
  });
  const seen = seenOf<SeenTable>(subject, { ...asked, table, index: 'is' in table ? { is: index } : table });
  const findings = findingsOf(OF_THE_TABLE, seen);
  const read: string[] = [];
  const tally = async (
    what: string,
    isThere: boolean,
    scan: (add: (item: Item) => void) => Promise<unknown>,
  ) => {
    if (!isThere) return;
    const tallied = new FaultTally(subject.model, Math.floor(now() / 1_000));
    const scanned = await ask('DYNAMODB', () => scan(item => tallied.add(item)));
    read.push(`${count(tallied.read)} ${what}${'not' in scanned ? `, not all: ${scanned.not}` : ''}`);
    if ('not' in scanned) findings.push(notKnown(scanned.not, `What is wrong with the ${what}?`));
    findings.push(...faultsFound(tallied, what, subject));
  };
  await tally('items of a sample', 'is' in table && table.is !== undefined, async add => {
    const { items } = await sampleTable(clients.dynamoDb, TableName, given.signal);
    items.forEach(add);
  });
  const isQueried = index?.IndexStatus === 'ACTIVE' || index?.IndexStatus === 'UPDATING';
  await tally('entries of the index', flags['all'] === true && isQueried, add =>
    wholeIndex(subject, index, given, add),
  );
  return { of: TableName, read: read.join(', '), findings };
}

/** What the items have wrong, with some keys, as the table's `logKeys` allows it. */
function faultsFound(tally: FaultTally, where: string, subject: Subject): Found[] {
  const { logKeys, tableName } = subject.props;
  const show = keyShower({ logKeys, tableName, model: subject.model });
  const names = keyAttributeNames(subject.model);
  return tally.counted.map(({ id, items, examples, details, oldest, newest }) => {
    const { severity, is, remedy } = FAULTS[id];
    const more = details.size === 0 ? '' : ` (${[...details].slice(0, 5).join(', ')})`;
    const shown = examples.map(item => show(storedKey(item, names))).filter(key => key !== undefined);
    const [from, to] = [minuteOf(oldest), minuteOf(newest + 60)];
    return {
      ...{ id, severity, items },
      what: `${counted(items, 'item')} of ${count(tally.read)} ${where}: ${is}${more}`,
      keys: shown.map(key => (typeof key === 'string' ? key : JSON.stringify(key))),
      remedy: FAULT_REMEDIES[remedy](subject, from, to),
    };
  });
}

/** The whole minute at or before a time, ISO-8601. */
const minuteOf = (seconds: number): string =>
  new Date(Math.floor((Number.isFinite(seconds) ? seconds : 0) / 60) * 60_000)
    .toISOString()
    .replace('.000Z', 'Z');

async function wholeIndex(
  { props: { tableName, indexName } }: Subject,
  { ItemCount: total = 0, IndexSizeBytes: bytes = 0 }: GlobalSecondaryIndexDescription = {},
  { clients, flags, signal, show, print, now }: Given,
  add: (item: Item) => void,
): Promise<void> {
  const size = sizeOf({ TableName: tableName, ItemCount: total, TableSizeBytes: bytes });
  const rate = new Rate(Number(flags['rate']));
  const price = Math.max(0.01, (size.units / 1e6) * 0.125).toFixed(2);
  print(
    `The index of ${tableName} has about ${count(total)} entries: at most $${price}, ${lasting(size.units / rate.perSecond)}.`,
  );
  const from = now();
  await scanTable(clients.dynamoDb, size, {
    ...{ indexName, rate, signal },
    onPage: items => items.forEach(add),
    onProgress: items => show(scanLine(total, items, now() - from, rate.busy)),
  });
  show('');
}

async function throttledWrites(
  { props: { tableName, indexName } }: Subject,
  { clients, now }: Given,
): Promise<number> {
  const Dimensions = Object.entries({ TableName: tableName, GlobalSecondaryIndexName: indexName }).map(
    ([Name, Value]) => ({ Name, Value }),
  );
  const Metric = { Namespace: 'AWS/DynamoDB', MetricName: 'WriteThrottleEvents', Dimensions };
  const command = new GetMetricDataCommand({
    StartTime: new Date(now() - DAY_SECONDS * 1_000),
    EndTime: new Date(now()),
    MetricDataQueries: [{ Id: 'throttled', MetricStat: { Metric, Period: 3_600, Stat: 'Sum' } }],
  });
  const { MetricDataResults: [{ Values = [] } = {}] = [] } = await clients.cloudWatch.send(command);
  return Values.reduce((sum, each) => sum + each, 0);
}

function textOf({ of, read, findings }: Examined): string {
  const rows = findings.flatMap(({ id, severity, what, keys = [], remedy }) => [
    `  ${severity.toUpperCase()} ${id}: ${what}`,
    ...keys.map(key => `    such as ${shortKey(key)}`),
    `    -> ${remedy}`,
  ]);
  return [
    `${of}: ${findings.length === 0 ? 'nothing was found' : `${findings.length} found`}${read && `; read ${read}`}`,
    ...rows,
  ].join('\n');
}
