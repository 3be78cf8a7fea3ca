import { setTimeout as sleep } from 'node:timers/promises';
import {
  DescribeTimeToLiveCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { oneOf } from '../expiry/fields.ts';
import { INDEXED_BY } from '../expiry/model.ts';
import { modelOf } from '../stacks/config/deployments.ts';
import { type AdoptionPlan, inWords, planAdoption, type Reading } from './adoption.ts';
import { isLocal } from './clients.ts';
import { defineCommand, EXIT, type Flags, type Given, type Plan, wrong, YES } from './command.ts';
import { commandLine, quoted } from './command-line.ts';
import { count, counted, isoTime, lasting } from './dashboard/words.ts';
import { FAULTS, FaultTally } from './faults.ts';
import { aligned } from './format.ts';
import { configurationBlock, name } from './init.ts';
import {
  describeTable,
  namesOf,
  Rate,
  type StoredItem,
  sampleTable,
  scanTable,
  sizeOf,
  storedKey,
} from './whole-table.ts';

const FLAGS = {
  table: name('the table'),
  'ttl-attribute': name(
    "attribute with the moment of expiry (default: native TTL's, or what looks like one)",
  ),
  by: {
    help: 'second: writers stamp nothing; window: docs/use.md',
    kind: oneOf(INDEXED_BY),
    value: 'WAY',
    default: 'second',
  },
  'index-name': name('name of the index (default: expirySecondIndex, or expirationWindowIndex by window)'),
  full: { help: 'look at every item before anything is changed, not only at a sample of at most 1,000' },
  region: { ...name("AWS region (default: the SDK's, such as $AWS_REGION)"), value: 'REGION' },
  'dry-run': { help: 'say what would be done; change nothing and ask nothing' },
  yes: YES,
} as const satisfies Flags;

export const command = defineCommand({
  name: 'adopt',
  usage: '--table NAME [flags]',
  flags: FLAGS,
  about: `Makes a table that exists ready to be swept. Reads it, and a sample of its items; says what is to be done; asks; adds the
index that the sweep needs and waits until DynamoDB has built it; turns native TTL on, as the backstop; and prints the table's entry
for the configuration. It changes nothing else of the table, and no item. What is there already is not done again: run it as often as
you like, also after an interruption. With --full it reads every item first, at a rate that spares the table. It refuses the index where
it has seen a TTL that is no Number. In DynamoDB Local it leaves native TTL off, which there would delete at once.`,
  services: ['DYNAMODB'],
  exits: '0 done, or everything was there; 1 it could not be done',
  check({ flags: { table } }) {
    if (table === undefined) throw wrong('--table', 'the name of a table', undefined, 'Write --table NAME.');
  },
  run: planAdopt,
});

type Session = Given<typeof FLAGS>;

async function planAdopt(given: Session): Promise<Plan> {
  const { flags, clients } = given;
  const { dynamoDb } = clients;
  const reading = await readTable(flags.table ?? '', given);
  const { table, region } = reading;
  const plan = planAdoption(reading, flags);
  const { ttlAttribute, indexName, isGuess, index, nativeTtl, configuration } = plan;
  const { TableName = '' } = table;
  if (isGuess && flags.yes) {
    const expected = `it where nobody is asked whether ${ttlAttribute} is right`;
    const remedy = `Write --ttl-attribute ${ttlAttribute} if it is right.`;
    throw wrong('--ttl-attribute', expected, undefined, remedy);
  }
  const tally = await lookAt(reading, plan, given);
  const isAll = flags.full || reading.isAll;
  const changes = index === 'create' || nativeTtl === 'turn on';
  const guess = `Is ${ttlAttribute} the moment after which an item is to be deleted? Do this then?`;
  const others = tally.counted.filter(({ id }) => id === 'ttl-string' || id === 'ttl-no-number');
  if (index === 'create' && others.length > 0) {
    const names = namesOf(table.KeySchema);
    const keys = others.flatMap(({ examples }) =>
      examples.map(item => JSON.stringify(storedKey(item, names))),
    );
    const got = `another type in ${others.reduce((sum, { items }) => sum + items, 0)} of ${counted(tally.read, 'item')}`;
    const remedy = `With the index DynamoDB refuses such writes: mend their writer and them, and run this again. Such as ${keys.join(', ')}.`;
    throw wrong(`attribute ${ttlAttribute}`, 'a Number of epoch seconds where an item has it', got, remedy);
  }
  return {
    text: [tableText(reading), describePlan(reading, plan, tally, isAll)].join('\n\n'),
    question: changes && !flags['dry-run'] ? (isGuess ? guess : 'Do this?') : undefined,
    async apply() {
      const { print, signal } = given;
      const done = { index: 'as it was', nativeTtl: 'as it was' };
      const change = async () => {
        if (index === 'create') await dynamoDb.send(new UpdateTableCommand(addIndex(reading, plan)));
        if (index !== 'none') {
          done.index = 'being built';
          await untilBuilt(indexName, TableName, given);
          done.index = 'built';
          print(`\nThe index ${indexName} is ACTIVE and has the items that were there before.`);
        }
        if (nativeTtl !== 'turn on') return;
        const TimeToLiveSpecification = { Enabled: true, AttributeName: ttlAttribute };
        await dynamoDb.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
        done.nativeTtl = 'turned on';
        print(`Native TTL on ${ttlAttribute} is ENABLING for up to an hour. Deploy when it is ENABLED.`);
      };
      const end = (error?: unknown) => ({
        data: {
          table: { name: TableName, region, items: table.ItemCount, bytes: table.TableSizeBytes },
          plan: { ttlAttribute, index, indexName, nativeTtl },
          look: {
            items: tally.read,
            isAll,
            faults: Object.fromEntries(tally.counted.map(({ id, items }) => [id, items])),
          },
          result: { dryRun: flags['dry-run'], ...done },
          configuration,
        },
        ...(error === undefined
          ? { text: `\n${describeEnd(reading, plan, tally)}` }
          : { error, text: `\nUntil here: the index ${done.index}, native TTL ${done.nativeTtl}.` }),
        exit: error === undefined && !signal.aborted ? EXIT.fine : EXIT.notFine,
      });
      if (!flags['dry-run']) return change().then(() => end(), end);
      if (changes) print('\nNothing was changed: this is a dry run.');
      return end();
    },
  };
}

async function readTable(
  TableName: string,
  { clients: { dynamoDb }, now, signal }: Session,
): Promise<Reading> {
  const region = await dynamoDb.config.region().catch(() => {
    throw wrong('--region', 'the region of the table', undefined, 'Name it, or set AWS_REGION.');
  });
  const table = await describeTable(dynamoDb, TableName);
  const remedy = 'Look at its name (case matters), region, account and AWS_ENDPOINT_URL_DYNAMODB.';
  if (table === undefined) throw wrong('--table', `one that exists in ${region}`, TableName, remedy);
  const { TimeToLiveDescription: ttl = {} } = await dynamoDb.send(
    new DescribeTimeToLiveCommand({ TableName }),
  );
  const sample = await sampleTable(dynamoDb, TableName, signal);
  return { region, table, ttl, ...sample, isLocal: isLocal('DYNAMODB'), now: Math.floor(now() / 1_000) };
}

async function lookAt(
  reading: Reading,
  { configuration }: AdoptionPlan,
  { flags, clients, signal, show }: Session,
): Promise<FaultTally> {
  const tally = new FaultTally(modelOf(configuration), reading.now);
  const onPage = (items: readonly StoredItem[]) => items.forEach(item => void tally.add(item));
  const size = sizeOf(reading.table);
  const rate = new Rate(size.sparingRate);
  if (flags.full) await scanTable(clients.dynamoDb, size, { rate, signal, show, onPage });
  else onPage(reading.items);
  signal.throwIfAborted();
  return tally;
}

function addIndex(
  { table: { TableName, AttributeDefinitions = [] } }: Reading,
  { indexName: IndexName, keys, throughput }: AdoptionPlan,
) {
  const KeyTypes = ['HASH', 'RANGE'] as const;
  const KeySchema = keys.map((key, at) => ({ AttributeName: key.name, KeyType: KeyTypes[at] }));
  const types = keys.map(key => ({ AttributeName: key.name, AttributeType: key.type }));
  const others = AttributeDefinitions.filter(each => keys.every(key => key.name !== each.AttributeName));
  const Create = {
    ...{ IndexName, KeySchema, Projection: { ProjectionType: 'KEYS_ONLY' as const } },
    ...(throughput && { ProvisionedThroughput: throughput }),
  };
  return {
    TableName,
    AttributeDefinitions: [...others, ...types],
    GlobalSecondaryIndexUpdates: [{ Create }],
  };
}

/** Milliseconds in which DescribeTable, being eventually consistent, may lack a new index. Later, a missing index counts as deleted. */
const UNSEEN_MS = 60_000;

/** Waits until an index is ACTIVE and contains all existing items. If the signal aborts, DynamoDB still goes on building the index. */
async function untilBuilt(indexName: string, TableName: string, { clients, now, show, signal }: Session) {
  const since = now();
  for (let isSeen = false; ; await sleep(isLocal('DYNAMODB') ? 200 : 5_000, undefined, { signal })) {
    const table = await describeTable(clients.dynamoDb, TableName);
    const index = table?.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === indexName);
    const { IndexStatus: status, Backfilling } = index ?? {};
    if (status === 'ACTIVE' && !Backfilling) return;
    const isGone = index === undefined && (isSeen || now() - since > UNSEEN_MS);
    const remedy = 'Somebody deleted it while it was being built: run this again.';
    if (isGone || status === 'DELETING')
      throw wrong(`index ${indexName}`, 'it to become ACTIVE', status, remedy);
    isSeen ||= index !== undefined;
    const phase = Backfilling ? 'puts the items into it' : 'makes room for it';
    show(`Index ${indexName}: DynamoDB ${phase}, ${lasting((now() - since) / 1_000)}`);
  }
}

function tableText({ region, table, ttl, items }: Reading): string {
  const { itemCount, readUnits } = sizeOf(table);
  const { TimeToLiveStatus: status = 'DISABLED', AttributeName: on } = ttl;
  return `Table ${table.TableName} in ${region}\n${aligned([
    ['items', `${count(itemCount)} (as of up to six hours ago); ${count(items.length)} sampled`],
    ['capacity', readUnits === undefined ? 'on demand' : `provisioned, ${readUnits} read units a second`],
    ['native TTL', `${status}${on === undefined ? '' : ` on ${on}`}`],
  ])}`;
}

function describePlan({ table }: Reading, plan: AdoptionPlan, tally: FaultTally, isAll: boolean): string {
  const { ttlAttribute, index, indexName, keys, nativeTtl, throughput: own } = plan;
  const size = sizeOf(table);
  const scan = `${counted(size.units, 'read unit')}, ${lasting(size.units / size.sparingRate)}`;
  const seen = tally.counted.map(({ id, items }) => `  ${counted(items, 'item')}: ${FAULTS[id].is}`);
  const units =
    own && `, with ${own.ReadCapacityUnits} read and ${own.WriteCapacityUnits} write units a second`;
  const create = `Add the index ${indexName} with the keys ${inWords(keys)}, KEYS_ONLY${units ?? ''}. Each write of an item with a TTL then takes a write unit more, and DynamoDB refuses writes whose ${ttlAttribute} is no Number.`;
  const steps = [
    index === 'create' && create,
    index === 'wait' && `Wait until DynamoDB has built the index ${indexName}.`,
    nativeTtl === 'turn on' &&
      `Turn on native TTL for ${ttlAttribute}: DynamoDB deletes expired items then, within days.`,
  ].filter(step => step !== false);
  const notes = [
    nativeTtl === 'left off' &&
      'native TTL stays off: DynamoDB Local would delete at once. On AWS it is turned on.',
    !isAll &&
      index === 'create' &&
      `a writer of Strings that is not in the sample fails once the index is there. --full looks at every item: ${scan}.`,
    keys.length > 1 &&
      `every writer must stamp the window too (docs/use.md), and ${commandLine('backfill', ['--table', size.name])} the items that are there. By second needs neither.`,
    table.Replicas?.length &&
      'the index is added in every region of this global table. Deploy the sweep in one only.',
    own &&
      index === 'create' &&
      'if the table has auto scaling, add it to the index: a slow one slows down all writes.',
  ].filter(Boolean);
  const head = `TTL attribute: ${ttlAttribute}${plan.isGuess ? ', which looks like it' : ''}. Of ${isAll ? 'all' : 'the sampled'} ${counted(tally.read, 'item')}:`;
  return [
    [head, ...(seen.length > 0 ? seen : ['  nothing is wrong'])].join('\n'),
    steps.length === 0
      ? `Everything is there: the index ${indexName} is ACTIVE.`
      : ['What is done:', ...steps.map((step, at) => `  ${at + 1}. ${step}`)].join('\n'),
    ...notes.map(note => `Note: ${note}`),
  ].join('\n\n');
}

function describeEnd({ table, region, now }: Reading, plan: AdoptionPlan, tally: FaultTally): string {
  const { TableName = '' } = table;
  const { indexName: IndexName, configuration } = plan;
  const before = tally.counted.find(({ id }) => id === 'expired-present');
  const span = ['--from', isoTime(before?.oldest ?? now), '--to', isoTime(now)];
  const left = `${counted(before?.items ?? 0, 'item')} of ${tally.read} that were looked at expired before. Native TTL deletes them within days; once the sweep is deployed, this does at once:`;
  const updates = ['--global-secondary-index-updates', JSON.stringify([{ Delete: { IndexName } }])];
  const drop = quoted(['--region', region, '--table-name', TableName, ...updates]);
  return [
    `The table's entry in the configuration, under tables, with region: '${region}' (docs/adopt.md):`,
    configurationBlock(configuration),
    ...(before ? [`${left}\n  ${commandLine('replay', ['--table', TableName, ...span])}`] : []),
    `Once the sweep is deployed: ${commandLine('status', ['--table', TableName])}
Watch CloudWatch's WriteThrottleEvents of the index: above 0, writers of the table are throttled with it (docs/adopt.md).
This takes the index away again, after the table was taken out of the deployment:
  aws dynamodb update-table ${drop}`,
  ].join('\n\n');
}
