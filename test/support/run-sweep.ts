import { toChunks } from '../../functions/lib/page.ts';
import { Engine, type Execution, loadDefinition, seededRandom } from '../../local/asl/index.ts';
import { VirtualClock } from '../../local/clock.ts';
import type { SweepFunctions } from '../../local/simulation/simulation.ts';
import type { PreciseTtlProps } from '../../stacks/props.ts';
import type {
  DeleteChunkOutput,
  ExpiredKey,
  ItemKey,
  PlanSweepOutput,
  SweepReport,
  SweepTarget,
  TASKS,
} from '../../statemachine/contract.ts';
import { configOf, definitionOf, SESSION_DATA, terraformJson } from './synthesized.ts';

type FunctionName = (typeof TASKS)[keyof typeof TASKS];

export interface SweepRun {
  readonly execution: Execution;
  /** The output, or the cause of the failure. */
  readonly report: SweepReport;
  /** What each function was called with, and when (epoch milliseconds of the virtual clock). */
  readonly calls: { readonly name: FunctionName; readonly input: unknown; readonly at: number }[];
  readonly clock: VirtualClock;
}

export const STARTED = Date.parse('2026-11-20T09:00:05.000Z');

const definitions = new Map<string, ReturnType<typeof loadDefinition>>();

/** The synthesized definition of a table with these props. */
export function definitionWith(props: Partial<PreciseTtlProps>) {
  const id = JSON.stringify(props);
  const known = definitions.get(id);
  if (known) return known;
  const { definition } = definitionOf(terraformJson(configOf({ ...SESSION_DATA, ...props })));
  const loaded = loadDefinition(definition);
  definitions.set(id, loaded);
  return loaded;
}

/** Runs the real synthesized definition on the local engine, on a virtual clock, with these functions. */
export async function runSweep(
  functions: (clock: VirtualClock) => SweepFunctions,
  {
    input = { scheduledTime: '2026-11-20T09:00:00Z' },
    props = {},
    seed = 1,
  }: {
    input?: unknown;
    props?: Partial<PreciseTtlProps>;
    seed?: number;
  } = {},
): Promise<SweepRun> {
  const clock = new VirtualClock(STARTED);
  const calls: SweepRun['calls'] = [];
  const table = functions(clock);
  const engine = new Engine({
    clock,
    random: seededRandom(seed),
    invoker: {
      async invoke(arn, payload) {
        const name = arn.split(':').at(-1) as FunctionName;
        calls.push({ name, input: structuredClone(payload), at: clock.now() });
        try {
          const answer = await (table[name](payload as never) as Promise<unknown>);
          return { ok: true, payload: answer ?? null };
        } catch (error) {
          const { name: errorType, message } = error as Error;
          return { ok: false, errorType, errorMessage: message };
        }
      },
    },
  });
  const arn = 'arn:aws:states:us-east-1:123456789012:stateMachine:precise-ttl-SessionData';
  const roleArn = 'arn:aws:iam::123456789012:role/sweep';
  const machine = {
    arn,
    name: 'precise-ttl-SessionData',
    roleArn,
    type: 'STANDARD',
    definition: definitionWith(props),
  } as const;
  const execution = engine.start(machine, { input });
  await execution.done;
  const text = execution.status === 'SUCCEEDED' ? JSON.stringify(execution.output) : execution.cause;
  return { execution, report: safeParse(text), calls, clock };
}

function safeParse(text: string | undefined): SweepReport {
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
export function target(windowKey = 'w'): SweepTarget {
  return { windowKeys: [windowKey], from: 1, before: 2_000_000_000, cutoff: EXPIRED, lookAt: null };
}

/** The TTL of everything in a memory table: five seconds before the execution starts. */
export const EXPIRED = STARTED / 1000 - 5;

export function itemKeys(count: number, prefix = 'item'): ItemKey[] {
  return Array.from({ length: count }, (_unused, index) => ({ id: { S: `${prefix}-${index}` } }));
}

/** A plan of these targets. */
export function planOf(
  due: readonly SweepTarget[],
  overrides: Partial<PlanSweepOutput> = {},
): PlanSweepOutput {
  return { due, cursor: null, dryRun: false, oldestOverdueSeconds: 0, ...overrides };
}

/** What DeleteChunk answers when it did nothing; spread and overwrite. */
export const NOTHING: DeleteChunkOutput = {
  deleted: 0,
  renewed: 0,
  alreadyGone: 0,
  unprocessed: [],
  failed: [],
  lagCounts: {},
  lagMaxMs: 0,
};

/** Functions over a table in memory: everything in it is expired, and every delete succeeds. */
export function memoryTable(
  shards: Record<string, ItemKey[]>,
  overrides: Partial<SweepFunctions> = {},
): SweepFunctions {
  const left = new Map(
    Object.entries(shards).map(([name, keys]) => [name, keys.map(key => JSON.stringify(key))]),
  );
  const PAGE = 1000;
  return {
    'plan-sweep': async () =>
      planOf([...left].filter(([, keys]) => keys.length > 0).map(([name]) => target(name))),
    'query-expired': async ({ target: { windowKeys, cutoff }, position, dryRun }) => {
      // Like DynamoDB's: a page goes on behind a position, whether or not the item there is still in the table.
      const number = (key: string) => Number(key.match(/-(\d+)/)?.[1]);
      const behind = position ? number(JSON.stringify(position.key)) : -1;
      const rest = (left.get(windowKeys[0] ?? '') ?? []).filter(key => number(key) > behind);
      const page = rest.slice(0, PAGE).map((key): ExpiredKey => ({ key: JSON.parse(key), ttl: EXPIRED }));
      return {
        found: page.length,
        chunks: dryRun ? [] : toChunks(page),
        sampleKeys: dryRun ? page.slice(0, 20).map(({ key }) => key) : [],
        cutoff: cutoff ?? EXPIRED,
        position: rest.length > PAGE ? { window: 0, key: page.at(-1)?.key ?? null } : null,
        lookAt: null,
      };
    },
    'delete-chunk': async ({ keys }) => {
      const gone = new Set(keys.map(({ key }) => JSON.stringify(key)));
      for (const [name, all] of left) {
        left.set(
          name,
          all.filter(key => !gone.has(key)),
        );
      }
      return { ...NOTHING, deleted: keys.length };
    },
    'record-metrics': async () => ({ lagMs: null }),
    ...overrides,
  };
}
