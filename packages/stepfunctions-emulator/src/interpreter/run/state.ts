import { errorMatches, StateFailure } from '../failure.ts';
import { parseTimestamp } from '../field-checks.ts';
import { type Payload, payload } from '../limits.ts';
import type { Catcher, Retrier } from '../load/handlers.ts';
import type { StateOf } from '../load/states.ts';
import { runDistributedMap } from '../map/distributed.ts';
import { runInlineMap } from '../map/inline.ts';
import type { RandomSource } from '../random.ts';
import { runTask } from '../task/run-task.ts';
import { Fork } from './fork.ts';
import { runGraph } from './graph.ts';
import type { StateVisit } from './visit.ts';

async function runParallel(visit: StateVisit, state: StateOf<'Parallel'>): Promise<Payload> {
  const { line } = visit;
  const input = state.arguments === undefined ? visit.input : payload(await visit.evaluate(state.arguments));
  visit.checkSize(input);
  line.record('ParallelStateStarted');
  const fork = new Fork(line);
  const outputs = await Promise.all(
    state.branches.map((graph, index) =>
      fork.run(index, async branch => {
        const output = await runGraph(branch, graph, input);
        return { output, endedEventId: branch.lastEventId };
      }),
    ),
  );
  fork.end();
  const result = payload(outputs.map(output => output ?? null));
  visit.take(result);
  line.recordAside('ParallelStateSucceeded');
  return result;
}

/**
 * Delay before a retry, milliseconds. JitterStrategy FULL chooses a random time between zero and the computed delay.
 * @param attempt 0 for the first retry
 */
export function retryDelayMs(
  retrier: Omit<Retrier, 'comment' | 'errorEquals' | 'maxAttempts'>,
  attempt: number,
  random: RandomSource,
): number {
  const grown = retrier.intervalSeconds * retrier.backoffRate ** attempt;
  const seconds = Math.min(grown, retrier.maxDelaySeconds ?? Number.POSITIVE_INFINITY);
  return seconds * 1000 * (retrier.jitterStrategy === 'FULL' ? random.next() : 1);
}

class RetryBudget {
  readonly #retriers: readonly Retrier[];
  readonly #attempts = new Map<Retrier, number>();

  constructor(retriers: readonly Retrier[]) {
    this.#retriers = retriers;
  }

  next(failure: StateFailure, random: RandomSource): number | undefined {
    const retrier = this.#retriers.find(one => errorMatches(one.errorEquals, failure));
    if (retrier === undefined) return undefined;
    const attempt = this.#attempts.get(retrier) ?? 0;
    if (attempt >= retrier.maxAttempts) return undefined;
    this.#attempts.set(retrier, attempt + 1);
    return retryDelayMs(retrier, attempt, random);
  }
}

export interface Step {
  readonly output: Payload;
  readonly next: string | undefined;
}

export async function runState(visit: StateVisit): Promise<Step> {
  const { state, input } = visit;
  switch (state.type) {
    case 'Pass':
      return { output: await visit.leave(state, input), next: state.next };
    case 'Succeed':
      return { output: await visit.leave(state, input), next: undefined };
    case 'Choice':
      return runChoice(visit, state);
    case 'Wait':
      await visit.line.pause(await waitMs(visit, state));
      return { output: await visit.leave(state, input), next: state.next };
    case 'Fail':
      throw await failureOf(visit, state);
    case 'Task':
      return runHandled(visit, state, () => runTask(visit, state));
    case 'Parallel':
      return runHandled(visit, state, () => runParallel(visit, state), 'ParallelStateFailed');
    case 'Map': {
      const run = state.children === undefined ? runInlineMap : runDistributedMap;
      return runHandled(visit, state, () => run(visit, state), 'MapStateFailed');
    }
  }
}

async function runChoice(visit: StateVisit, state: StateOf<'Choice'>): Promise<Step> {
  for (const rule of state.choices) {
    if (!(await visit.evaluateField(rule.condition))) continue;
    return { output: await visit.leave(rule, visit.input), next: rule.next };
  }
  if (state.default === undefined) {
    const cause = 'Failed to transition out of the state. The state does not point to a next state.';
    throw visit.failure('States.NoChoiceMatched', cause);
  }
  return { output: await visit.leave(state, visit.input), next: state.default };
}

async function waitMs(visit: StateVisit, state: StateOf<'Wait'>): Promise<number> {
  const seconds = await visit.evaluateField(state.seconds);
  if (seconds !== undefined) return seconds * 1000;
  const time = parseTimestamp((await visit.evaluateField(state.timestamp)) ?? '') ?? 0;
  // The Developer Guide says ("Wait"): "Step Functions considers the time value up to seconds and truncates milliseconds".
  const wholeSeconds = Math.floor(time / 1000) * 1000;
  return Math.max(0, wholeSeconds - visit.line.run.engine.clock.now());
}

async function failureOf(visit: StateVisit, state: StateOf<'Fail'>): Promise<StateFailure> {
  return new StateFailure(await visit.evaluateField(state.error), await visit.evaluateField(state.cause));
}

async function runHandled(
  visit: StateVisit,
  state: StateOf<'Task' | 'Parallel' | 'Map'>,
  attempt: () => Promise<Payload>,
  failedEvent?: string,
): Promise<Step> {
  const budget = new RetryBudget(state.retry);
  for (;;) {
    try {
      const result = await attempt();
      return { output: await visit.leave(state, result, { result: result.value }), next: state.next };
    } catch (error) {
      if (!(error instanceof StateFailure)) throw error;
      const delayMs = budget.next(error, visit.line.run.engine.random);
      if (delayMs !== undefined) {
        visit.announceRetry(error, delayMs);
        await visit.line.pause(delayMs);
        visit.retryCount += 1;
        visit.line.held?.enter();
        visit.countTransition();
        continue;
      }
      if (failedEvent !== undefined) visit.line.record(failedEvent);
      const catcher = state.catch.find(one => errorMatches(one.errorEquals, error));
      if (catcher === undefined) throw error;
      return { output: await runCatcher(visit, catcher, error), next: catcher.next };
    }
  }
}

async function runCatcher(visit: StateVisit, catcher: Catcher, failure: StateFailure): Promise<Payload> {
  // In `$states.errorOutput`, AWS replaces a missing error or cause by an empty string.
  const errorOutput = { Error: failure.error ?? '', Cause: failure.cause ?? '' };
  return visit.leave(catcher, payload(errorOutput), { errorOutput });
}
