import { type Clock, Engine, loadDefinition, type RandomSource } from 'stepfunctions-emulator';
import { isObject } from '../../expiry/fields.ts';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import { type FunctionArns, type MachineName, TASKS } from '../../statemachine/contract/machines.ts';
import { replayDefinition, tickDefinition } from '../../statemachine/definition.ts';
import type { CallFunction } from './functions.ts';
import type { CallTally } from './sdk.ts';

interface Called {
  readonly tally: CallTally;
  readonly isReceived: boolean;
}

export interface EndedSweep {
  readonly name: string;
  readonly status: string;
  readonly error: string | undefined;
  /** JSON text of the output, or cause of the failure. */
  readonly text: string | undefined;
  readonly calls: readonly Called[];
}

interface Deployment {
  readonly tables: readonly CarriedSettings[];
  readonly at: number;
}

interface MachineOptions {
  readonly deployments: readonly Deployment[];
  readonly clock: Clock;
  /** How far Step Functions' clock is ahead of DynamoDB's clock now, milliseconds. */
  readonly aheadMs: () => number;
  readonly random: RandomSource;
  readonly call: CallFunction;
}

export interface Started {
  readonly ended: Promise<EndedSweep>;
  readonly stop: () => void;
}

const ARN = 'arn:aws:states:us-east-1:123456789012:stateMachine:fuzz';
const REPLAY_ARN = `${ARN}-replay`;

export function machinesOf({ deployments, clock, aheadMs, random, call }: MachineOptions) {
  const machineClock: Clock = {
    now: () => clock.now() + aheadMs(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    schedule: (ms, callback) => clock.schedule(ms, callback),
    busy: work => clock.busy(work),
  };
  const functions = Object.fromEntries(
    Object.entries(TASKS).map(([task, file]) => [
      task,
      `arn:aws:lambda:us-east-1:123456789012:function:${file}`,
    ]),
  ) as FunctionArns;
  const load = (definition: object) => loadDefinition(JSON.stringify(definition), 'STANDARD');
  const deployed = deployments.map(({ tables, at }) => {
    const tick = load(tickDefinition(functions, { tables }));
    const replay = load(replayDefinition(functions, { tables }));
    const machines = {
      tick: { arn: ARN, type: 'EXPRESS', definition: tick },
      replay: { arn: REPLAY_ARN, type: 'STANDARD', definition: replay },
    } as const;
    return { at, machines };
  });

  return (name: MachineName, input: unknown): Started => {
    const calls: { tally: CallTally; isReceived: boolean }[] = [];
    const startedAt = clock.now();
    const { machines } = deployed.findLast(({ at }) => at <= startedAt) ?? raise('nothing is deployed');
    const next = deployed.find(({ at }) => at > startedAt);
    // Each execution has its own engine, so all calls of the engine belong to the execution.
    const engine = new Engine({
      clock: machineClock,
      random,
      invoker: {
        invoke: async (arn, payload, { signal }) => {
          // An execution that began before an update sends settings of the older version to the new functions: one setting more or less.
          const isFormer = next !== undefined && clock.now() >= next.at;
          const given = isFormer ? asFormer(payload, Math.floor(startedAt / 60_000) % 2 === 0) : payload;
          const own = { tally: new Map(), isReceived: false };
          calls.push(own);
          const result = await call(arn.split(':').at(-1) ?? '', given, own.tally);
          own.isReceived = result.ok && !signal.aborted;
          return result;
        },
      },
    });
    const machine = {
      name: 'fuzz',
      roleArn: 'arn:aws:iam::123456789012:role/sweep',
      ...machines[name],
    };
    const started = engine.start(machine, { input });
    return {
      ended: started.done.then(({ name: execution, status, error, outputText, cause }) => {
        return { name: execution, status, error, text: status === 'SUCCEEDED' ? outputText : cause, calls };
      }),
      stop: () => started.stop(),
    };
  };
}

/** Returns the payload as an older version sends it: each table has an additional setting, or lacks the setting `logKeys`. */
function asFormer(payload: unknown, hasMore: boolean): unknown {
  if (Array.isArray(payload)) return payload.map(each => asFormer(each, hasMore));
  if (!isObject(payload)) return payload;
  if (!('tableName' in payload))
    return Object.fromEntries(
      Object.entries(payload).map(([name, value]) => [name, asFormer(value, hasMore)]),
    );
  const { logKeys, ...others } = payload;
  return hasMore ? { ...payload, setting: 1 } : others;
}

function raise(message: string): never {
  throw new TypeError(message);
}
