import type { Execution } from 'stepfunctions-emulator';
import type { LocalCloud } from '../../local/cloud.ts';
import { schedulerTime } from '../../local/scheduler/scheduler.ts';
import type { StreamObserver } from '../demo/observer.ts';
import { type ChooseFault, type FaultProxy, startFaultProxy } from '../faults/index.ts';
import { endOf } from './accounts.ts';
import { InspectionFaults } from './inspection-faults.ts';
import type { InspectedItem, Inspection } from './inspection-plan.ts';
import type { InspectedSweep } from './inspection-verdict.ts';
import type { ChaosItems, Indexed } from './items.ts';
import type { Truth } from './truth.ts';

/**
 * How long a child has, from its start, before it is too old to go on. Long enough to delete what DynamoDB takes, too
 * short for what it takes after a while.
 */
const CHILD_LIFE_MS = 8_000;
/** The first child does not get through, even when it begins a wait at the end of its life; the second one does. */
const BUSY_MS = 11_000;
/** Even what expired a day ago is renewed for a day. */
const RENEWED_SECONDS = 2 * 86_400;

/** Stands between the functions of the inspected sweeps and DynamoDB, and makes their children old. */
export class InspectionEnvironment {
  readonly #childSeconds: number;
  #proxy: FaultProxy | undefined;
  #choose: ChooseFault | undefined;

  /** @param childSeconds the age at which a child hands on what is left, as the definition has it */
  constructor(childSeconds: number) {
    this.#childSeconds = childSeconds;
  }

  /** For the cloud that runs the sweeps. */
  readonly functionsDynamoDbEndpoint = async (target: string): Promise<string> => {
    this.#proxy = await startFaultProxy({
      target,
      rememberAnswers: false,
      choose: call => this.#choose?.(call),
    });
    return this.#proxy.endpoint;
  };

  readonly childAgeMs = (): number =>
    this.#choose === undefined ? 0 : this.#childSeconds * 1000 - CHILD_LIFE_MS;

  /** What the index holds now, to be given by every query while a sweep is inspected. */
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
  /** Nothing else sweeps its table meanwhile. */
  readonly cloud: LocalCloud;
  readonly environment: InspectionEnvironment;
  readonly tableName: string;
  readonly items: ChaosItems;
  readonly truth: Truth;
  readonly observer: StreamObserver;
  /** Ends it early. */
  readonly until: AbortSignal;
  /** What was laid out for the sweeps inspected before: the index has it still. */
  readonly before: InspectedItem[];
}

/** Lays out the items, lets the sweep run over them and everything else, and says what it did and what it left. */
export async function inspect(
  { name, input, items: laidOut, sweeps }: Inspection,
  { cloud, environment, tableName, items, truth, observer, until, before }: InspectionContext,
): Promise<InspectedSweep> {
  await Promise.all(
    laidOut.map(item => layOut(item, items, truth, indexed => environment.remember(tableName, indexed))),
  );
  await observer.caughtUp();
  const sweptBefore = truth.counts.swept;
  const faults = new InspectionFaults({
    items: [...before, ...laidOut],
    busyMs: BUSY_MS,
    renewByASecond: ({ id, ttl }) => renew(id, ttl + 1, items, truth),
  });
  const execution = await environment.during(faults.choose, async () => {
    const started = cloud.startExecution(machineOf(cloud, tableName), {
      ...input,
      scheduledTime: schedulerTime(input.scheduledTime * 1000),
    });
    const stop = () => started.stop();
    until.addEventListener('abort', stop, { once: true });
    await started.done;
    until.removeEventListener('abort', stop);
    return started;
  });
  await observer.caughtUp();
  before.push(...laidOut);
  return {
    name,
    ended: endOf(execution),
    laidOut: laidOut.filter(({ deed }) => deed === 'none' || deed === 'renewed by a second').length,
    left: truth.left(await items.readAll(), sweeps),
    laidOutRenewed: laidOut.filter(({ deed }) => deed === 'renewed').length,
    removed: truth.counts.swept - sweptBefore,
    renewed: faults.renewed,
    notFound: faults.notFound,
    handedOn: handedOn(execution),
  };
}

async function layOut(
  { id, ttl, olderStamp, deed }: InspectedItem,
  items: ChaosItems,
  truth: Truth,
  remember: (indexed: Indexed) => void,
): Promise<void> {
  const indexed = await items.write(id, 1, ttl, olderStamp);
  truth.wrote(id, 1, ttl, 'wrote');
  if (deed !== 'renewed' && deed !== 'deleted') return;
  if (indexed) remember(indexed);
  if (deed === 'renewed') await renew(id, ttl + RENEWED_SECONDS, items, truth);
  else truth.deleted(id, 1, await items.delete(id, 1));
}

async function renew(id: string, ttl: number, items: ChaosItems, truth: Truth): Promise<void> {
  if (await items.renew(id, 2, ttl)) truth.wrote(id, 2, ttl, 'renewed');
  else truth.tooLate(id);
}

/** The state machine of what was synthesized. */
export function machineOf({ machines }: Pick<LocalCloud, 'machines'>, tableName: string): string {
  const [machine] = machines;
  if (machine === undefined)
    throw new Error(`${tableName}: expected a state machine in what was synthesized`);
  return machine.name;
}

/** Children whose result names something to resume. */
function handedOn({ mapRuns }: Execution): number {
  const children = mapRuns.flatMap(({ executions }) => executions);
  return children.filter(({ output }) => hasResume(output)).length;
}

function hasResume(output: unknown): boolean {
  if (typeof output !== 'object' || output === null || !('resume' in output)) return false;
  return output.resume !== null && output.resume !== undefined;
}
