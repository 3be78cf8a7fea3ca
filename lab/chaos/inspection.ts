import { schedulerTime } from 'aws-on-loopback/scheduler/scheduler';
import type { Execution } from 'stepfunctions-emulator';
import type { ExpiryModel } from '../../expiry/index.ts';
import type { LocalCloud } from '../../local/cloud.ts';
import type { InvokeWrapper } from '../../local/functions/local-functions.ts';
import { MAX_LOOKBACK_MINUTES } from '../../statemachine/contract/limits.ts';
import { type ChooseFault, type FaultProxy, startFaultProxy } from '../faults/index.ts';
import { type Ended, endOf, reportsOf } from '../ledger/accounts.ts';
import { isHandOver, machinesOf } from '../watch/machines.ts';
import { untilIdle } from '../watch/until-idle.ts';
import type { WatchedTable } from '../watch/watched-table.ts';
import { type Indexed, indexedOf } from './indexed.ts';
import { InspectionFaults } from './inspection-faults.ts';
import type { InspectedItem, Inspection } from './inspection-plan.ts';
import type { InspectedSweep } from './inspection-verdict.ts';
import { ShortLives } from './short-lives.ts';
import { UnansweredDeletes } from './unanswered-deletes.ts';

/**
 * Life of a child before it is too old to continue, milliseconds: long enough for ordinary deletes, too short for the items of "after a
 * while".
 */
const CHILD_LIFE_MS = 8_000;
/** The first child cannot finish in this time, even when a wait begins at the end of its life; the second one can. */
const BUSY_MS = 11_000;
/** Several parts of a tick can leave items, but only one can hand them over: the next tick sweeps those of the other parts. */
const MAX_TICKS = 3;
const HAS_TO_GO: readonly InspectedItem['deed'][] = ['none', 'renewed by a second', 'released'];
/** Items are renewed for a day even when they expired as long ago as a sweep can look back. */
const RENEWED_SECONDS = MAX_LOOKBACK_MINUTES * 60 + 86_400;

/** Environment of the inspected sweeps: proxy between their functions and DynamoDB, and a limit for the age of their children. */
export class InspectionEnvironment {
  /** Passed to the cloud that runs the sweeps. */
  readonly deletes = new UnansweredDeletes();
  /** Ended executions of that cloud, which its caller adds. */
  readonly ended: Execution[] = [];
  readonly #lives = new ShortLives(CHILD_LIFE_MS);
  #proxy: FaultProxy | undefined;
  #choose: ChooseFault | undefined;

  /** Passed to the cloud that runs the sweeps. */
  readonly functionsDynamoDbEndpoint = async (target: string): Promise<string> => {
    this.#proxy = await startFaultProxy({
      target,
      rememberAnswers: false,
      choose: call => this.#choose?.(call),
    });
    return this.#proxy.endpoint;
  };

  readonly wrap: InvokeWrapper = (call, next) =>
    this.deletes.wrap(call, () =>
      next(this.#choose === undefined ? call.payload : this.#lives.olderChild(call.payload)),
    );

  /** Stores the current index entry, which every query returns during an inspection. */
  remember(tableName: string, { indexKey, entry }: Indexed): void {
    this.#proxy?.remember(tableName, indexKey, entry);
  }

  async during<T>(choose: ChooseFault, sweep: () => Promise<T>): Promise<T> {
    this.#choose = choose;
    try {
      return await sweep();
    } finally {
      this.#choose = undefined;
    }
  }

  async stop(): Promise<void> {
    await this.#proxy?.stop();
  }
}

export interface InspectionContext {
  /** Cloud in which no other sweep of the table runs meanwhile. */
  readonly cloud: LocalCloud;
  readonly environment: InspectionEnvironment;
  readonly tableName: string;
  readonly table: WatchedTable;
  readonly model: ExpiryModel;
  /** Aborts the inspection. */
  readonly until: AbortSignal;
  /** Items of earlier inspected sweeps, whose entries remain in the index. */
  readonly before: InspectedItem[];
}

/** Writes the items, runs the sweep over them and all other items, and reports its result and what it left. */
export async function inspect(
  { name, scheduledTime, items: laidOut, sweeps }: Inspection,
  context: InspectionContext,
): Promise<InspectedSweep> {
  const { cloud, environment, table, until, before } = context;
  await Promise.all(laidOut.map(item => layOut(item, context)));
  await table.caughtUp();
  const sweptBefore = table.ledger.counts.swept;
  const unansweredBefore = environment.deletes.count;
  const faults = new InspectionFaults({
    items: [...before, ...laidOut],
    busyMs: BUSY_MS,
    renewByASecond: ({ id, ttl }) => table.act({ kind: 'renew', item: id, ttl: ttl + 1 }),
  });
  const executions: Execution[] = [];
  await environment.during(faults.choose, async () => {
    for (let ticks = 0; ticks < MAX_TICKS && !until.aborted; ticks += 1) {
      const endedBefore = environment.ended.length;
      const { tick, replay } = machinesOf(cloud);
      if (scheduledTime === undefined) cloud.startExecution(replay, { scanIndex: true });
      else cloud.startExecution(tick, { scheduledTime: schedulerTime(scheduledTime * 1000) });
      await untilIdle(() => cloud.running.length === 0, { signal: until });
      const ended = environment.ended.slice(endedBefore);
      executions.push(...ended);
      if (!ended.map(endOf).some(leftForLater)) break;
    }
  });
  await table.caughtUp();
  before.push(...laidOut);
  return {
    name,
    ended: executions.map(endOf),
    laidOut: laidOut.filter(({ deed }) => HAS_TO_GO.includes(deed)).length,
    left: table.ledger.left(await table.readAll(), Math.floor(Date.now() / 1000), ttl =>
      sweeps.some(({ from, upTo }) => ttl >= from && ttl <= upTo),
    ),
    laidOutRenewed: laidOut.filter(({ deed }) => deed === 'renewed').length,
    removed: table.ledger.counts.swept - sweptBefore,
    renewed: faults.renewed,
    notFound: faults.notFound,
    handedOn: executions.reduce((sum, execution) => sum + handedOn(execution), 0),
    unanswered: environment.deletes.count - unansweredBefore,
  };
}

async function layOut(
  { id, ttl, olderStamp, deed }: InspectedItem,
  { environment, tableName, table, model }: InspectionContext,
): Promise<void> {
  const stamped = await table.act({ kind: 'write', item: id, ttl, olderStamp });
  if (deed === 'held' || deed === 'released') await table.act({ kind: 'hold', item: id, ttl: undefined });
  if (deed === 'released') await table.act({ kind: 'release', item: id, ttl: undefined });
  if (deed !== 'renewed' && deed !== 'deleted') return;
  const indexed = stamped && indexedOf(id, stamped, model);
  if (indexed) environment.remember(tableName, indexed);
  if (deed === 'renewed') await table.act({ kind: 'renew', item: id, ttl: ttl + RENEWED_SECONDS });
  else await table.act({ kind: 'delete', item: id, ttl: undefined });
}

function leftForLater({ text }: Ended): boolean {
  return (reportsOf(text) ?? []).some(report => report.leftForLater > 0);
}

/** Counts the spans that a tick handed over to the execution, and the children whose result contains work to resume. */
function handedOn(execution: Execution): number {
  const children = execution.mapRuns.flatMap(({ executions }) => executions);
  return (isHandOver(execution) ? 1 : 0) + children.filter(({ output }) => hasResume(output)).length;
}

function hasResume(output: unknown): boolean {
  if (typeof output !== 'object' || output === null || !('resume' in output)) return false;
  return output.resume !== null && output.resume !== undefined;
}
