import { setTimeout as sleep } from 'node:timers/promises';
import type { ExpiryModel } from '../../expiry/index.ts';
import { seededRandom } from '../asl/index.ts';
import { localDynamoDb, localDynamoDbStreams } from '../aws-clients.ts';
import { LocalCloud } from '../cloud.ts';
import { StreamObserver } from '../demo/observer.ts';
import { Problems } from '../demo/problems.ts';
import { type Output, Progress } from '../demo/progress.ts';
import { FAULTS, type FaultName, type FaultPhase, type FaultRates } from '../faults/index.ts';
import { schedulerTime } from '../scheduler.ts';
import { Accounts, endOf } from './accounts.ts';
import { ChaosItems } from './items.ts';
import { KilledSweeping } from './killed.ts';
import { type ChaosReport, formatChaosReport } from './report.ts';
import { type Sweeping, sweepHere } from './sweeping.ts';
import { Truth } from './truth.ts';
import { planChaos } from './workload.ts';
import { carryOut } from './writer.ts';

export interface ChaosOptions {
  /** The folder that was synthesized into; of its tables the one whose name is given. */
  readonly cdktfOut: string;
  readonly tableName: string;
  readonly model: ExpiryModel;
  readonly deleteMode: 'guarded' | 'batch';
  /** Minutes during which items expire. */
  readonly minutes: number;
  /** Items per second. */
  readonly rate: number;
  readonly seed: number;
  readonly rates: FaultRates;
  readonly phases?: readonly FaultPhase[];
  /** Runners to kill; with any, the sweep runs in a process of its own. */
  readonly kills: number;
  readonly output: Output;
  /** Ends the run early. */
  readonly signal: AbortSignal;
}

/** Until the first item expires. */
const LEAD_SECONDS = 10;
/** For what still runs when the last item has expired: a child ends by itself before that. */
const LONGEST_WIND_MS = 330_000;
const LOOK_INTERVAL_MS = 500;

/**
 * Everything at once, in real time: writers, renewers and deleters work on a table, and what was synthesized sweeps it,
 * while calls fail, connections break, functions crash and ticks go missing. At the end one replay without faults goes
 * over the whole span, and the table's stream and its items are held against what was written.
 *
 * @throws {LocalCloudError} when the local cloud can't be started
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { cdktfOut, tableName, model, seed, rates, phases, kills, signal, minutes } = options;
  const progress = new Progress(options.output);
  const accounts = new Accounts();
  const truth = new Truth();
  const problems = new Problems(progress);
  const until = AbortSignal.any([signal, problems.broken]);

  // Beside the one that everything happens to: it makes the table, and at the end sweeps it without faults.
  const calm = await LocalCloud.start({
    cdktfOut,
    observe: true,
    schedules: false,
    onExecution: execution => accounts.add(endOf(execution)),
  });
  // One attempt: after a broken connection a second one would hide what the first did.
  const writing = localDynamoDb(calm.dynamoDb.endpoint, 'us-east-1', { maxAttempts: 1 });
  const streams = localDynamoDbStreams(calm.dynamoDb.endpoint, 'us-east-1');
  let sweeping: Sweeping | undefined;
  try {
    const items = new ChaosItems(writing, tableName, model);
    const observer = await StreamObserver.start({
      client: calm.client,
      streams,
      tableName,
      onRemoval: (image, seenAt) => {
        const { id, version, ttl } = items.read(image);
        truth.removed(id, version, { ttl, seenAt });
      },
      onError: error => problems.breakOff(`the table's stream couldn't be read: ${error}`),
    });
    const startMs = Date.now();
    const { actions, lastTtl } = planChaos({
      startMs,
      firstTtl: Math.floor(startMs / 1000) + LEAD_SECONDS,
      seconds: minutes * 60,
      rate: options.rate,
      renewals: options.deleteMode === 'guarded',
      random: seededRandom(seed),
    });
    const common = {
      cdktfOut,
      dynamoDbEndpoint: calm.dynamoDb.endpoint,
      tableName,
      seed,
      rates,
      ...(phases === undefined ? {} : { phases }),
      onEnd: (ended: Parameters<Accounts['add']>[0]) => accounts.add(ended),
      onProblem: (problem: string) => problems.add(problem),
    };
    sweeping =
      kills === 0
        ? await sweepHere(common)
        : new KilledSweeping({
            ...common,
            kills,
            withinMs: minutes * 60_000,
            onKill: count => progress.say(`${schedulerTime(Date.now())}  runner ${count} killed`),
          });
    const sweeper = sweeping;
    const written = carryOut({
      actions,
      items,
      truth,
      signal: until,
      onIndexed: entry => sweeper.remember(entry),
    }).catch(error => problems.breakOff(`writing failed: ${error}`));
    while (!until.aborted && Date.now() < (lastTtl + 1) * 1000) {
      progress.show(describeProgress(truth, sweeper, accounts, lastTtl));
      await sleep(LOOK_INTERVAL_MS, undefined, { signal: until }).catch(() => {});
    }
    await written;
    if (!until.aborted) await sweeper.wind(Date.now() + LONGEST_WIND_MS);
    await sweeper.stop();
    const sweptUpTo = Math.floor(Date.now() / 1000);
    if (!until.aborted) await replay(calm, tableName, startMs, problems);
    await observer.stop();
    const violations = until.aborted ? [] : truth.verify(await items.readAll(), sweptUpTo, Date.now());
    if (options.deleteMode === 'guarded' && accounts.totals.deleted > truth.counts.swept) {
      problems.add(
        `the executions say that they deleted ${accounts.totals.deleted} items, but the stream has only ${truth.counts.swept} of the sweep's`,
      );
    }
    const report: ChaosReport = {
      seed,
      deleteMode: options.deleteMode,
      counts: truth.counts,
      faults: sweeper.counts,
      kills: sweeper.kills,
      accounts,
      violations,
      problems: problems.found,
      interrupted: signal.aborted,
    };
    progress.end();
    progress.say(formatChaosReport(report));
    return report;
  } finally {
    await sweeping?.stop();
    streams.destroy();
    writing.destroy();
    await calm.stop();
  }
}

/** Sweeps the whole span without faults, then again: the second time there is nothing left to do. */
async function replay(
  cloud: LocalCloud,
  tableName: string,
  startMs: number,
  problems: Problems,
): Promise<void> {
  const [machine] = cloud.machines;
  if (machine === undefined)
    throw new Error(`${tableName}: expected a state machine in what was synthesized`);
  for (const attempt of ['the replay', 'the replay of the replay']) {
    // Nothing expires while it runs that was not expired when it began: its cutoff is its start.
    const input = { from: schedulerTime(startMs - 60_000), to: schedulerTime(Date.now() + 1000) };
    const execution = cloud.startExecution(machine.name, input);
    await execution.done;
    const { text, error } = endOf(execution);
    if (execution.status !== 'SUCCEEDED')
      problems.add(`${attempt} ended ${execution.status}: ${error} ${text}`);
    const found: unknown = JSON.parse(execution.outputText ?? '{}').found;
    if (attempt !== 'the replay' && found !== 0)
      problems.add(`${attempt} found ${found} items, expected none`);
  }
}

function describeProgress(truth: Truth, sweeping: Sweeping, accounts: Accounts, lastTtl: number): string {
  const { items, renewals, swept } = truth.counts;
  const faults = (Object.keys(FAULTS) as FaultName[]).reduce(
    (sum, name) => sum + (sweeping.counts[name] ?? 0),
    0,
  );
  const executions = [...accounts.endings.values()].reduce((sum, count) => sum + count, 0);
  const left = Math.max(0, Math.round(lastTtl - Date.now() / 1000));
  return `written ${items}  renewed ${renewals}  swept ${swept}  overdue ${truth.overdue(Date.now())}  executions ${executions}  faults ${faults}  ${left} s left`;
}
