import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from 'stepfunctions-emulator';
import { modelOf } from '../../config/model-of.ts';
import { resolveProps } from '../../config/props.ts';
import { fileOf } from '../../functions/function-list.ts';
import { type ArchiveCounts, judgeArchive } from '../../lab/archive/archive-verdict.ts';
import type { FromArchiver } from '../../lab/archive/archiver-process.ts';
import { Books } from '../../lab/archive/books.ts';
import { doDeeds } from '../../lab/archive/do-deeds.ts';
import { KilledProcess } from '../../lab/archive/killed-process.ts';
import { type ArchivePlan, planArchive } from '../../lab/archive/plan.ts';
import { KEY_NAMES, Users } from '../../lab/archive/users.ts';
import { machinesOf } from '../../lab/watch/machines.ts';
import type { LocalCloud } from '../../local/cloud.ts';
import { schedulerTime } from '../../local/scheduler/scheduler.ts';
import { CheckpointFile } from '../../local/streams/checkpoints.ts';
import { type Archived, missingFaults, type S3Counts, withArchived } from './archived.ts';

export interface ArchiverOptions {
  readonly expiries: number;
  readonly kills: number;
  readonly seed: number;
  readonly skewMs: number;
  readonly print: (text: string) => void;
}

export interface ArchiverResult {
  readonly counts: ArchiveCounts;
  /** Objects that were stored again under their key, with the same bytes: a batch was delivered again. */
  readonly objectsAgain: number;
  readonly kills: number;
  /** Kills while removals waited, or were being archived. */
  readonly killsAtWork: number;
  /** Kills in the middle of an invocation. */
  readonly killsInvoking: number;
  readonly s3: S3Counts;
  /** From the first delete of the sweep to the last object. */
  readonly seconds: number;
  readonly problems: readonly string[];
  /** Why the run proves nothing; empty when it does. */
  readonly unproven: readonly string[];
}

const TABLE = {
  tableName: 'Archived',
  partitionKey: KEY_NAMES[0],
  sortKey: KEY_NAMES[1],
  sortKeyType: 'N',
  shards: 4,
  archive: { removals: 'all', batchSeconds: 1 },
} as const;

const ARCHIVER = new URL('../../lab/archive/archiver-process.ts', import.meta.url);
/** For what is left after the last delete. */
const MOST_SECONDS_AFTER = 300;
/** A sweep may have been past an item that a user wrote anew. */
const MOST_SWEEPS = 5;
const DEEDS_PER_SECOND = 100;

/** Sweeps expired items while users work, and archives them in a process that is killed. */
export function runArchiver(options: ArchiverOptions): Promise<ArchiverResult> {
  return withArchived({ table: TABLE, seed: options.seed, skewMs: options.skewMs }, archived =>
    measure(archived, options),
  );
}

async function measure(archived: Archived, options: ArchiverOptions): Promise<ArchiverResult> {
  const { cloud, stack, environment, recorder, streamArn } = archived;
  const { print, seed, kills, skewMs } = options;
  const model = modelOf(TABLE);
  const books = new Books();
  const users = new Users({
    client: cloud.client,
    tableName: TABLE.tableName,
    model,
    books,
    random: seededRandom(seed),
  });
  const now = Math.floor(Date.now() / 1000);
  const plan = planArchive({ expiries: options.expiries, now, random: seededRandom(seed + 1) });
  let from = Date.now();
  const seconds = () => (Date.now() - from) / 1000;
  await users.writeAll(plan.ttls);
  print(`${plan.ttls.size} items written in ${seconds().toFixed(0)} s`);

  const problems: string[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-archiver-'));
  const checkpointFile = join(folder, 'checkpoints.json');
  const functionName = `${resolveProps(TABLE).name}-${fileOf('ArchiveExpiries')}`;
  const functionArn = cloud.synthesized.functions.find(({ name }) => name === functionName)?.arn ?? '';
  const waiting = () => {
    const checkpoints = new CheckpointFile(checkpointFile).of(functionArn, streamArn);
    return recorder.waiting(shardId => checkpoints.get(shardId));
  };
  let invoking = false;
  let killsInvoking = 0;
  const removals = plan.before.length / 2 + options.expiries;
  const archiver = new KilledProcess({
    program: ARCHIVER,
    start: { kind: 'start', stack, environment, checkpointFile, skewMs },
    kills,
    random: seededRandom(seed + 2),
    progress: () => archived.lines() / removals,
    hadWork: () => waiting() > 0,
    onMessage(message, reply) {
      const said = message as FromArchiver;
      if (said.kind === 'ask') {
        const { id, shardId, sequenceNumbers } = said;
        void recorder.times(shardId, sequenceNumbers).then(times => reply({ kind: 'times', id, times }));
      } else if (said.kind === 'problem') problems.push(said.problem);
      else {
        invoking = said.kind === 'invoking';
        archiver.works();
      }
    },
    onKill(count) {
      if (invoking) killsInvoking += 1;
      invoking = false;
      print(`kill ${count}: ${archived.lines()} lines archived, ${waiting()} removals wait`);
    },
    onProblem: problem => problems.push(problem),
  });
  try {
    await doDeeds(plan.before, users, Number.POSITIVE_INFINITY);
    from = Date.now();
    const killing = archiver.run();
    await Promise.all([sweep(cloud, plan, problems), doDeeds(plan.meanwhile, users, DEEDS_PER_SECOND)]);
    for (let sweeps = 1; sweeps < MOST_SWEEPS; sweeps += 1) {
      if (books.left(await users.alive(), Date.now()).length === 0) break;
      // A machine that is behind takes for expired what had expired so long ago, and by DynamoDB's clock a second is left.
      await sleep(Math.max(0, -skewMs) + 2_000);
      await sweep(cloud, plan, problems);
    }
    print(`swept in ${seconds().toFixed(0)} s`);
    await recorder.caughtUp();
    for (const until = Date.now() + MOST_SECONDS_AFTER * 1000; waiting() > 0 && Date.now() < until; )
      await sleep(100);
    const took = seconds();
    await archiver.stop();
    await killing;

    const alive = await users.alive();
    const nowMs = Date.now();
    const balance = books.balance(alive, nowMs);
    const left = books.left(alive, nowMs);
    if (left.length > 0) problems.push(`${left.length} expired items are left, such as ${left[0]}`);
    const lost = books.lost(alive, nowMs);
    if (lost.length > 0)
      problems.push(`${lost.length} items are gone before their expiry, such as ${lost[0]}`);
    const late = recorder.removals.filter(
      ({ life: { id }, atMs }) =>
        balance.userDeleted.has(id) && atMs >= Date.parse(id.slice(id.lastIndexOf(' ') + 1)),
    );
    const verdict = judgeArchive({
      ...balance,
      folder: `${TABLE.tableName}/`,
      alive,
      removals: recorder.removals,
      objects: await archived.objects(),
    });
    return {
      counts: verdict.counts,
      objectsAgain: archived.stored() - verdict.counts.objects,
      kills: archiver.kills,
      killsAtWork: archiver.killsAtWork,
      killsInvoking,
      s3: archived.s3Counts(),
      seconds: Math.round(took),
      problems: [...problems, ...archived.problems, ...verdict.problems],
      unproven: [
        ...missingFaults(archived.s3Counts()),
        ...(late.length > 0
          ? [`the recorder read ${late.length} user deletes only after the expiry; the machine is too busy`]
          : []),
        ...(archiver.killsAtWork < kills
          ? [`${archiver.killsAtWork} of ${kills} kills hit the archiver while it had work; raise --expiries`]
          : []),
      ],
    };
  } finally {
    await archiver.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Replays all spans at once. */
async function sweep(
  cloud: LocalCloud,
  { spans, writtenAt }: ArchivePlan,
  problems: string[],
): Promise<void> {
  const machine = machinesOf(cloud).replay;
  // And what has expired since: items that a user meant to delete before, and did not.
  const all = [...spans, { from: writtenAt, to: Math.floor(Date.now() / 1000) - 1 }];
  const executions = all.map(({ from, to }) =>
    cloud.startExecution(machine, { from: schedulerTime(from * 1000), to: schedulerTime((to + 1) * 1000) }),
  );
  for (const { done } of executions) {
    const { status, error, cause } = await done;
    if (status !== 'SUCCEEDED') problems.push(`a sweep ended ${status}: ${error} ${cause}`);
  }
}
