import type { Machine } from '../interpreter/index.ts';

/** Settings that are accepted, returned, and have no effect: nothing is logged, traced or encrypted locally. */
export type Configuration = Readonly<Record<string, unknown>>;

/** The configuration that AWS returns when none was given. */
export const NO_LOGGING: Configuration = { level: 'OFF', includeExecutionData: false };
export const NO_TRACING: Configuration = { enabled: false };

/** A state machine as the API describes it. It is immutable: an update replaces it. */
export interface StateMachine extends Machine {
  readonly definitionText: string;
  readonly loggingConfiguration: Configuration;
  readonly tracingConfiguration: Configuration;
  readonly encryptionConfiguration?: Configuration | undefined;
  /** Epoch milliseconds. */
  readonly creationDate: number;
  readonly updateDate: number;
}

export type NewStateMachine = Omit<StateMachine, 'creationDate' | 'updateDate'>;
export type StateMachineUpdate = Partial<
  Pick<
    StateMachine,
    | 'definition'
    | 'definitionText'
    | 'roleArn'
    | 'loggingConfiguration'
    | 'tracingConfiguration'
    | 'encryptionConfiguration'
  >
>;
