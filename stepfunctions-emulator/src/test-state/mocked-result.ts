import type { State } from '../interpreter/definition.ts';
import { isObject, type Json } from '../interpreter/json.ts';
import { waitsForTaskToken } from '../interpreter/run/visit.ts';
import { InvalidTestStateError } from './errors.ts';
import type { FieldValidationMode } from './request.ts';

/** The fields of the answer of Lambda's Invoke (API reference, "Invoke", Response). None of them is required. */
const INVOKE_ANSWER: Readonly<Record<string, 'string' | 'number'>> = {
  ExecutedVersion: 'string',
  FunctionError: 'string',
  LogResult: 'string',
  // The type is blob. AWS refuses an object here, although Step Functions returns one at run time: NONE accepts it.
  Payload: 'string',
  StatusCode: 'number',
};

/**
 * Checks whether a mocked result is possible. Fields that the API does not have are accepted, as on AWS. A function that is called by its
 * ARN may return anything, and so may a callback with a task token. STRICT also checks required fields, of which there are none. The APIs
 * of other services are not known here.
 * @throws {InvalidTestStateError}
 */
export function checkMockedResult(result: Json, state: State, mode: FieldValidationMode): void {
  if (state.type === 'Map' && !Array.isArray(result))
    throw new InvalidTestStateError('Mocked result must be an array.');
  if (state.type === 'Parallel') {
    if (!Array.isArray(result)) throw new InvalidTestStateError('Mocked result must be an array.');
    if (result.length !== state.branches.length) {
      throw new InvalidTestStateError(
        'Mocked result must contain the same number of items as number of Parallel branches.',
      );
    }
  }
  if (state.type !== 'Task' || mode === 'NONE') return;
  const { kind } = state.resource;
  if (kind === 'function' || kind === 'activity' || waitsForTaskToken(state)) return;
  if (!isObject(result)) throw new InvalidTestStateError('Mocked result must be a JSON object.');
  if (kind !== 'lambda:invoke') return;
  for (const [field, type] of Object.entries(INVOKE_ANSWER)) {
    const value = result[field];
    if (value === undefined || typeof value === type) continue;
    throw new InvalidTestStateError(
      `Mock result schema validation error: Field '${field}' must be a ${type}`,
    );
  }
}
