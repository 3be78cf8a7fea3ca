import type { Machine } from '../interpreter/index.ts';

/** A state machine as the API describes it. It is immutable: an update replaces it. */
export interface StateMachine extends Machine {
  readonly definitionText: string;
  /** Epoch milliseconds. */
  readonly creationDate: number;
  readonly updateDate: number;
}

export type NewStateMachine = Omit<StateMachine, 'creationDate' | 'updateDate'>;
export type StateMachineUpdate = Partial<Pick<StateMachine, 'definition' | 'definitionText' | 'roleArn'>>;
