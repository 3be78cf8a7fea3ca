import type { MapState, ParallelState, TaskState } from '../interpreter/definition.ts';
import { StateFailure } from '../interpreter/failure.ts';
import type { Json } from '../interpreter/json.ts';
import { batchItems } from '../interpreter/map/batches.ts';
import { evaluateItems, evaluateSettings, iterationInput } from '../interpreter/map/items.ts';
import { type Payload, payload } from '../interpreter/payload.ts';
import type { EventDetails, HistoryEvent } from '../interpreter/run/history.ts';
import type { StateVisit } from '../interpreter/run/visit.ts';
import { evaluateTimeouts, runTask } from '../interpreter/task/run-task.ts';
import { InvalidTestStateError } from './errors.ts';
import type { InspectionData, TestStateConfiguration, TestStateMock } from './request.ts';

/** The surroundings of an attempt, and its records. */
export interface Attempt {
  readonly visit: StateVisit;
  readonly mock: TestStateMock | undefined;
  readonly configuration: TestStateConfiguration;
  readonly inspection: InspectionData;
}

/**
 * Returns the raw result of a state: from its mock, or from the function that it calls.
 * @throws StateFailure the mocked error, or what went wrong on the way
 */
export async function attempt(state: TaskState | ParallelState | MapState, one: Attempt): Promise<Payload> {
  if (one.mock === undefined && state.type === 'Task') return callFunction(state, one);
  if (state.type === 'Map') await prepareMap(state, one);
  else await evaluateArguments(state, one);
  const result = mocked(one);
  if (state.type === 'Task') one.inspection.result = result.value;
  return result;
}

async function callFunction(state: TaskState, { visit, inspection }: Attempt): Promise<Payload> {
  try {
    const result = await runTask(visit, state);
    inspection.result = result.value;
    return result;
  } finally {
    const args = argumentsIn(visit.line.run.history.events);
    if (args !== undefined) inspection.afterArguments = args;
  }
}

/** Returns the arguments of the call from the event that schedules it; undefined when they could not be evaluated. */
function argumentsIn(events: readonly HistoryEvent[]): Json | undefined {
  for (const event of events) {
    const { parameters }: EventDetails = event['taskScheduledEventDetails'] ?? {};
    const direct = event['lambdaFunctionScheduledEventDetails'] ?? event['activityScheduledEventDetails'];
    const { input }: EventDetails = direct ?? {};
    const text = parameters ?? input;
    if (typeof text === 'string') return JSON.parse(text) as Json;
  }
  return undefined;
}

async function evaluateArguments(
  state: TaskState | ParallelState,
  { visit, inspection }: Attempt,
): Promise<void> {
  if (state.type === 'Task') await evaluateTimeouts(visit, state);
  const args = state.arguments === undefined ? visit.input : payload(await visit.evaluate(state.arguments));
  visit.checkSize(args);
  inspection.afterArguments = args.value;
}

/** Evaluates the fields that a Map needs before its iterations begin, and the failures in the request. */
async function prepareMap(state: MapState, one: Attempt): Promise<void> {
  const { visit, inspection, configuration, mock } = one;
  const items = await evaluateItems(visit, state);
  const settings = await evaluateSettings(visit, state);
  const { toleratedFailureCount: count, toleratedFailurePercentage: percentage } = settings;
  inspection.maxConcurrency = settings.maxConcurrency;
  if (count !== undefined) inspection.toleratedFailureCount = count;
  if (percentage !== undefined) inspection.toleratedFailurePercentage = percentage;

  const inputs: Payload[] = [];
  for (const item of items) {
    inputs.push(await iterationInput(visit, state, item, visit.line.withItem(item)));
  }
  if (state.itemSelector !== undefined) inspection.afterItemSelector = inputs.map(({ value }) => value);
  if (state.mode.kind === 'DISTRIBUTED' && state.mode.batcher !== undefined) {
    const batches = await batchItems(visit, state.mode.batcher, inputs);
    inspection.afterItemBatcher = batches.map(({ input }) => input.value);
  }

  const { mapIterationFailureCount: failed = 0 } = configuration;
  if (failed > items.length) {
    throw new InvalidTestStateError(
      `stateConfiguration.mapIterationFailureCount: expected at most the ${items.length} items of the Map, got ${failed}`,
    );
  }
  // A Map without tolerance settings accepts the mocked result for any failure count (recorded on AWS).
  if (mock?.result === undefined || state.mode.kind !== 'DISTRIBUTED') return;
  const tooMany = count !== undefined && failed > count;
  const tooMuch = percentage !== undefined && (failed / items.length) * 100 > percentage;
  if (tooMany || tooMuch) {
    const cause = 'The specified tolerated failure threshold was exceeded';
    throw new StateFailure('States.ExceedToleratedFailureThreshold', cause);
  }
}

function mocked({ visit, mock }: Attempt): Payload {
  if (mock?.errorOutput !== undefined) throw new StateFailure(mock.errorOutput.error, mock.errorOutput.cause);
  const result = payload(mock?.result ?? null);
  visit.checkSize(result);
  return result;
}
