import { Engine, type Execution, seededRandom, VirtualClock } from 'stepfunctions-emulator';
import type { PreciseTtlProps } from '../../config/props.ts';
import { secondsBehind } from '../../functions/child/swept-range.ts';
import { type Deletion, NO_DELETION } from '../../functions/delete-chunk/deletion.ts';
import {
  type NextRoundOptions,
  nextRound,
  type PlannedRound,
} from '../../functions/plan-sweep/next-round.ts';
import { startChildren } from '../../functions/plan-sweep/start-children.ts';
import { readSweepInput } from '../../functions/plan-sweep/sweep-input.ts';
import type { SweepSettings } from '../../functions/runtime/environment.ts';
import type { ReadIndex } from '../../functions/table/index-query.ts';
import { MemoryJournal } from '../../lab/fuzz/memory-journal.ts';
import type { PlanSweepInput, PlanSweepOutput } from '../../statemachine/contract/execution.ts';
import type { ExpiredKey, ItemKey } from '../../statemachine/contract/keys.ts';
import { TICK_TARGETS } from '../../statemachine/contract/limits.ts';
import type { MachineName, TASKS } from '../../statemachine/contract/machines.ts';
import type { RecordMetricsOutput, SweepReport } from '../../statemachine/contract/report.ts';
import type { SweepTarget } from '../../statemachine/contract/targets.ts';
import { SESSION_DATA } from './configs.ts';
import {
  type Machines,
  type SweepFunctions,
  simulatedFunctions,
  simulatedMachines,
} from './simulation/functions.ts';
import { carriedOf, settingsOf, type Tuning, windowsOf } from './sweep-settings.ts';

type FunctionName = (typeof TASKS)[keyof typeof TASKS];

export interface SweepRun {
  readonly execution: Execution;
  /** The output, or the cause of the failure. */
  readonly report: SweepReport;
  /** What each function was called with, and when (epoch milliseconds of the virtual clock). */
  readonly calls: { readonly name: FunctionName; readonly input: unknown; readonly at: number }[];
  /** Inputs of the executions of the replay machine that a tick started. */
  readonly handOvers: readonly unknown[];
  readonly clock: VirtualClock;
}

export const STARTED = Date.parse('2026-11-20T09:00:05.000Z');

const machines = new Map<string, Machines>();

/** The state machines of a table with these props. */
export function machinesWith(props: Partial<PreciseTtlProps & Tuning>): Machines {
  const id = JSON.stringify(props);
  const known = machines.get(id) ?? simulatedMachines([carriedOf({ ...SESSION_DATA, ...props })]);
  machines.set(id, known);
  return known;
}

/** What a test puts in the place of DynamoDB and Lambda. */
export interface World {
  /** What is expired, by window: keys whose last part is a number, which orders them. */
  readonly windows?: Readonly<Record<string, readonly ItemKey[]>>;
  /** Instead of one target for each window that holds something. */
  readonly plan?: NextRoundOptions['plan'];
  /** Around each Query; throws what the reader throws. */
  readonly query?: (window: string, startKey: ItemKey | null) => Promise<void>;
  /** Instead of deleting: what a batch comes to. Throws what the SDK throws. */
  readonly deletes?: (keys: readonly ExpiredKey[]) => Promise<Deletion>;
  /** Around each call of a function; throws what the function, or Lambda, throws. */
  readonly around?: <Output>(name: FunctionName, run: () => Promise<Output>) => Promise<Output>;
}

const INPUTS = {
  tick: { scheduledTime: '2026-11-20T09:00:00Z' },
  replay: { from: '2026-11-20T08:00:00Z', to: '2026-11-20T09:00:05Z' },
} as const satisfies Readonly<Record<MachineName, unknown>>;

/** Runs the real definition on the local engine, on a virtual clock, with all that the functions decide. */
export async function runSweep(
  worldOf: (clock: VirtualClock) => World,
  {
    machine: machineName = 'replay',
    input = INPUTS[machineName],
    props = {},
    seed = 1,
  }: {
    input?: unknown;
    machine?: MachineName;
    props?: Partial<PreciseTtlProps & Tuning>;
    seed?: number;
  } = {},
): Promise<SweepRun> {
  const clock = new VirtualClock(STARTED);
  const calls: SweepRun['calls'] = [];
  const world = worldOf(clock);
  const { around = (_name, run) => run() } = world;
  const random = seededRandom(seed);
  const functions = functionsAround(world, clock, random, props);
  const handOvers: unknown[] = [];
  const engine = new Engine({
    clock,
    random,
    resources: {
      invoke: async (_resource, args) => {
        handOvers.push((args as { readonly Input: unknown }).Input);
        return { ok: true, payload: {} };
      },
    },
    invoker: {
      async invoke(arn, payload) {
        const name = arn.split(':').at(-1) as FunctionName;
        calls.push({ name, input: structuredClone(payload), at: clock.now() });
        try {
          return { ok: true, payload: await around<unknown>(name, () => functions[name](payload as never)) };
        } catch (error) {
          const { name: errorType, message } = error as Error;
          return { ok: false, errorType, errorMessage: message };
        }
      },
    },
  });
  const machine = {
    arn: 'arn:aws:states:us-east-1:123456789012:stateMachine:precise-ttl',
    name: 'precise-ttl',
    roleArn: 'arn:aws:iam::123456789012:role/sweep',
    type: machineName === 'tick' ? 'EXPRESS' : 'STANDARD',
    definition: machinesWith(props)[machineName],
  } as const;
  const execution = engine.start(machine, { input });
  await execution.done;
  const text = execution.status === 'SUCCEEDED' ? JSON.stringify(execution.output) : execution.cause;
  const ended = safeParse(text);
  const { tables } = ended as Partial<RecordMetricsOutput>;
  return {
    execution,
    report: tables?.[SESSION_DATA.tableName] ?? (ended as SweepReport),
    calls,
    handOvers,
    clock,
  };
}

function safeParse(text: string | undefined): SweepReport | Partial<RecordMetricsOutput> {
  try {
    const parsed: unknown = JSON.parse(text ?? 'null');
    return (typeof parsed === 'string' ? JSON.parse(parsed) : parsed) as SweepReport;
  } catch {
    return text as never;
  }
}

/** An error as a function throws it. */
export function thrown(name: string, message = name): Error {
  return Object.assign(new Error(message), { name });
}

/** What is expired at the tick, in one window. */
export function target(name = 'w'): SweepTarget {
  const windows = [{ start: FIRST_WINDOW + Number.parseInt(name, 36), shards: '0' }];
  return { windows, from: 1, before: 2_000_000_000, upcomingFrom: null };
}

/** The name of a target's window. */
export function windowName({ windows: [window] }: Pick<SweepTarget, 'windows'>): string {
  return ((window?.start ?? FIRST_WINDOW) - FIRST_WINDOW).toString(36);
}

/** Each name is a number of seconds behind it. */
const FIRST_WINDOW = Date.parse('2026-11-20T00:00:00Z') / 1000;

/** The TTL of everything in a memory table: five seconds before the execution starts. */
export const EXPIRED = STARTED / 1000 - 5;

export function itemKeys(count: number, prefix = 'item'): ItemKey[] {
  return Array.from({ length: count }, (_unused, index) => ({ id: { S: `${prefix}-${index}` } }));
}

/** A plan of these targets. */
export function planOf(due: readonly SweepTarget[], overrides: Partial<PlannedRound> = {}): PlannedRound {
  return { due, cursor: null, oldestOverdueSeconds: 0, ...overrides };
}

/** All keys of a batch deleted; spread and overwrite. */
export function allDeleted(keys: readonly ExpiredKey[]): Deletion {
  return { ...NO_DELETION, deleted: keys.length };
}

/** None of a batch can be deleted. */
export function allFailed(keys: readonly ExpiredKey[], reason = 'ValidationError'): Deletion {
  return { ...NO_DELETION, failed: keys.map(({ key }) => ({ key, reason })) };
}

/** Answers of a function that its own code does not give, to see what the machine makes of them. */
export function answering(name: string, change: (answer: object) => unknown): Pick<World, 'around'> {
  return {
    around: async <Output>(called: string, run: () => Promise<Output>) => {
      const answer = await run();
      return called === name ? (change(answer as object) as Output) : answer;
    },
  };
}

/** Two of these in a state are more than it may hand on. */
export const TOO_MUCH = 'x'.repeat(150_000);

/** A table in memory: everything in it is expired. */
function functionsAround(
  { windows = {}, query = async () => undefined, ...world }: World,
  clock: VirtualClock,
  random: ReturnType<typeof seededRandom>,
  props: Partial<PreciseTtlProps & Tuning>,
): SweepFunctions {
  const left = new Map(
    Object.entries(windows).map(([name, keys]) => [name, new Set(keys.map(key => JSON.stringify(key)))]),
  );
  // Like DynamoDB's: a page goes on behind a position, whether or not the item there is still in the table.
  const number = (key: string) => Number(key.match(/-(\d+)/)?.[1]);
  const readIndex: ReadIndex = async ({ value }, range, startKey, limit) => {
    const window = windowName({ windows: windowsOf(String(value)) });
    await query(window, startKey);
    const behind = startKey === null ? -1 : number(JSON.stringify(startKey));
    const isInRange = range.from <= EXPIRED && EXPIRED <= range.upTo;
    const rest = [...(isInRange ? (left.get(window) ?? []) : [])].filter(key => number(key) > behind);
    const entries = rest.slice(0, limit).map((key): ExpiredKey => ({ key: JSON.parse(key), ttl: EXPIRED }));
    return {
      entries,
      positions: entries.map(({ key }) => key),
      more: rest.length > limit,
      readAt: Math.floor(clock.now() / 1000),
    };
  };
  const planned =
    world.plan ??
    (async () => planOf([...left].flatMap(([name, keys]) => (keys.size > 0 ? [target(name)] : []))));
  const functions = simulatedFunctions({
    clock,
    random,
    journal: new MemoryJournal(() => clock.now()),
    dynamoDbOf: () => ({
      readIndex,
      deleteBatch: async keys => {
        const done = await (world.deletes ?? (async all => allDeleted(all)))(keys);
        const kept = [...done.unprocessed, ...done.failed].map(({ key }) => JSON.stringify(key));
        for (const { key } of keys) {
          const id = JSON.stringify(key);
          if (!kept.includes(id)) for (const each of left.values()) each.delete(id);
        }
        return done;
      },
    }),
  });
  return {
    ...functions,
    'plan-sweep': input => planAround(input, planned, settingsOf({ ...SESSION_DATA, ...props })),
  };
}

/** The plan of an execution whose table is asked by the test. */
async function planAround(
  { machine, executionInput, startedAt, soFar, tables: [carried] }: PlanSweepInput,
  plan: NextRoundOptions['plan'],
  settings: SweepSettings,
): Promise<PlanSweepOutput> {
  if (carried === undefined) throw new Error('no table');
  const request = readSweepInput(executionInput, Date.parse(startedAt), settings);
  const behindSeconds = secondsBehind(settings);
  const table = carried.tableName;
  if (machine === 'tick') {
    const { due: targets, oldestOverdueSeconds } = await plan(null, TICK_TARGETS);
    const options = {
      dryRun: false,
      limit: request.limit,
      concurrency: 0,
      behindSeconds,
      collected: TICK_TARGETS,
    };
    const due = startChildren(targets, options).map(child => ({ table, ...child }));
    const sweeps = {
      [table]: { settings: carried, planned: { targets: due.length, oldestOverdueSeconds } },
    };
    const isIdle = due.length === 0;
    return {
      next: isIdle ? 'end' : 'sweep',
      due,
      parts: [],
      last: true,
      results: [],
      sweeps: isIdle ? {} : sweeps,
      report: null,
    };
  }
  const progress = soFar?.sweeps[table]?.progress;
  const {
    progress: next,
    due,
    ...round
  } = await nextRound(soFar && progress ? { ...soFar, progress } : null, {
    dryRun: request.dryRun,
    limit: request.limit,
    concurrency: settings.shardConcurrency,
    behindSeconds,
    plan,
  });
  return {
    ...round,
    due: due.map(child => ({ table, ...child })),
    parts: [],
    sweeps: { [table]: { settings: carried, progress: next } },
  };
}
