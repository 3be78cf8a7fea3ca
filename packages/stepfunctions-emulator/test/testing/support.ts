import { functionArn, stateMachine } from '../../src/testing/index.ts';

/** A Task that calls a function by its ARN. */
export const task = (name: string, fields: object = { End: true }): object => ({
  Type: 'Task',
  Resource: functionArn(name),
  ...fields,
});

/** A definition of these states, the first of which is the start. */
export const definitionOf = (states: Record<string, object>, rest: object = {}): object => ({
  QueryLanguage: 'JSONata',
  StartAt: Object.keys(states)[0],
  States: states,
  ...rest,
});

/** A state machine of these states. */
export const machineOf = (
  states: Record<string, object>,
  options: Parameters<typeof stateMachine.from>[1] = {},
): ReturnType<typeof stateMachine.from> => stateMachine.from(definitionOf(states), options);
