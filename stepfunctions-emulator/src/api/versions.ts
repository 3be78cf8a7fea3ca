import { ApiError } from './errors.ts';
import type { StateMachine } from './state-machine.ts';

/** A numbered revision of a state machine. It is immutable. */
export interface StateMachineVersion {
  /** `<ARN of the state machine>:<number>` */
  readonly arn: string;
  readonly number: number;
  /** The state machine when the version was published; its ARN is that of the state machine. */
  readonly stateMachine: StateMachine;
  readonly description: string | undefined;
  /** Epoch milliseconds. */
  readonly creationDate: number;
}

/** https://docs.aws.amazon.com/step-functions/latest/apireference/API_PublishStateMachineVersion.html */
const MAX_VERSIONS = 1_000;

interface Published {
  /** Highest number so far: the number of a deleted version is not used again. */
  lastNumber: number;
  /** Versions by number. */
  readonly versions: Map<number, StateMachineVersion>;
}

/** The versions of all state machines. */
export class Versions {
  readonly #byMachine = new Map<string, Published>();
  readonly #now: () => number;

  /** @param now epoch milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Publishes the current revision of a state machine. A revision is published once: a second request returns the same version.
   * @throws {ApiError} ServiceQuotaExceededException
   */
  publish(stateMachine: StateMachine, description: string | undefined): StateMachineVersion {
    const { arn, revisionId } = stateMachine;
    const published = this.#byMachine.get(arn) ?? { lastNumber: 0, versions: new Map() };
    const { versions } = published;
    for (const version of versions.values()) {
      if (version.stateMachine.revisionId === revisionId) return version;
    }
    if (versions.size >= MAX_VERSIONS) {
      throw new ApiError(
        'ServiceQuotaExceededException',
        `a state machine may have ${MAX_VERSIONS} versions, and ${arn} has them; delete one first`,
        402,
      );
    }
    published.lastNumber += 1;
    const number = published.lastNumber;
    const version = { arn: `${arn}:${number}`, number, stateMachine, description, creationDate: this.#now() };
    versions.set(number, version);
    this.#byMachine.set(arn, published);
    return version;
  }

  /** Lists the versions, the last published first. */
  of(machineArn: string): readonly StateMachineVersion[] {
    return [...(this.#byMachine.get(machineArn)?.versions.values() ?? [])].reverse();
  }

  find(arn: string): StateMachineVersion | undefined {
    const [machineArn, number] = split(arn);
    return this.#byMachine.get(machineArn)?.versions.get(number);
  }

  /** Does nothing when the version does not exist. Its executions continue. */
  delete(arn: string): void {
    const [machineArn, number] = split(arn);
    this.#byMachine.get(machineArn)?.versions.delete(number);
  }

  forget(machineArn: string): void {
    this.#byMachine.delete(machineArn);
  }
}

/** Splits an ARN into the state machine's ARN and the number; NaN when it is not a version's ARN. */
function split(arn: string): [string, number] {
  const at = arn.lastIndexOf(':');
  const digits = arn.slice(at + 1);
  return [arn.slice(0, at), /^[1-9]\d*$/.test(digits) ? Number(digits) : Number.NaN];
}
