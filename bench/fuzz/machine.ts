import {
  type Clock,
  Engine,
  type Execution,
  loadDefinition,
  type RandomSource,
} from 'stepfunctions-emulator';
import { isObject } from '../../expiry/fields.ts';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import {
  type FunctionArns,
  type MachineName,
  TASKS,
  type TaskName,
} from '../../statemachine/contract/machines.ts';
import { replayDefinition, tickDefinition } from '../../statemachine/definition.ts';
import type { CallFunction } from './functions.ts';
import type { CallTally } from './sdk.ts';

export interface Called {
  readonly tally: CallTally;
  readonly isReceived: boolean;
}

interface MachineOptions {
  readonly tables: readonly CarriedSettings[];
  /** Tables from the deployment's update on. The update is at `updatedAt`, epoch milliseconds. */
  readonly laterTables: readonly CarriedSettings[];
  readonly updatedAt: number;
  readonly clock: Clock;
  /** How far Step Functions' clock is ahead of `clock` now, milliseconds. */
  readonly aheadMs: () => number;
  readonly random: RandomSource;
  readonly call: CallFunction;
}

export interface Started {
  readonly execution: Execution;
  readonly calls: readonly Called[];
}

const ARN = 'arn:aws:states:us-east-1:123456789012:stateMachine:fuzz';

export function machinesOf({ clock, aheadMs, random, call, updatedAt, ...options }: MachineOptions) {
  const machineClock: Clock = {
    now: () => clock.now() + aheadMs(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    schedule: (ms, callback) => clock.schedule(ms, callback),
    busy: work => clock.busy(work),
  };
  const functions = Object.fromEntries(
    Object.keys(TASKS).map(task => [task, `arn:aws:lambda:us-east-1:123456789012:function:${task}`]),
  ) as FunctionArns;
  const machine = (arn: string, type: 'EXPRESS' | 'STANDARD', definition: object) => ({
    ...{ name: 'fuzz', roleArn: 'arn:aws:iam::123456789012:role/sweep', arn, type },
    definition: loadDefinition(JSON.stringify(definition), 'STANDARD'),
  });
  const deployed = (tables: readonly CarriedSettings[]) => ({
    tick: machine(ARN, 'EXPRESS', tickDefinition(functions, { tables })),
    replay: machine(`${ARN}-replay`, 'STANDARD', replayDefinition(functions, { tables })),
  });
  const [first, second] = [deployed(options.tables), deployed(options.laterTables)];

  return (name: MachineName, input: unknown): Started => {
    const calls: { tally: CallTally; isReceived: boolean }[] = [];
    const startedAt = clock.now();
    const machines = startedAt < updatedAt ? first : second;
    // Each execution has its own engine, so all calls of the engine belong to the execution.
    const engine = new Engine({
      clock: machineClock,
      random,
      invoker: {
        invoke: async (arn, payload, { signal }) => {
          // After the update, an execution that began before the update sends the older version's settings to the new functions.
          const isFormer = machines === first && clock.now() >= updatedAt;
          const given = isFormer ? asFormer(payload, Math.floor(startedAt / 60_000) % 2 === 0) : payload;
          const own = { tally: new Map(), isReceived: false };
          calls.push(own);
          const result = await call(arn.split(':').at(-1) as TaskName, given, own.tally);
          own.isReceived = result.ok && !signal.aborted;
          return result;
        },
      },
    });
    return { execution: engine.start(machines[name], { input }), calls };
  };
}

/** Returns the payload as an older version sends it: each table has an additional setting, or lacks the setting `logKeys`. */
function asFormer(payload: unknown, hasMore: boolean): unknown {
  return JSON.parse(JSON.stringify(payload), (_name, value) => {
    if (!isObject(value) || !('tableName' in value)) return value;
    const { logKeys, ...others } = value;
    return hasMore ? { ...value, setting: 1 } : others;
  });
}
