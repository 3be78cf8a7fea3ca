import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { localDynamoDb } from 'aws-on-loopback/dynamodb/clients';
import { schedulerTime } from 'aws-on-loopback/scheduler/scheduler';
import { serviceVariables } from 'aws-on-loopback/service-variables';
import { realClock, seededRandom } from 'stepfunctions-emulator';
import type { ExpiryModel } from '../../expiry/index.ts';
import { journalName, liveHandOver } from '../../functions/journal/layout.ts';
import { readState } from '../../functions/journal/read-state.ts';
import { LocalCloud } from '../../local/cloud.ts';
import { tableOf } from '../../local/stack/table-of.ts';
import { BACK_SECONDS } from '../../statemachine/contract/limits.ts';
import { SeededS3Faults } from '../faults/index.ts';
import { Accounts, type Ended, endOf, reportOf } from '../ledger/accounts.ts';
import { Followers } from '../ledger/followers.ts';
import { type Output, Problems, Progress } from '../report/progress.ts';
import { machinesOf } from '../watch/executions.ts';
import { MachineWatch, machineTimeOf } from '../watch/machine.ts';
import { WatchedTable } from '../watch/watched-table.ts';
import { nativeAttributes } from '../workload/varied-item.ts';
import {
  type InspectionContext,
  inspect,
  planScan,
  planTick,
  secondsUntilInspection,
  wrongWith,
} from './inspection.ts';
import { type ChaosReport, formatChaosReport } from './report.ts';
import { LEAD_SECONDS, rage, type StormOptions } from './storm.ts';

export interface ChaosOptions extends StormOptions {
  readonly tableName: string;
  readonly model: ExpiryModel;
  /** How far a tick looks back for expired items, minutes. */
  readonly lookbackMinutes: number;
  /** The table's grace: seconds between an item's TTL and the time at which it is due. */
  readonly graceSeconds: number;
  readonly output: Output;
  /** Aborts the run. */
  readonly signal: AbortSignal;
}

/** Time for archiving after the last delete: an S3 call that hangs, and a retry of its batch. */
const MAX_FOLLOWING_MS = 180_000;

/** Shares of the calls of S3, where there is an archive. */
const S3_RATES = { throttled: 0.07, unavailable: 0.07, cut: 0.06, hanging: 0.01 } as const;

/**
 * Client of the writers. It makes one attempt: after a broken connection a retry would hide the effect of the first attempt. It lets go of
 * an idle connection before DynamoDB Local closes it, after 30 s: a request at that moment fails.
 */
const writingClient = (endpoint: string) =>
  localDynamoDb(endpoint, 'us-east-1', {
    maxAttempts: 1,
    requestHandler: { httpAgent: new Agent({ keepAlive: true, timeout: 10_000, maxSockets: 50 }) },
  });

/**
 * Runs all faults at once, in real time: writers, renewers and deleters change a table, and the synthesized deployment sweeps it, while
 * calls fail, connections break, functions crash and ticks are missed. Then the faults end, and an ordinary tick and a scan of the index
 * are inspected: they must leave none of the remaining items, and none of those that are written for them. That is the verdict; a replay
 * afterwards must find nothing more.
 * @throws {LocalCloudError} when the local cloud can't be started
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { stack, tableName, seed, deleteMode, signal } = options;
  const progress = new Progress(options.output);
  const accounts = new Accounts();
  const problems = new Problems(progress);
  const until = AbortSignal.any([signal, problems.broken]);
  /** The executions of the cloud without faults. */
  const ended: Ended[] = [];

  const { archive, graceSeconds } = options;
  const followers = new Followers({ archive, graceSeconds, now: Date.now });
  const drawn = seededRandom(seed + 4);
  const s3Faults = new SeededS3Faults(seed + 3, S3_RATES);

  // A second cloud without faults: it creates the table, has S3, and runs the inspected sweeps.
  const calm = await LocalCloud.start({
    stack,
    observe: true,
    schedules: false,
    mappings: { onlyDrained: true },
    services: { ...followers.services, faults: { s3: s3Faults.choose } },
    onExecution(execution) {
      ended.push(endOf(execution));
      accounts.add(endOf(execution));
    },
  });
  const { endpoint: dynamoDbEndpoint } = calm.dynamoDb;
  const writing = writingClient(dynamoDbEndpoint);
  const machine = new MachineWatch(machineTimeOf(realClock));
  let table: WatchedTable | undefined;
  try {
    table = await WatchedTable.start({
      cloud: calm,
      client: writing,
      table: tableOf(calm.synthesized, tableName),
      model: options.model,
      prefix: 'item',
      graceSeconds,
      holdAttribute: options.holdAttribute,
      ...(archive && { keepsImages: true, attributes: () => nativeAttributes(drawn) }),
      onAnswer: machine.answered,
      onError: error => problems.breakOff(`the table's stream couldn't be read: ${error}`),
    });
    const watched = table;
    const { faults, startMs } = await rage(options, {
      environment: {
        AWS_ENDPOINT_URL_DYNAMODB: dynamoDbEndpoint,
        ...serviceVariables(calm.services.endpoints),
      },
      async followed() {
        s3Faults.setRates({});
        for (const until = Date.now() + MAX_FOLLOWING_MS; Date.now() < until; await sleep(500)) {
          await watched.caughtUp();
          await followers.read(calm);
          if (followers.isComplete(0, watched.ledger)) return;
        }
      },
      ...{ table, accounts, problems, progress, until },
    });
    // Deletions after this line are not archived.
    const violations = until.aborted ? [] : followers.violations(table.ledger);

    const quiet = () => untilQuiet(calm, tableName, until);
    await quiet();
    const replayed = () => {
      const earliestMs = startMs - graceSeconds * 1000;
      return replay(calm, earliestMs - (options.lookbackMinutes + 2) * 60_000, problems);
    };
    const context = { cloud: calm, ended, table, quiet, until };
    await inspectBoth(options, context, problems, progress);
    machine.stop();

    const sweptUpTo = Math.floor(Date.now() / 1000);
    if (!until.aborted) {
      violations.push(...(await table.verify({ sweptUpTo })));
      const found = await replayed();
      if (found !== 0) problems.add(`the last replay still found ${found} items, expected none`);
      await table.caughtUp();
      const known = new Set(violations.map(({ id }) => id));
      const later = await table.verify({ sweptUpTo });
      violations.push(...later.filter(({ id }) => !known.has(id)));
    }
    await table.stop();
    const report: ChaosReport = {
      seed,
      deleteMode,
      counts: table.ledger.counts,
      ...{ faults, accounts },
      archive: followers.followed(table.ledger).archive,
      s3: s3Faults.counts,
      violations,
      problems: problems.found,
      longestLostMs: machine.longestMs(startMs + LEAD_SECONDS * 1000),
      interrupted: signal.aborted,
    };
    progress.end();
    progress.say(formatChaosReport(report));
    return report;
  } finally {
    machine.stop();
    await table?.stop();
    writing.destroy();
    await calm.stop();
  }
}

/** Seconds after a tick in which another tick does not search for older items, but leaves that to the first one. */
const OTHER_TICK_SECONDS = BACK_SECONDS + 5;

/**
 * Waits for hand-overs (executions that finish the work of a tick), and for the time in which a tick leaves the search for older items to
 * the tick before. A killed tick may have reserved a hand-over that it never started. Later ticks leave that span alone until the
 * reservation in the journal expires.
 */
async function untilQuiet(cloud: LocalCloud, tableName: string, signal: AbortSignal): Promise<void> {
  const documents = DynamoDBDocumentClient.from(cloud.client);
  const journal = { documents, tableName: journalName(machinesOf(cloud).tick) };
  while (!signal.aborted) {
    const state = await readState(journal);
    const handedOverMs = (liveHandOver(state, tableName, Date.now())?.until ?? 0) * 1000;
    const { tick } = state.watermarks;
    const besideMs = tick === undefined ? 0 : Date.parse(tick) + OTHER_TICK_SECONDS * 1000;
    const waitMs = Math.max(handedOverMs, besideMs) - Date.now();
    if (waitMs <= 0) return;
    await sleep(waitMs, undefined, { signal }).catch(() => {});
  }
}

/** Inspects an ordinary tick and a scan of the index, one after another. */
async function inspectBoth(
  { model, lookbackMinutes }: ChaosOptions,
  context: InspectionContext,
  problems: Problems,
  progress: Progress,
): Promise<void> {
  const { until } = context;
  const now = () => Math.floor(Date.now() / 1000);
  await sleep(secondsUntilInspection(now()) * 1000, undefined, { signal: until }).catch(() => {});
  for (const plan of [planTick, planScan]) {
    if (until.aborted) return;
    const inspection = plan({ now: now(), model, lookbackMinutes });
    progress.say(`${schedulerTime(Date.now())}  the ${inspection.name} is inspected`);
    const sweep = await inspect(inspection, context);
    if (!until.aborted) for (const wrong of wrongWith(sweep)) problems.add(wrong);
  }
}

/** Sweeps everything once more without faults. @returns the number of items found that are not held */
async function replay(cloud: LocalCloud, fromMs: number, problems: Problems): Promise<number> {
  // The cutoff is the start of the sweep, so no item expires while it runs.
  const input = { from: schedulerTime(fromMs), to: schedulerTime(Date.now() + 1000) };
  const execution = cloud.startExecution(machinesOf(cloud).replay, input);
  await execution.done;
  const { status, text, error } = endOf(execution);
  if (status !== 'SUCCEEDED') problems.add(`the last replay ended ${status}: ${error} ${text}`);
  // When DynamoDB was too busy for the plan to check for holds, a child checks and counts them.
  const { found = Number.NaN, held = 0 } = reportOf(text) ?? {};
  return found - held;
}
