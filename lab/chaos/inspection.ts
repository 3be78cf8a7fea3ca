import type { Execution } from 'stepfunctions-emulator';
import type { ExpiryModel } from '../../expiry/index.ts';
import type { LocalCloud } from '../../local/cloud.ts';
import { schedulerTime } from '../../local/scheduler/scheduler.ts';
import { type ChooseFault, type FaultProxy, startFaultProxy } from '../faults/index.ts';
import { endOf } from '../ledger/accounts.ts';
import type { WatchedTable } from '../watch/watched-table.ts';
import { type Indexed, indexedOf } from './indexed.ts';
import { InspectionFaults } from './inspection-faults.ts';
import type { InspectedItem, Inspection } from './inspection-plan.ts';
import type { InspectedSweep } from './inspection-verdict.ts';
import { UnansweredDeletes } from './unanswered-deletes.ts';

/**
 * How long a child has, from its start, before it is too old to go on. Long enough to delete what DynamoDB takes, too
 * short for what it takes after a while.
 */
const CHILD_LIFE_MS = 8_000;
/** The first child does not get through, even when it begins a wait at the end of its life; the second one does. */
const BUSY_MS = 11_000;
const HAS_TO_GO: readonly InspectedItem['deed'][] = ['none', 'renewed by a second', 'released'];
/** Even what expired a day ago is renewed for a day. */
const RENEWED_SECONDS = 2 * 86_400;

/** Stands between the functions of the inspected sweeps and DynamoDB, and makes their children old. */
export class InspectionEnvironment {
  /** For the cloud that runs the sweeps. */
  readonly deletes = new UnansweredDeletes();
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
  readonly table: WatchedTable;
  readonly model: ExpiryModel;
  /** Ends it early. */
  readonly until: AbortSignal;
  /** What was laid out for the sweeps inspected before: the index has it still. */
  readonly before: InspectedItem[];
}

/** Lays out the items, lets the sweep run over them and everything else, and says what it did and what it left. */
export async function inspect(
  { name, input, items: laidOut, sweeps }: Inspection,
  context: InspectionContext,
): Promise<InspectedSweep> {
  const { cloud, environment, tableName, table, until, before } = context;
  await Promise.all(laidOut.map(item => layOut(item, context)));
  await table.caughtUp();
  const sweptBefore = table.ledger.counts.swept;
  const unansweredBefore = environment.deletes.count;
  const faults = new InspectionFaults({
    items: [...before, ...laidOut],
    busyMs: BUSY_MS,
    renewByASecond: ({ id, ttl }) => table.act({ kind: 'renew', item: id, ttl: ttl + 1 }),
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
  await table.caughtUp();
  before.push(...laidOut);
  return {
    name,
    ended: endOf(execution),
    laidOut: laidOut.filter(({ deed }) => HAS_TO_GO.includes(deed)).length,
    left: table.ledger.left(await table.readAll(), sweeps),
    laidOutRenewed: laidOut.filter(({ deed }) => deed === 'renewed').length,
    removed: table.ledger.counts.swept - sweptBefore,
    renewed: faults.renewed,
    notFound: faults.notFound,
    handedOn: handedOn(execution),
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
