import {
  type ApiContext,
  Engine,
  type EngineOptions,
  type Execution,
  Executions,
  InvalidDefinitionError,
  loadDefinition,
  type Machine,
  nestedExecutions,
  type StartOptions,
  type StateMachine,
  StateMachines,
} from 'stepfunctions-emulator';
import { LocalCloudError, TerraformError } from './errors.ts';
import type { SynthesizedCloud } from './stack/synthesized.ts';

export interface StepFunctionsOptions extends Omit<EngineOptions, 'resources' | 'clock' | 'onStart'> {
  readonly clock: NonNullable<EngineOptions['clock']>;
  readonly onEnd: (execution: Execution) => void;
}

export class LocalStepFunctions {
  readonly api: ApiContext;
  readonly #engine: Engine;
  readonly #onEnd: StepFunctionsOptions['onEnd'];
  readonly #running = new Set<Execution>();

  constructor(
    { account, region, partition, stateMachines: synthesized }: SynthesizedCloud,
    machines: readonly Machine[],
    { onEnd, ...options }: StepFunctionsOptions,
  ) {
    const { clock } = options;
    this.#onEnd = onEnd;
    this.#engine = new Engine({
      ...options,
      resources: nestedExecutions(() => this.api),
      onStart: execution => this.#watch(execution),
    });
    const place = { account, region, partition };
    const stateMachines = new StateMachines(() => clock.now());
    for (const machine of machines) {
      stateMachines.create({
        ...machine,
        definitionText: synthesized.find(({ arn }) => arn === machine.arn)?.definition ?? '',
      });
    }
    this.api = { ...place, stateMachines, executions: new Executions(this) };
  }

  get running(): readonly Execution[] {
    return [...this.#running];
  }

  startExecution(machine: string, input: unknown, name?: string): Execution {
    const found = this.#find(machine);
    return this.api.executions.start(found, { input, ...(name !== undefined && { name }) }).execution;
  }

  #find(machine: string): StateMachine {
    const { all } = this.api.stateMachines;
    const found = all.find(({ arn, name }) => arn === machine || name === machine);
    if (found !== undefined) return found;
    const known = all.map(({ name }) => name).join(', ') || 'none';
    throw new LocalCloudError(`state machine: expected one of ${known}, got "${machine}"`);
  }

  start(machine: Machine, options: StartOptions): Execution {
    return this.#engine.start(machine, options);
  }

  async stop(): Promise<void> {
    const { running } = this;
    for (const execution of running) execution.stop('Local.Stopped', 'The local cloud was stopped.');
    await Promise.all(running.map(execution => execution.done));
  }

  #watch(execution: Execution): void {
    this.#running.add(execution);
    void execution.done.then(ended => {
      this.#running.delete(ended);
      this.#onEnd(ended);
    });
  }
}

export function loadMachines({ stateMachines }: SynthesizedCloud): Machine[] {
  const problems: string[] = [];
  const machines = stateMachines.flatMap(({ address, name, arn, roleArn, type, definition }): Machine[] => {
    try {
      return [{ name, arn, roleArn, type, definition: loadDefinition(definition, type) }];
    } catch (error) {
      if (!(error instanceof InvalidDefinitionError)) throw error;
      problems.push(`${address}.definition: ${error.message}`);
      return [];
    }
  });
  if (problems.length > 0) throw new TerraformError(problems);
  return machines;
}
