import { type Deletion, NO_DELETION } from '../../functions/delete-chunk/deletion.ts';
import {
  type Adopted,
  type AdoptOptions,
  adoptionResult,
  changeTable,
  deleteOldItems,
  lookAtTable,
  readTable,
} from '../../operate/adopt/adopt.ts';
import type { Building } from '../../operate/adopt/change-table.ts';
import { DELETES_PER_SECOND, expiredBefore } from '../../operate/adopt/delete-expired.ts';
import { type AdoptionPlan, changes, planAdoption } from '../../operate/adopt/plan.ts';
import type { Reading } from '../../operate/adopt/reading.ts';
import type { ScanProgress } from '../../operate/options.ts';
import { FlagError } from '../flags.ts';
import { configurationBlock } from '../init/configuration.ts';
import { count, MEASURED_SECONDS, span } from '../numbers.ts';
import { type Plan, planOf, type Session } from '../operation.ts';
import { askToDelete, deleteCommand, describeExpired, whoDeletesTheRest } from './expired.ts';
import {
  describeAfterwards,
  describeConfiguration,
  describeDeletion,
  describeFullLook,
  describePlan,
  describeReading,
  lookLine,
} from './text.ts';

const BAR_WIDTH = 20;

/** One line of progress, with a bar if the finished part is known. */
export function progressLine({ name, backfilling, elapsedMs, part }: Building): string {
  const phase = backfilling ? 'DynamoDB puts the items into it' : 'DynamoDB makes room for it';
  const done = Math.round((part ?? 0) * BAR_WIDTH);
  const bar = `${'█'.repeat(done)}${'░'.repeat(BAR_WIDTH - done)} ${Math.floor((part ?? 0) * 100)}%`;
  const seconds = elapsedMs / 1000;
  const isMeasured = part !== undefined && part > 0 && part < 1 && seconds >= MEASURED_SECONDS;
  const left = isMeasured ? `, about ${span((seconds / part) * (1 - part))} left` : '';
  return `Index ${name}: ${part === undefined ? '' : `${bar}, `}${phase}, ${duration(elapsedMs)}${left}`;
}

function duration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

export interface AdoptWish extends Omit<AdoptOptions, 'clients' | 'signal'> {
  /** Reads every item before the plan is made. */
  readonly full: boolean;
}

/** The options and the session of an adoption. */
interface Adoption extends AdoptWish, Session {}

/**
 * Plans the adoption of a table: reads the table and says what has to be done. The plan makes the changes and prints the table's
 * configuration. A second run continues where the first one stopped: steps that are complete are skipped.
 *
 * @returns undefined when the user answered that the TTL attribute is another one
 * @throws {FlagError} {CannotAdoptError} {TableNotFoundError} before anything is changed
 * @throws {MissingPermissionError} {AdoptError}, or the SDK's error, when it can't go on
 */
export async function planAdopt(wish: AdoptWish, session: Session): Promise<Plan<object> | undefined> {
  const adoption: Adoption = { ...wish, ...session };
  const { clients, dryRun, print, ask } = session;
  const reading = await readTable(adoption);
  const early = planAdoption(reading, wish, wish.full ? 'to come' : undefined);
  print(describeReading(reading, clients.where()));
  const plan = wish.full ? planAdoption(reading, wish, await fullLook(reading, early, adoption)) : early;
  print(`\n${describePlan(reading, plan, wish)}`);
  const why = describeFullLook(plan, reading.table);
  if (why !== undefined && (dryRun || ask === undefined)) print(`\nNote: ${why}`);
  const isChange = changes(plan) && !dryRun;
  if (isChange && !(await isAttribute(plan, adoption))) return undefined;
  const question = why === undefined ? 'Do this?' : `${why}\nDo this without it?`;
  return planOf({
    question: isChange ? question : undefined,
    apply: () => adopt(reading, plan, adoption),
    tell: ({ result: { end } }) => ({ end }),
  });
}

/** Makes the planned changes. The result is `done` also when there was nothing to do, and after a dry run. */
async function adopt(reading: Reading, plan: AdoptionPlan, adoption: Adoption) {
  const { dryRun, print, signal, show } = adoption;
  let adopted: Adopted = { index: 'as it was', nativeTtl: 'as it was' };
  const resultOf = (end: 'done' | 'interrupted', deletion?: Deletion) =>
    adoptionResult(reading, plan, { end, dryRun, ...adopted, deletion });
  const block = () =>
    print(`\n${describeConfiguration(configurationBlock(plan.configuration), reading.region)}`);
  if (dryRun) {
    block();
    if (changes(plan)) print('Nothing was changed: this was a dry run.');
    return resultOf('done');
  }
  adopted = await changeTable(reading, plan, adoption, building => show(progressLine(building)));
  show('');
  if (adopted.index === 'built') {
    print(`\nThe index ${plan.index.name} is ACTIVE and has the items that were there before.`);
  }
  if (signal.aborted) {
    print(`\n${describeInterruption(plan, adopted)}`);
    return resultOf('interrupted');
  }
  if (adopted.nativeTtl === 'turned on') {
    print(
      `Native TTL on ${plan.ttl.attribute} is being turned on: it is ENABLING for up to an hour. Deploy when it is ENABLED.`,
    );
  }
  block();
  print(describeAfterwards(plan, reading));
  const deletion = (await mayDelete(reading, plan, adoption))
    ? await deletionOf(reading, plan, adoption)
    : undefined;
  return resultOf(signal.aborted ? 'interrupted' : 'done', deletion);
}

async function fullLook(reading: Reading, plan: AdoptionPlan, adoption: Adoption) {
  const line = lineOf(reading, adoption);
  return lookAtTable(reading, plan, adoption, progress => adoption.show(line(progress))).finally(() =>
    adoption.show(''),
  );
}

function lineOf({ table }: Reading, { now }: Adoption): (progress: ScanProgress) => string {
  const from = now();
  return progress => lookLine(table, progress, now() - from);
}

/**
 * Asks whether the items that expired before the adoption are to be deleted, unless a flag answers it. If they are not, it says
 * what happens to them.
 */
async function mayDelete(
  reading: Reading,
  plan: AdoptionPlan,
  { ask, print, deleteExpired }: Adoption,
): Promise<boolean> {
  if (deleteExpired !== undefined) return true;
  const expired = expiredBefore(plan, reading, DELETES_PER_SECOND);
  if (expired.count === 0) return false;
  if (await ask?.(askToDelete(expired, plan.look.items, DELETES_PER_SECOND))) return true;
  print(
    `\n${describeExpired(expired, plan.look.items)}, and left. ${whoDeletesTheRest(deleteCommand(plan, reading))}`,
  );
  return false;
}

async function deletionOf(reading: Reading, plan: AdoptionPlan, adoption: Adoption): Promise<Deletion> {
  const { show, print, deleteExpired: deletesPerSecond = DELETES_PER_SECOND } = adoption;
  const line = lineOf(reading, adoption);
  let deletion = NO_DELETION;
  try {
    await deleteOldItems(reading, plan, adoption, {
      deletesPerSecond,
      onProgress: progress => show(`${count(deletion.deleted)} deleted. ${line(progress)}`),
      onDeletion: sum => {
        deletion = sum;
      },
    });
    return deletion;
  } finally {
    show('');
    print(`\n${describeDeletion(deletion, reading.table, adoption)}`);
  }
}

/** Asks the user to confirm a TTL attribute that was only guessed. */
async function isAttribute({ ttl }: AdoptionPlan, { ask }: Adoption): Promise<boolean> {
  if (ttl.from !== 'sample') return true;
  if (ask !== undefined) return ask(`Is ${ttl.attribute} the moment after which an item is to be deleted?`);
  throw new FlagError(
    `--ttl-attribute: expected it where nobody is asked whether ${ttl.attribute} is right, got none; write --ttl-attribute ` +
      ttl.attribute,
  );
}

function describeInterruption({ index, nativeTtl }: AdoptionPlan, adopted: Adopted): string {
  const built = {
    'as it was': 'nothing was changed.',
    'being built': `DynamoDB goes on building the index ${index.name} by itself.`,
    built: `the index ${index.name} is built.`,
  }[adopted.index];
  const ttl =
    nativeTtl === 'enable' && adopted.nativeTtl === 'as it was' ? ' Native TTL was not turned on yet.' : '';
  return `Interrupted: ${built}${ttl}`;
}
