import { type Definition, loadDefinition } from 'stepfunctions-emulator';
import { TASKS } from '../../../statemachine/contract.ts';
import { type ConcurrencyOptions, sweepDefinition } from '../../../statemachine/definition.ts';
import type { FunctionArns } from '../../../statemachine/states.ts';

/** The state machine for a simulation: the ARNs of its functions end in the names of their files. */
export function simulatedDefinition(concurrency: ConcurrencyOptions): Definition {
  const functions = Object.fromEntries(
    Object.entries(TASKS).map(([task, file]) => [
      task,
      `arn:aws:lambda:us-east-1:123456789012:function:${file}`,
    ]),
  ) as FunctionArns;
  return loadDefinition(JSON.stringify(sweepDefinition(functions, concurrency)));
}
