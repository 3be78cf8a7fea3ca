import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Aliases } from './aliases.ts';
import { ApiError, stateMachineDoesNotExist } from './errors.ts';
import type { NewStateMachine, StateMachine, StateMachineUpdate } from './state-machine.ts';
import { Versions } from './versions.ts';

/** AWS allows this many tags on a resource. */
const MAX_TAGS = 50;

/** The state machines of the local account, their versions, aliases and tags. */
export class StateMachines {
  readonly versions: Versions;
  readonly aliases: Aliases;
  readonly #byArn = new Map<string, StateMachine>();
  readonly #tags = new Map<string, Map<string, string>>();
  readonly #now: () => number;

  /** @param now epoch milliseconds */
  constructor(now: () => number) {
    this.#now = now;
    this.versions = new Versions(now);
    this.aliases = new Aliases(now);
  }

  /** Current time of the executions' clock, epoch milliseconds. */
  get now(): number {
    return this.#now();
  }

  /** All state machines, sorted by name. */
  get all(): readonly StateMachine[] {
    return [...this.#byArn.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  find(arn: string): StateMachine | undefined {
    return this.#byArn.get(arn);
  }

  /** @throws {ApiError} StateMachineDoesNotExist */
  get(arn: string): StateMachine {
    const found = this.#byArn.get(arn);
    if (found === undefined) throw stateMachineDoesNotExist(arn);
    return found;
  }

  /**
   * Creates a state machine. Creating an identical one again changes nothing.
   * @throws {ApiError} StateMachineAlreadyExists when another one has the name
   */
  create(machine: NewStateMachine): StateMachine {
    const existing = this.#byArn.get(machine.arn);
    if (existing !== undefined) {
      if (same(existing, machine) && isDeepStrictEqual(existing.publication, machine.publication)) {
        return existing;
      }
      throw new ApiError('StateMachineAlreadyExists', `State Machine Already Exists: '${machine.arn}'`);
    }
    const now = this.#now();
    const created = { ...machine, creationDate: now, updateDate: now, revisionId: undefined };
    this.#byArn.set(machine.arn, created);
    this.#tags.set(machine.arn, new Map());
    return created;
  }

  /**
   * Updates a state machine. Running executions keep the definition they were started with. An update without changes makes no new
   * revision.
   */
  update(arn: string, changes: StateMachineUpdate): StateMachine {
    const existing = this.get(arn);
    const updated = { ...existing, ...changes, updateDate: this.#now() };
    const revised = same(existing, updated) ? updated : { ...updated, revisionId: randomUUID() };
    this.#byArn.set(arn, revised);
    return revised;
  }

  /** Deletes a state machine with its versions and aliases. Returns whether it existed. */
  delete(arn: string): boolean {
    this.#tags.delete(arn);
    this.versions.forget(arn);
    this.aliases.forget(arn);
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

/** Compares all fields that must be equal; tags may differ and are not changed. */
function same(one: StateMachine, other: NewStateMachine): boolean {
  return (
    one.definitionText === other.definitionText &&
    one.type === other.type &&
    one.roleArn === other.roleArn &&
    isDeepStrictEqual(one.loggingConfiguration, other.loggingConfiguration) &&
    isDeepStrictEqual(one.tracingConfiguration, other.tracingConfiguration) &&
    isDeepStrictEqual(one.encryptionConfiguration, other.encryptionConfiguration)
  );
}
