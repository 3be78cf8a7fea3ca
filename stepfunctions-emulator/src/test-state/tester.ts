import { Billing } from '../interpreter/billing.ts';
import type { Retrier, State } from '../interpreter/definition.ts';
import { type EngineOptions, engineContext } from '../interpreter/engine.ts';
import { Cancelled, errorMatches, StateFailure } from '../interpreter/failure.ts';
import type { Json, JsonObject } from '../interpreter/json.ts';
import { InvalidDefinitionError } from '../interpreter/load/problems.ts';
import { isImplemented, notImplemented } from '../interpreter/load/resource.ts';
import { payload } from '../interpreter/payload.ts';
import { Cancellation } from '../interpreter/run/cancellation.ts';
import { errorDetails } from '../interpreter/run/error-details.ts';
import { History } from '../interpreter/run/history.ts';
import { Line } from '../interpreter/run/line.ts';
import { Progress } from '../interpreter/run/progress.ts';
import { retryDelayMs } from '../interpreter/run/retry.ts';
import type { EngineContext, Run } from '../interpreter/run/run.ts';
import { runCatcher, runState } from '../interpreter/run/state.ts';
import { VariableScope } from '../interpreter/run/variables.ts';
import { StateVisit } from '../interpreter/run/visit.ts';
import { attempt } from './attempt.ts';
import { checkRequest } from './check-request.ts';
import { type TestedExecution, usualContext } from './context.ts';
import { InvalidTestStateError } from './errors.ts';
import { findState } from './find-state.ts';
import type { InspectionData, TestStateRequest, TestStateResult } from './request.ts';

/** Account and region of the tested state, as its ARNs contain them. */
export interface TestPlace {
  readonly partition: string;
  readonly region: string;
  readonly account: string;
}

/** Tests single states, as the API's TestState does: one attempt, and the Retry or Catch that would handle its failure. */
export class StateTester {
  readonly #engine: EngineContext;
  readonly #place: TestPlace;
  readonly #isMocked: (arn: string) => boolean;

  /** @param options `isMocked`: whether `resources` answers a Resource that is not implemented. @default none is */
  constructor(options: EngineOptions & TestPlace & { readonly isMocked?: (arn: string) => boolean }) {
    this.#engine = engineContext(options);
    this.#place = options;
    this.#isMocked = options.isMocked ?? (() => false);
  }

  /**
   * @throws {InvalidDefinitionError}
   * @throws {InvalidTestStateError}
   */
  async test(request: TestStateRequest): Promise<TestStateResult> {
    const state = findState(request);
    checkRequest(request, state);
    this.#checkCallable(request, state);
    const test = new StateTest(this.#engine, this.#place, state, request);
    const { inspectionData, ...result } = await test.run();
    return (request.inspectionLevel ?? 'INFO') === 'INFO' ? result : { ...result, inspectionData };
  }

  #checkCallable({ mock }: TestStateRequest, state: State): void {
    if (mock !== undefined || state.type !== 'Task') return;
    const { resource } = state;
    if (isImplemented(resource) || this.#isMocked(resource.arn)) return;
    throw new InvalidDefinitionError([notImplemented('/Resource', resource.arn)]);
  }
}

/** One test of one state. */
class StateTest {
  readonly #engine: EngineContext;
  readonly #state: State;
  readonly #request: TestStateRequest;
  readonly #inspection: InspectionData;
  readonly #visit: StateVisit;
  readonly #cancellation = new Cancellation();

  constructor(engine: EngineContext, place: TestPlace, state: State, request: TestStateRequest) {
    this.#engine = engine;
    this.#state = state;
    this.#request = request;
    const { input = {} } = request;
    this.#inspection = { input };
    const line = new Line(
      this.#newRun(place),
      this.#newVariables(),
      this.#cancellation,
      0,
      undefined,
      new Progress(),
    );
    this.#visit = new StateVisit(line, state, payload(input));
  }

  async run(): Promise<TestStateResult & { readonly inspectionData: InspectionData }> {
    const { clock, limits } = this.#engine;
    const cancelTimeout = clock.schedule(limits.expressDurationMs, () => this.#cancellation.cancel());
    try {
      const result = await this.#attempt();
      return { ...result, inspectionData: this.#withVariables() };
    } catch (error) {
      // A test can only be cancelled by a timeout.
      const failure = error instanceof Cancelled ? new StateFailure('States.Timeout', undefined) : error;
      if (!(failure instanceof StateFailure)) throw error;
      return { status: 'FAILED', ...errorDetails(failure), inspectionData: this.#withVariables() };
    } finally {
      cancelTimeout();
    }
  }

  async #attempt(): Promise<TestStateResult> {
    const state = this.#state;
    const visit = this.#visit;
    if (!('retry' in state)) {
      const { output, next } = await runState(visit);
      return succeeded(output.value, next);
    }
    try {
      const { mock, stateConfiguration: configuration = {} } = this.#request;
      const result = await attempt(state, { visit, mock, configuration, inspection: this.#inspection });
      const output = await visit.leave(state, result, { result: result.value });
      return succeeded(output.value, state.next);
    } catch (error) {
      if (!(error instanceof StateFailure)) throw error;
      return this.#handle(error, state);
    }
  }

  /** Applies Retry and Catch to a failure. */
  async #handle(failure: StateFailure, state: Extract<State, { retry: unknown }>): Promise<TestStateResult> {
    const { retrierRetryCount: count = 0 } = this.#request.stateConfiguration ?? {};
    const matches = ({ errorEquals }: { errorEquals: readonly string[] }) =>
      errorMatches(errorEquals, failure);
    const retryIndex = state.retry.findIndex(matches);
    const retrier = state.retry[retryIndex];
    // AWS returns the retrier's index even when its attempts are used up.
    if (retrier !== undefined) this.#note({ retryIndex });
    if (retrier !== undefined && count < retrier.maxAttempts) {
      this.#note({ retryBackoffIntervalSeconds: this.#backoffSeconds(retrier, count) });
      return { status: 'RETRIABLE', ...errorDetails(failure) };
    }
    const catchIndex = state.catch.findIndex(matches);
    const catcher = state.catch[catchIndex];
    if (catcher === undefined) throw failure;
    const output = await runCatcher(this.#visit, catcher, failure);
    this.#note({ catchIndex });
    return {
      status: 'CAUGHT_ERROR',
      ...errorDetails(failure),
      output: output.value,
      nextState: catcher.next,
    };
  }

  #backoffSeconds(retrier: Retrier, count: number): number {
    return Math.floor(retryDelayMs({ ...retrier, jitter: 'NONE' }, count, this.#engine.random) / 1000);
  }

  #note(details: InspectionData['errorDetails']): void {
    this.#inspection.errorDetails = { ...this.#inspection.errorDetails, ...details };
  }

  /** Adds the variables after the state. */
  #withVariables(): InspectionData {
    const left = this.#visit.line.run.history.events.findLast(event => event.type.endsWith('StateExited'));
    const { assignedVariables: assigned = {} } = left?.['stateExitedEventDetails'] ?? {};
    const variables: JsonObject = { ...this.#request.variables };
    for (const [name, text] of Object.entries(assigned as Record<string, string>)) {
      variables[name] = JSON.parse(text) as Json;
    }
    return { ...this.#inspection, ...(Object.keys(variables).length > 0 && { variables }) };
  }

  #newVariables(): VariableScope {
    const scope = new VariableScope({ used: 0, most: 0 });
    const { variables = {} } = this.#request;
    try {
      const texts = Object.entries(variables).map(
        ([name, value]) => [name, value, JSON.stringify(value)] as const,
      );
      scope.assign(texts, this.#engine.limits);
    } catch (error) {
      if (error instanceof StateFailure) throw new InvalidTestStateError(`variables: ${error.cause}`);
      throw error;
    }
    return scope;
  }

  #newRun({ partition, region, account }: TestPlace): Run {
    const engine = this.#engine;
    const { context, roleArn, input = {} } = this.#request;
    const [machineName, name] = [engine.newId(), engine.newId()];
    const execution: TestedExecution = {
      arn: `arn:${partition}:states:${region}:${account}:express:${machineName}:${name}`,
      name,
      machineArn: `arn:${partition}:states:${region}:${account}:stateMachine:${machineName}`,
      machineName,
      roleArn,
      input,
      startDate: engine.clock.now(),
    };
    return {
      engine,
      machine: { arn: execution.machineArn, name: machineName, roleArn: roleArn ?? '', type: 'EXPRESS' },
      arn: execution.arn,
      name,
      startDate: execution.startDate,
      input,
      history: new History(() => engine.clock.now(), engine.limits.expressHistoryEvents, undefined),
      billing: new Billing(),
      mapRuns: [],
      synchronous: true,
      redriveCount: 0,
      redriveDate: undefined,
      context: (context as JsonObject | undefined) ?? usualContext(this.#state, execution),
      endLoop() {
        throw new Error('one state is tested, which leads to no other');
      },
      startChild() {
        throw new Error('a Map is tested with a mock, and starts nothing');
      },
    };
  }
}

function succeeded(output: Json, next: string | undefined): TestStateResult {
  return { status: 'SUCCEEDED', output, ...(next !== undefined && { nextState: next }) };
}
