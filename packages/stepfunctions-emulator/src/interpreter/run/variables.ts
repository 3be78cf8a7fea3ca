import { StateFailure } from '../failure.ts';
import { exceedsBytes, type Json } from '../json.ts';
import type { Limits } from '../limits.ts';

/** Size of all variables of an execution in all scopes, bytes: `used` is the size now, `most` is the largest size so far. */
export interface VariableBudget {
  used: number;
  most: number;
}

interface Variable {
  readonly value: Json;
  readonly bytes: number;
}

/** The variables of an execution, a branch or an iteration. An inner scope can read outer variables, but can't assign outer variables. */
export class VariableScope {
  readonly #outer: VariableScope | undefined;
  readonly #budget: VariableBudget;
  readonly #values = new Map<string, Variable>();

  constructor(budget: VariableBudget, outer?: VariableScope) {
    this.#budget = budget;
    this.#outer = outer;
  }

  inner(): VariableScope {
    return new VariableScope(this.#budget, this);
  }

  get(name: string): Json | undefined {
    const own = this.#values.get(name);
    return own === undefined ? this.#outer?.get(name) : own.value;
  }

  /**
   * Assigns the variables of one Assign field.
   * @param assignments name, value and JSON text of the value
   * @throws StateFailure States.DataLimitExceeded
   */
  assign(assignments: ReadonlyArray<readonly [string, Json, string]>, limits: Limits): void {
    let together = 0;
    for (const [name, value, text] of assignments) {
      const bytes = Buffer.byteLength(text);
      together += bytes;
      if (exceedsBytes(text, limits.variableBytes)) {
        throw tooBig(`The variable '${name}' takes ${bytes} bytes`, limits.variableBytes);
      }
      this.#budget.used += bytes - (this.#values.get(name)?.bytes ?? 0);
      this.#values.set(name, { value, bytes });
    }
    this.#budget.most = Math.max(this.#budget.most, this.#budget.used);
    if (together > limits.variableBytes) {
      throw tooBig(`The variables of one Assign take ${together} bytes`, limits.variableBytes);
    }
    if (this.#budget.used > limits.allVariablesBytes) {
      throw tooBig(`All variables take ${this.#budget.used} bytes`, limits.allVariablesBytes);
    }
  }

  release(): void {
    for (const { bytes } of this.#values.values()) this.#budget.used -= bytes;
    this.#values.clear();
  }
}

function tooBig(what: string, limit: number): StateFailure {
  return new StateFailure('States.DataLimitExceeded', `${what}, more than the ${limit} that are allowed.`);
}
