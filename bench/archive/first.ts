import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from 'stepfunctions-emulator';
import { modelOf } from '../../config/model-of.ts';
import { Books } from '../../lab/archive/books.ts';
import { doDeeds } from '../../lab/archive/do-deeds.ts';
import { type AnsweredPut, type FirstCounts, judgeFirst } from '../../lab/archive/first-verdict.ts';
import { KilledProcess } from '../../lab/archive/killed-process.ts';
import { planRenewals } from '../../lab/archive/plan.ts';
import type { FromSweeper } from '../../lab/archive/sweeper-process.ts';
import { KEY_NAMES, Users } from '../../lab/archive/users.ts';
import { WatchedDeletes } from '../../lab/archive/watched-deletes.ts';
import { machinesOf } from '../../lab/watch/machines.ts';
import { type Archived, missingFaults, type S3Counts, withArchived } from './archived.ts';

export interface FirstOptions {
  readonly expiries: number;
  readonly kills: number;
  readonly seed: number;
  readonly skewMs: number;
  readonly print: (text: string) => void;
}

export interface FirstResult {
  readonly counts: FirstCounts;
  readonly kills: number;
  /** Kills while expired items were left. */
  readonly killsAtWork: number;
  readonly s3: S3Counts;
  /** From the first process to the end of the last sweep. */
  readonly seconds: number;
  readonly problems: readonly string[];
  /** Why the run proves nothing; empty when it does. */
  readonly unproven: readonly string[];
}

const TABLE = {
  tableName: 'ArchivedFirst',
  partitionKey: KEY_NAMES[0],
  sortKey: KEY_NAMES[1],
  sortKeyType: 'N',
  shards: 4,
  archive: {},
  archiveFirst: true,
} as const;

const SWEEPER = new URL('../../lab/archive/sweeper-process.ts', import.meta.url);
/** For what is left after the last kill. */
const MOST_SECONDS_AFTER = 300;
const MARGIN_MS = 60_000;
const DAY = 86_400;
/** Of the batches, those with an item that a user renews or changes between its copy and its delete, or about then. */
const RACES = 0.3;
const MOST_RACE_MS = 60;

/** Sweeps expired items in a process that is killed, each after its image is in S3, while users renew them. */
export function runFirst(options: FirstOptions): Promise<FirstResult> {
  let turn = 0;
  const next = () => turn++;
  const puts: AnsweredPut[] = [];
  const willBeAnswered = new Set<string>();
  return withArchived(
    {
      table: TABLE,
      seed: options.seed,
      skewMs: options.skewMs,
      onS3Call({ operation, target }, fault) {
        if (operation !== 'PutObject') return;
        const key = decodeURIComponent(target.replace(/^\/[^/]+\//, '').replace(/\?.*$/, ''));
        if (fault === undefined) willBeAnswered.add(key);
      },
      onStored(key) {
        if (willBeAnswered.has(key)) puts.push({ key, turn: next() });
      },
    },
    archived => measure(archived, { ...options, next, puts }),
  );
}

interface Watching extends FirstOptions {
  readonly next: () => number;
  readonly puts: readonly AnsweredPut[];
}

async function measure(
  archived: Archived,
  { print, seed, skewMs, next, puts, ...options }: Watching,
): Promise<FirstResult> {
  const { cloud, stack, environment, recorder } = archived;
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
  const plan = planRenewals({ expiries: options.expiries, now, random: seededRandom(seed + 1) });
  let from = Date.now();
  await users.writeAll(plan.ttls);
  print(`${plan.ttls.size} items written in ${((Date.now() - from) / 1000).toFixed(0)} s`);
  const taken = new Set(plan.meanwhile.map(({ id }) => id));
  const draw = seededRandom(seed + 4);
  const racing: Promise<void>[] = [];
  /** A user renews, or changes, one of the items just when it is about to be copied and deleted. */
  const race = (ids: readonly string[]) => {
    if (draw.next() >= RACES) return;
    const id = ids.find(each => !taken.has(each));
    if (id === undefined) return;
    taken.add(id);
    const ttl = draw.next() < 0.5 ? now + DAY : (plan.ttls.get(id) ?? 0);
    racing.push(sleep(draw.next() * MOST_RACE_MS).then(() => users.renew(id, ttl)));
  };
  const watched = await WatchedDeletes.start({
    onRead: keys => race(keys.flatMap(({ number }) => (number && 'N' in number ? [number.N] : []))),
    ...{ target: cloud.dynamoDb.endpoint, keyNames: KEY_NAMES, ttlAttribute: model.ttlAttribute, turn: next },
  });
  const problems: string[] = [];
  const kills: number[] = [];
  const ends: number[] = [];
  let lastEnd: Extract<FromSweeper, { kind: 'ended' }> | undefined;
  const gone = () => recorder.removals.length;
  const sweeper = new KilledProcess({
    program: SWEEPER,
    start: {
      kind: 'start',
      ...{ stack, environment, functionsDynamoDbEndpoint: watched.endpoint, skewMs },
      machine: machinesOf(cloud).replay,
      fromMs: (plan.spans[0]?.from ?? 0) * 1000 - MARGIN_MS,
    },
    kills: options.kills,
    random: seededRandom(seed + 2),
    progress: () => gone() / plan.expiring,
    hadWork: () => gone() < plan.expiring,
    onMessage(message) {
      const said = message as FromSweeper;
      if (said.kind === 'problem') problems.push(said.problem);
      else sweeper.works();
      if (said.kind !== 'ended') return;
      ends.push(next());
      lastEnd = said;
    },
    onKill(count) {
      kills.push(next());
      print(`kill ${count}: ${gone()} of about ${plan.expiring} items are deleted`);
    },
    onProblem: problem => problems.push(problem),
  });
  try {
    from = Date.now();
    await Promise.all([sweeper.run(), doDeeds(plan.meanwhile, users, plan.deedsPerSecond)]);
    await Promise.all(racing);
    const doneMs = Date.now();
    const until = doneMs + MOST_SECONDS_AFTER * 1000;
    // One that began after everything was done, and left nothing.
    while (
      (lastEnd === undefined || lastEnd.fromMs < doneMs || lastEnd.status !== 'SUCCEEDED') &&
      Date.now() < until
    ) {
      await sleep(100);
    }
    const took = (Date.now() - from) / 1000;
    await sweeper.stop();
    await Promise.all(racing);
    await recorder.caughtUp();
    const alive = await users.alive();
    const expired = new Set(books.left(alive, doneMs));
    const lost = books.lost(alive, doneMs);
    if (lost.length > 0)
      problems.push(`${lost.length} items are gone before their expiry, such as ${lost[0]}`);
    const verdict = judgeFirst({
      objects: await archived.objects(),
      ...{
        puts,
        swept: watched.swept,
        removed: recorder.removals.map(({ life }) => life),
        alive,
        expired,
        kills,
        ends,
      },
    });
    const { killsAtWork } = sweeper;
    return {
      counts: verdict.counts,
      kills: sweeper.kills,
      killsAtWork,
      s3: archived.s3Counts(),
      seconds: Math.round(took),
      problems: [
        ...problems,
        ...archived.problems,
        ...watched.blind.map(operation => `a delete that cannot be watched: ${operation}`),
        ...verdict.problems,
      ],
      unproven: [
        ...missingFaults(archived.s3Counts()),
        ...(killsAtWork < options.kills
          ? [`${killsAtWork} of ${options.kills} kills hit the sweep while items were left; raise --expiries`]
          : []),
        ...(verdict.counts.keptCopies === 0 ? ['no item was renewed between its copy and its delete'] : []),
      ],
    };
  } finally {
    await sweeper.stop();
    await watched.stop();
  }
}
