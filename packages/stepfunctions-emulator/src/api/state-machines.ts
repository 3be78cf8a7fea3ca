import type { Machine } from '../interpreter/index.ts';
import { ApiError, stateMachineDoesNotExist } from './errors.ts';

/** A state machine with the data that the API returns. An update makes a new object, so that running executions keep the old definition. */
export interface StateMachine extends Machine {
  readonly definitionText: string;
  /** Epoch milliseconds. */
  readonly creationDate: number;
  readonly updateDate: number;
}

export type NewStateMachine = Omit<StateMachine, 'creationDate' | 'updateDate'>;
type StateMachineUpdate = Partial<Pick<StateMachine, 'definition' | 'definitionText' | 'roleArn'>>;

export class StateMachines {
  readonly #byArn = new Map<string, StateMachine>();
  readonly #now: () => number;

  /** @param now returns the current time, epoch milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  get now(): number {
    return this.#now();
  }

  get all(): readonly StateMachine[] {
    return [...this.#byArn.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  find(arn: string): StateMachine | undefined {
    return this.#byArn.get(arn);
  }

  get(arn: string): StateMachine {
    const found = this.#byArn.get(arn);
    if (found === undefined) throw stateMachineDoesNotExist(arn);
    return found;
  }

  /**
   * Creates a state machine, unless an identical state machine exists.
   * @throws {ApiError} StateMachineAlreadyExists when the state machine with this ARN has another definition, type or role
   */
  create(machine: NewStateMachine): StateMachine {
    const existing = this.#byArn.get(machine.arn);
    if (existing !== undefined) {
      if (same(existing, machine)) return existing;
      throw new ApiError('StateMachineAlreadyExists', `State Machine Already Exists: '${machine.arn}'`);
    }
    const now = this.#now();
    const created = { ...machine, creationDate: now, updateDate: now };
    this.#byArn.set(machine.arn, created);
    return created;
  }

  update(arn: string, changes: StateMachineUpdate): StateMachine {
    const updated = { ...this.get(arn), ...changes, updateDate: this.#now() };
    this.#byArn.set(arn, updated);
    return updated;
  }

  delete(arn: string): boolean {
    return this.#byArn.delete(arn);
  }
}

const same = (one: StateMachine, other: NewStateMachine): boolean =>
  one.definitionText === other.definitionText && one.type === other.type && one.roleArn === other.roleArn;
