import { isDeepStrictEqual } from 'node:util';
import type { RandomSource } from '../interpreter/index.ts';
import { ApiError, referenceNotFound } from './errors.ts';

/** The share of executions that run a version. */
export interface Route {
  readonly versionArn: string;
  /** Percent. */
  readonly weight: number;
}

/** A name for one version of a state machine, or for two that share the executions. It is immutable. */
export interface StateMachineAlias {
  /** `<ARN of the state machine>:<name>` */
  readonly arn: string;
  readonly machineArn: string;
  readonly name: string;
  readonly description: string | undefined;
  /** One or two routes; their weights add up to 100. */
  readonly routes: readonly Route[];
  /** Epoch milliseconds. */
  readonly creationDate: number;
  readonly updateDate: number;
  /** Number in the order of creation. */
  readonly sequence: number;
}

export type NewAlias = Pick<StateMachineAlias, 'machineArn' | 'name' | 'description' | 'routes'>;

/** https://docs.aws.amazon.com/step-functions/latest/apireference/API_CreateStateMachineAlias.html */
const MAX_ALIASES = 100;

/** The aliases of all state machines. */
export class Aliases {
  readonly #byArn = new Map<string, StateMachineAlias>();
  #sequence = 0;
  readonly #now: () => number;

  /** @param now epoch milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Creates an alias. Creating an identical alias again changes nothing.
   * @throws {ApiError} ConflictException when another one has the name, or ServiceQuotaExceededException
   */
  create(alias: NewAlias): StateMachineAlias {
    const arn = `${alias.machineArn}:${alias.name}`;
    const existing = this.#byArn.get(arn);
    if (existing !== undefined) {
      const { description, routes } = existing;
      if (description === alias.description && isDeepStrictEqual(routes, alias.routes)) return existing;
      throw new ApiError(
        'ConflictException',
        'Failed to create alias because an alias with the same name and a different routing configuration already exists.',
        409,
      );
    }
    if (this.of(alias.machineArn).length >= MAX_ALIASES) {
      throw new ApiError(
        'ServiceQuotaExceededException',
        `a state machine may have ${MAX_ALIASES} aliases, and ${alias.machineArn} has them; delete one first`,
        402,
      );
    }
    this.#sequence += 1;
    const now = this.#now();
    const created = { ...alias, arn, creationDate: now, updateDate: now, sequence: this.#sequence };
    this.#byArn.set(arn, created);
    return created;
  }

  /** @throws {ApiError} ResourceNotFound */
  update(
    arn: string,
    changes: Partial<Pick<StateMachineAlias, 'description' | 'routes'>>,
  ): StateMachineAlias {
    const updated = { ...this.get(arn), ...changes, updateDate: this.#now() };
    this.#byArn.set(arn, updated);
    return updated;
  }

  find(arn: string): StateMachineAlias | undefined {
    return this.#byArn.get(arn);
  }

  /** @throws {ApiError} ResourceNotFound */
  get(arn: string): StateMachineAlias {
    const found = this.#byArn.get(arn);
    if (found === undefined) throw referenceNotFound(arn);
    return found;
  }

  /** Lists aliases, the oldest first, as recorded on AWS; its documentation says the opposite. */
  of(machineArn: string): readonly StateMachineAlias[] {
    return [...this.#byArn.values()].filter(alias => alias.machineArn === machineArn);
  }

  /** Lists the aliases that route executions to a version, whatever its weight, in the same order. */
  leadingTo(versionArn: string): readonly StateMachineAlias[] {
    return [...this.#byArn.values()].filter(({ routes }) =>
      routes.some(route => route.versionArn === versionArn),
    );
  }

  /** Does nothing when the alias does not exist. */
  delete(arn: string): void {
    this.#byArn.delete(arn);
  }

  forget(machineArn: string): void {
    for (const { arn } of this.of(machineArn)) this.#byArn.delete(arn);
  }
}

/** Chooses the version for an execution of an alias at random, by the weights. */
export function pickVersion({ routes }: Pick<StateMachineAlias, 'routes'>, random: RandomSource): string {
  let left = random.next() * 100;
  const picked = routes.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
  return (picked ?? routes.at(-1))?.versionArn ?? '';
}
