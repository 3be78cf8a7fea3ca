import { functionArn, stateMachine } from '../../src/testing/index.ts';
import { machineOf as definitionOf } from '../interpreter/run-definition.ts';

/** A Task that calls a function by its ARN. */
export const task = (name: string, fields: object = { End: true }): object => ({
  Type: 'Task',
  Resource: functionArn(name),
  ...fields,
});

export { definitionOf };

/** A state machine of these states. */
export const machineOf = (
  states: Record<string, object>,
  options: Parameters<typeof stateMachine.from>[1] = {},
): ReturnType<typeof stateMachine.from> => stateMachine.from(definitionOf(states), options);
