import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Machine } from '../interpreter/index.ts';
import { ApiError, stateMachineDoesNotExist } from './errors.ts';

/** Accepted, given back, and without effect: nothing is logged or traced locally. */
export type Configuration = Readonly<Record<string, unknown>>;

/** What AWS describes when none was given. */
export const NO_LOGGING: Configuration = { level: 'OFF', includeExecutionData: false };
export const NO_TRACING: Configuration = { enabled: false };

/** A state machine as it is described. It never changes: an update puts another in its place. */
export interface StateMachine extends Machine {
  readonly definitionText: string;
  readonly loggingConfiguration: Configuration;
  readonly tracingConfiguration: Configuration;
  /** Epoch milliseconds. */
  readonly creationDate: number;
  readonly updateDate: number;
  /** Of the last update; a state machine that was never updated has none. */
  readonly revisionId: string | undefined;
}

export type NewStateMachine = Omit<StateMachine, 'creationDate' | 'updateDate' | 'revisionId'>;
export type StateMachineUpdate = Partial<
  Pick<
    StateMachine,
    'definition' | 'definitionText' | 'roleArn' | 'loggingConfiguration' | 'tracingConfiguration'
  >
>;

/** AWS allows this many tags on a resource. */
const MAX_TAGS = 50;

/** The state machines of the local account and their tags. */
export class StateMachines {
  readonly #byArn = new Map<string, StateMachine>();
  readonly #tags = new Map<string, Map<string, string>>();
  readonly #now: () => number;

  /** @param now epoch milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** By name. */
  get all(): readonly StateMachine[] {
    return [...this.#byArn.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** @throws {ApiError} StateMachineDoesNotExist */
  get(arn: string): StateMachine {
    const found = this.#byArn.get(arn);
    if (found === undefined) throw stateMachineDoesNotExist(arn);
    return found;
  }

  /**
   * The same state machine may be created again, which changes nothing.
   *
   * @throws {ApiError} StateMachineAlreadyExists when another one has the name
   */
  create(machine: NewStateMachine): StateMachine {
    const existing = this.#byArn.get(machine.arn);
    if (existing !== undefined) {
      if (same(existing, machine)) return existing;
      throw new ApiError('StateMachineAlreadyExists', `State Machine Already Exists: '${machine.arn}'`);
    }
    const now = this.#now();
    const created = { ...machine, creationDate: now, updateDate: now, revisionId: undefined };
    this.#byArn.set(machine.arn, created);
    this.#tags.set(machine.arn, new Map());
    return created;
  }

  /** Executions that run keep the definition they were started with. */
  update(arn: string, changes: StateMachineUpdate): StateMachine {
    const updated = { ...this.get(arn), ...changes, updateDate: this.#now(), revisionId: randomUUID() };
    this.#byArn.set(arn, updated);
    return updated;
  }

  /** Whether there was one. */
  delete(arn: string): boolean {
    this.#tags.delete(arn);
    return this.#byArn.delete(arn);
  }

  /** @returns undefined when there is no such state machine */
  tags(arn: string): ReadonlyMap<string, string> | undefined {
    return this.#tags.get(arn);
  }

  tag(arn: string, tags: ReadonlyMap<string, string>): void {
    const all = new Map([...(this.#tags.get(arn) ?? []), ...tags]);
    if (all.size > MAX_TAGS) {
      throw new ApiError('TooManyTags', `Too many tags: expected at most ${MAX_TAGS}, got ${all.size}`, 400, {
        resourceName: arn,
      });
    }
    this.#tags.set(arn, all);
  }

  untag(arn: string, keys: readonly string[]): void {
    for (const key of keys) this.#tags.get(arn)?.delete(key);
  }
}

/** What has to be equal; tags may differ and are then left as they were. */
function same(one: StateMachine, other: NewStateMachine): boolean {
  return (
    one.definitionText === other.definitionText &&
    one.type === other.type &&
    one.roleArn === other.roleArn &&
    isDeepStrictEqual(one.loggingConfiguration, other.loggingConfiguration) &&
    isDeepStrictEqual(one.tracingConfiguration, other.tracingConfiguration)
  );
}
