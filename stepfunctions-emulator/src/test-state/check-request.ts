import type { State } from '../interpreter/definition.ts';
import { checkContext } from './context.ts';
import { InvalidTestStateError } from './errors.ts';
import { findInside, graphsIn } from './find-state.ts';
import { checkMockedResult } from './mocked-result.ts';
import type { TestStateMock, TestStateRequest } from './request.ts';

/**
 * Refuses requests that AWS refuses before it runs a state. The messages are recorded ones where available.
 * @throws {InvalidTestStateError}
 */
export function checkRequest(request: TestStateRequest, state: State): void {
  const { mock, context, roleArn, revealSecrets = false } = request;
  const mockable = state.type === 'Task' || state.type === 'Map' || state.type === 'Parallel';
  if (mock === undefined) {
    if (mockable && state.type !== 'Task') {
      const message =
        'TestState API does not support Map or Parallel states. Supported state types include: [Task, Wait, Pass, Succeed, Fail, Choice]';
      throw new InvalidTestStateError(message, 'InvalidDefinition');
    }
    if (state.type === 'Task' && roleArn === undefined)
      throw new InvalidTestStateError('RoleArn must be specified when testing a Task state');
    if (context !== undefined)
      throw new InvalidTestStateError('A Context object may only be specified when a mock is specified.');
  } else {
    if (!mockable)
      throw new InvalidTestStateError(`State type '${state.type}' is not supported when a mock is specified`);
    if (revealSecrets)
      throw new InvalidTestStateError('TestState does not support RevealSecrets when a mock is specified.');
    checkMock(mock, state);
  }
  if (context !== undefined) checkContext(context, state);
  checkConfiguration(request, state);
}

function checkMock(mock: TestStateMock, state: State): void {
  const { result, errorOutput } = mock;
  if ((result === undefined) === (errorOutput === undefined)) {
    throw new InvalidTestStateError(
      'A test mock should have only one of the following fields: [result, errorOutput].',
    );
  }
  if (errorOutput !== undefined && typeof errorOutput.error !== 'string') {
    throw new InvalidTestStateError(
      "Value null at 'mock.errorOutput.error' failed to satisfy constraint: Member must not be null",
    );
  }
  if (result !== undefined) checkMockedResult(result, state, mock.fieldValidationMode ?? 'STRICT');
}

function checkConfiguration({ mock, stateConfiguration = {} }: TestStateRequest, state: State): void {
  const { errorCausedByState, mapIterationFailureCount, mapItemReaderData } = stateConfiguration;
  if (mapItemReaderData !== undefined) {
    throw new InvalidTestStateError(
      "stateConfiguration.mapItemReaderData: ItemReader isn't implemented locally; leave it out",
    );
  }
  if (mapIterationFailureCount !== undefined && (mock === undefined || state.type !== 'Map')) {
    throw new InvalidTestStateError(
      `stateConfiguration.mapIterationFailureCount: expected a mock and a Map state, got ` +
        `${mock === undefined ? 'no mock' : `a ${state.type} state`}`,
    );
  }
  if (errorCausedByState === undefined) return;
  if (mock?.errorOutput === undefined || graphsIn(state).length === 0) {
    throw new InvalidTestStateError(
      'stateConfiguration.errorCausedByState: expected mock.errorOutput and a Map or Parallel state, got ' +
        `${mock?.errorOutput === undefined ? 'no mock.errorOutput' : `a ${state.type} state`}`,
    );
  }
  if (graphsIn(state).every(graph => findInside(graph, errorCausedByState) === undefined)) {
    throw new InvalidTestStateError(
      `stateConfiguration.errorCausedByState: expected a state inside of '${state.name}', got '${errorCausedByState}'`,
    );
  }
}
