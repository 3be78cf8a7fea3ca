import { type Definition, loadDefinition } from 'stepfunctions-emulator';
import type { CarriedSettings } from '../../../statemachine/contract/inputs.ts';
import { TASKS } from '../../../statemachine/contract/machines.ts';
import { replayDefinition, tickDefinition } from '../../../statemachine/definition.ts';
import type { FunctionArns } from '../../../statemachine/states.ts';

/** The two state machines of a deployment. */
export interface Machines {
  readonly tick: Definition;
  readonly replay: Definition;
}

/**
 * The state machines for a simulation of these tables: the ARNs of their functions end in the names of their files.
 *
 * @param functionsArn what these begin with
 */
export function simulatedMachines(
  tables: readonly CarriedSettings[],
  functionsArn = 'arn:aws:lambda:us-east-1:123456789012:function',
): Machines {
  const functions = Object.fromEntries(
    Object.entries(TASKS).map(([task, file]) => [task, `${functionsArn}:${file}`]),
  ) as FunctionArns;
  const load = (definition: unknown) => loadDefinition(JSON.stringify(definition), 'STANDARD');
  return {
    tick: load(tickDefinition(functions, { tables })),
    replay: load(replayDefinition(functions, { tables })),
  };
}
