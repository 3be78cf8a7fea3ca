import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { modelOf } from '../../config/model-of.ts';
import { type Deletion, NO_DELETION } from '../../functions/delete-chunk/deletion.ts';
import { describeShape, describeTable } from '../../operate/table/describe-table.ts';
import { sampleItems } from '../../operate/table/sample.ts';
import { FlagError } from '../flags.ts';
import { count } from '../numbers.ts';
import { type Plan, planOf, type Session } from '../operation.ts';
import { createIndex, enableNativeTtl } from './change-table.ts';
import { configurationBlock } from './configuration.ts';
import { deleteExpired } from './delete-expired.ts';
import {
  askToDelete,
  DELETES_PER_SECOND,
  deleteCommand,
  describeExpired,
  expiredBefore,
  whoDeletesTheRest,
} from './expired.ts';
import { readIndexProgress, readWrites } from './metrics.ts';
import { type AdoptionPlan, changes, planAdoption, ruleOf, ttlTally } from './plan.ts';
import type { Reading, Wish } from './reading.ts';
import {
  describeAfterwards,
  describeConfiguration,
  describeDeletion,
  describeFullLook,
  describePlan,
  describeReading,
  lookLine,
} from './text.ts';
import { lookAtAll, sparingRate, type TableScan, type TtlLook } from './ttl-look.ts';
import { untilBuilt } from './until-built.ts';

export interface AdoptOptions extends Wish {
  readonly tableName: string;
  /** Looks at every item before anything is decided. */
  readonly full: boolean;
  /** Between two questions how the index is, milliseconds. @default by where the table is */
  readonly pollMs?: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** `done`: also when there was nothing to do, and after a dry run. */
type AdoptEnd = 'done' | 'interrupted';

/** The surroundings of an adoption. */
interface Adoption extends AdoptOptions, Session {}

/** How often DynamoDB is asked how the index is, milliseconds. An index takes minutes at least; on this machine, nothing. */
const POLL_MS = 5000;
const LOCAL_POLL_MS = 200;

/** The state of the table, for whoever runs the command again. */
interface Progress {
  index: 'as it was' | 'being built' | 'built';
  nativeTtl: 'as it was' | 'turned on';
  /** The deletion of the items that were expired already; undefined while none was to be deleted. */
  deletion: Deletion | undefined;
}

/**
 * Plans the adoption of a table: reads it and says what is to be done. The plan does it and prints the table's configuration. Run again, it
 * goes on where it stopped, since what is there already is not done again.
 *
 * @returns undefined when somebody said that the TTL attribute is another one
 * @throws {FlagError} {CannotAdoptError} {TableNotFoundError} before anything is changed
 * @throws {MissingPermissionError} {AdoptError}, or the SDK's error, when it can't go on
 */
export async function planAdopt(options: AdoptOptions, session: Session): Promise<Plan<object> | undefined> {
  const adoption: Adoption = { ...options, ...session };
  const { clients, dryRun, print, ask } = session;
  const progress: Progress = { index: 'as it was', nativeTtl: 'as it was', deletion: undefined };
  const reading = await readTable(adoption);
  const early = planAdoption(reading, options, options.full ? 'to come' : undefined);
  print(describeReading(reading, clients.where()));
  const plan = options.full
    ? planAdoption(reading, options, await lookAtTable(reading, early, adoption))
    : early;
  print(`\n${describePlan(reading, plan, options)}`);
  const fullLook = describeFullLook(plan, reading.table);
  if (fullLook !== undefined && (dryRun || ask === undefined)) print(`\nNote: ${fullLook}`);
  const isChange = changes(plan) && !dryRun;
  if (isChange && !(await isAttribute(plan, adoption))) return undefined;
  const question = fullLook === undefined ? 'Do this?' : `${fullLook}\nDo this without it?`;
  return planOf({
    question: isChange ? question : undefined,
    apply: async () => {
      const end = await adopt(reading, plan, adoption, progress);
      return resultOf(reading, plan, end, dryRun, progress);
    },
    tell: ({ result: { end } }) => ({ end }),
  });
}

async function adopt(
  reading: Reading,
  plan: AdoptionPlan,
  adoption: Adoption,
  progress: Progress,
): Promise<AdoptEnd> {
  const { dryRun, print, signal } = adoption;
  const block = () =>
    print(`\n${describeConfiguration(configurationBlock(plan.configuration), reading.region)}`);
  if (dryRun) {
    block();
    if (changes(plan)) print('Nothing was changed: this was a dry run.');
    return 'done';
  }
  if (!(await change(reading, plan, adoption, progress))) {
    print(`\n${describeInterruption(plan, progress)}`);
    return 'interrupted';
  }
  if (plan.nativeTtl === 'enable') {
    print(
      `Native TTL on ${plan.ttl.attribute} is being turned on: it is ENABLING for up to an hour. Deploy when it is ENABLED.`,
    );
  }
  block();
  print(describeAfterwards(plan, reading));
  await deleteOldItems(reading, plan, adoption, progress);
  return signal.aborted ? 'interrupted' : 'done';
}

/** Reads every item, at a rate that spares the table. */
async function lookAtTable(reading: Reading, { ttl }: AdoptionPlan, options: Adoption): Promise<TtlLook> {
  const { table } = reading;
  const tally = ttlTally(reading, ttl.attribute, options);
  try {
    return await lookAtAll(options.clients.dynamoDb, table, tally, scanOf(table, options));
  } finally {
    options.show('');
  }
}

function scanOf(
  table: Reading['table'],
  { signal, show, now }: Adoption,
  line: (text: string) => string = text => text,
): TableScan {
  const from = now();
  return {
    readUnitsPerSecond: sparingRate(table),
    signal,
    onProgress: progress => show(line(lookLine(table, progress, now() - from))),
  };
}

/** Deletes what was expired before the adoption, where somebody has said so, and says else what becomes of it. */
async function deleteOldItems(
  reading: Reading,
  plan: AdoptionPlan,
  options: Adoption,
  progress: Progress,
): Promise<void> {
  const { ask, clients, print, show } = options;
  const { table } = reading;
  const deletesPerSecond = options.deleteExpired ?? DELETES_PER_SECOND;
  const expired = expiredBefore(plan, reading, deletesPerSecond);
  if (options.deleteExpired === undefined) {
    if (expired.count === 0) return;
    if (!(await ask?.(askToDelete(expired, plan.look.items, deletesPerSecond)))) {
      print(
        `\n${describeExpired(expired, plan.look.items)}, and left. ${whoDeletesTheRest(plan, deleteCommand(plan, reading))}`,
      );
      return;
    }
  }
  progress.deletion = NO_DELETION;
  try {
    await deleteExpired(clients.dynamoDb, table, {
      ...scanOf(table, options, line => `${count(progress.deletion?.deleted ?? 0)} deleted. ${line}`),
      model: modelOf(plan.configuration),
      rule: ruleOf(plan.ttl.attribute, options),
      deletesPerSecond,
      onDeletion: sum => {
        progress.deletion = sum;
      },
    });
  } finally {
    show('');
    print(`\n${describeDeletion(progress.deletion, table, options)}`);
  }
}

async function readTable({ clients, tableName, signal, now }: Adoption): Promise<Reading> {
  const { dynamoDb } = clients;
  const region = await regionOf(dynamoDb);
  const table = await describeTable(dynamoDb, tableName);
  const sample = await sampleItems(dynamoDb, { tableName, tableArn: table.arn, signal });
  const writes = clients.isBeside('CLOUDWATCH')
    ? await readWrites(clients.cloudWatch, tableName, now())
    : {
        unknown: 'DynamoDB is on this machine, and AWS_ENDPOINT_URL_CLOUDWATCH names no CloudWatch beside it',
      };
  return { region, table, sample, writes, now: Math.floor(now() / 1000) };
}

/** @throws {FlagError} when neither the flag nor the SDK's configuration names one */
async function regionOf(client: DynamoDBClient): Promise<string> {
  try {
    return await client.config.region();
  } catch {
    throw new FlagError(
      '--region: expected the region of the table, got none; write --region REGION, or set AWS_REGION',
    );
  }
}

/** A TTL attribute that was guessed has to be agreed to by itself. */
async function isAttribute({ ttl }: AdoptionPlan, { ask }: Adoption): Promise<boolean> {
  if (ttl.from !== 'sample') return true;
  if (ask !== undefined) return ask(`Is ${ttl.attribute} the moment after which an item is to be deleted?`);
  throw new FlagError(
    `--ttl-attribute: expected it where nobody is asked whether ${ttl.attribute} is right, got none; write --ttl-attribute ` +
      ttl.attribute,
  );
}

/** @returns false when it was interrupted */
async function change(
  { table }: Reading,
  { index, nativeTtl, ttl }: AdoptionPlan,
  options: Adoption,
  progress: Progress,
): Promise<boolean> {
  const { clients, print, signal } = options;
  if (signal.aborted) return false;
  if (index.action === 'create') await createIndex(clients.dynamoDb, table, index);
  if (index.action !== 'none') {
    progress.index = 'being built';
    const built = await watchIndex(index.name, options);
    options.show('');
    if (!built) return false;
    progress.index = 'built';
    print(`\nThe index ${index.name} is ACTIVE and has the items that were there before.`);
  }
  if (signal.aborted) return false;
  if (nativeTtl === 'enable') {
    await enableNativeTtl(clients.dynamoDb, table, ttl.attribute);
    progress.nativeTtl = 'turned on';
  }
  return true;
}

function watchIndex(
  indexName: string,
  { clients, tableName, show, signal, now, ...adoption }: Adoption,
): Promise<boolean> {
  return untilBuilt({
    indexName,
    describe: async () =>
      (await describeShape(clients.dynamoDb, tableName)).indexes.find(({ name }) => name === indexName),
    progress: async () =>
      clients.isBeside('CLOUDWATCH')
        ? readIndexProgress(clients.cloudWatch, tableName, indexName, now())
        : undefined,
    show,
    pollMs: adoption.pollMs ?? (clients.isLocal() ? LOCAL_POLL_MS : POLL_MS),
    signal,
    now,
  });
}

function describeInterruption({ index, nativeTtl }: AdoptionPlan, progress: Progress): string {
  const built = {
    'as it was': 'nothing was changed.',
    'being built': `DynamoDB goes on building the index ${index.name} by itself.`,
    built: `the index ${index.name} is built.`,
  }[progress.index];
  const ttl = nativeTtl === 'enable' ? ' Native TTL was not turned on yet.' : '';
  return `Interrupted: ${built}${ttl}`;
}

/** For `--json`. */
function resultOf(
  { region, table, sample, writes }: Reading,
  plan: AdoptionPlan,
  end: AdoptEnd,
  dryRun: boolean,
  progress: Progress,
) {
  const { deletion, ...done } = progress;
  return {
    table: { ...table, region, writes, sampledItems: sample.items.length },
    plan: {
      ttlAttribute: plan.ttl,
      ttlValues: plan.look.values,
      expired: plan.look.expired,
      held: plan.look.held,
      lookedAt: plan.look.items,
      index: plan.index,
      nativeTtl: plan.nativeTtl,
      cost: plan.cost,
    },
    result: { end, dryRun, ...done, ...(deletion && { deletion: countsOf(deletion) }) },
    configuration: plan.configuration,
  };
}

function countsOf({ deleted, renewed, held, notFound, failed, unprocessed }: Deletion) {
  return { deleted, renewed, held, notFound, failed: failed.length, left: unprocessed.length };
}
