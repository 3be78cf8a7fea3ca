import type { GlobalSecondaryIndexDescription } from '@aws-sdk/client-dynamodb';
import { number } from '../expiry/fields.ts';
import { sideBySide } from '../functions/plan-sweep/probe.ts';
import { keyShower } from '../functions/report/shown-keys.ts';
import { keyAttributeNames } from '../functions/table/item-key.ts';
import { ask, NoAnswerError } from './clients.ts';
import { defineCommand, EXIT, type Given, type Table, wrong } from './command.ts';
import { commandLine } from './command-line.ts';
import { count, counted, isoTime, lasting } from './dashboard/words.ts';
import { FAULTS, FaultTally, type Severity } from './faults.ts';
import {
  indexOf,
  OF_THE_DEPLOYMENT,
  OF_THE_TABLE,
  type Question,
  seeDeployment,
  seeTable,
} from './findings.ts';
import { shortKey, shownText } from './format.ts';
import {
  describeTable,
  Rate,
  type StoredItem,
  sampleTable,
  scanTable,
  sizeOf,
  storedKey,
} from './whole-table.ts';

export const command = defineCommand({
  name: 'doctor',
  tables: 'all',
  flags: {
    all: { help: 'read every entry of the index, instead of a sample of 1,000 items only' },
    rate: {
      help: 'with --all: read units a second, of 8 KB each (default 100)',
      kind: number(1, 40_000),
      value: 'N',
    },
  },
  about: `Looks at each table of the configuration: the table, its index and native TTL; a sample of its items, for TTLs and windows that no
sweep finds; and what is deployed. It changes nothing. Of each finding it says how many items have it, some keys, and what mends it: a
command, if there is one. How the sweeps go says another command, npx precise-ttl status.

With --all it reads the whole index, $0.016 for a GB.`,
  services: ['DYNAMODB', 'SCHEDULER', 'SFN', 'CLOUDWATCH', 'SNS', 'SQS', 'LAMBDA', 'PIPES'],
  exits: '0 healthy, 1 something was found; 3 also if it is not known',
  check({ flags: { all, rate } }) {
    if (rate !== undefined && !all)
      throw wrong('--rate', 'it with --all', 'it alone', 'Add --all, or leave it out.');
  },
  async run(given) {
    const findings = findingsOf(OF_THE_DEPLOYMENT, await seeDeployment(given));
    const deployment = { of: `Deployment ${given.tables[0].props.deployment}`, read: '', findings };
    const examined = [
      deployment,
      ...(await sideBySide(given.tables, 1, table => examineTable(table, given))),
    ];
    const found = examined.flatMap(({ findings }) => findings);
    const has = (severity: Found['severity']) => found.filter(each => each.severity === severity).length;
    const told = (['broken', 'warning', 'not known'] as const)
      .filter(has)
      .map(each => `${has(each)} ${each}`);
    return {
      data: { region: given.config.region, examined },
      text: [...examined.map(textOf), told.join(', ') || 'Healthy'].join('\n\n'),
      exit:
        has('broken') + has('warning') > 0 ? EXIT.notFine : has('not known') > 0 ? EXIT.notKnown : EXIT.fine,
    };
  },
});

export interface Found {
  readonly id: string;
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

function findingsOf<Seen extends Table>(
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
      if (!(error instanceof NoAnswerError)) throw error;
      unknown.set(error.message, [...(unknown.get(error.message) ?? []), asks]);
    }
    // Without the table, the further questions make no sense.
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

async function examineTable(subject: Table, given: Given): Promise<Examined> {
  const { tableName: TableName } = subject.props;
  const { clients, flags, now } = given;
  const described = await ask('DYNAMODB', () => describeTable(clients.dynamoDb, TableName));
  const table = 'is' in described ? described.is : undefined;
  const index = indexOf(subject, table);
  const findings = findingsOf(OF_THE_TABLE, await seeTable(subject, given, described));
  const read: string[] = [];
  const tally = async (what: string, scan: (add: (item: StoredItem) => void) => Promise<unknown>) => {
    const tallied = new FaultTally(subject.model, Math.floor(now() / 1_000));
    const scanned = await ask('DYNAMODB', () => scan(item => tallied.add(item)));
    read.push(`${count(tallied.read)} ${what}${'not' in scanned ? `, not all: ${scanned.not}` : ''}`);
    if ('not' in scanned) findings.push(notKnown(scanned.not, `What is wrong with the ${what}?`));
    findings.push(...faultsFound(tallied, what, subject));
  };
  if (table !== undefined) {
    await tally('items of a sample', async add => {
      const { items } = await sampleTable(clients.dynamoDb, TableName, given.signal);
      items.forEach(add);
    });
  }
  const isQueried = index?.IndexStatus === 'ACTIVE' || index?.IndexStatus === 'UPDATING';
  if (flags['all'] && isQueried)
    await tally('entries of the index', add => wholeIndex(subject, index, given, add));
  return { of: TableName, read: read.join(', '), findings };
}

function faultsFound(tally: FaultTally, where: string, subject: Table): Found[] {
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
      keys: shown.map(shownText),
      remedy: remedy(tableName, from, to),
    };
  });
}

const minuteOf = (seconds: number): string =>
  isoTime(Math.floor((Number.isFinite(seconds) ? seconds : 0) / 60) * 60);

async function wholeIndex(
  { props: { tableName, indexName } }: Table,
  { ItemCount: total = 0, IndexSizeBytes: bytes = 0 }: GlobalSecondaryIndexDescription = {},
  { clients, flags, signal, show, print }: Given,
  add: (item: StoredItem) => void,
): Promise<void> {
  const size = sizeOf({ TableName: tableName, ItemCount: total, TableSizeBytes: bytes });
  const rate = new Rate(Number(flags['rate'] ?? 100));
  const price = (Math.ceil((size.units / 1e6) * 12.5) / 100).toFixed(2);
  print(
    `The index of ${tableName} has about ${count(total)} entries: at most $${price}, ${lasting(size.units / rate.perSecond)}.`,
  );
  const onPage = (items: readonly StoredItem[]) => items.forEach(add);
  await scanTable(clients.dynamoDb, size, { indexName, rate, signal, show, onPage });
  signal.throwIfAborted();
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
