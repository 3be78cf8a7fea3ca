import type { State } from '../interpreter/definition.ts';
import { isObject, type Json, type JsonObject } from '../interpreter/json.ts';
import { isoTime } from '../interpreter/run/context-object.ts';
import { InvalidTestStateError } from './errors.ts';

/** Fields of a Context object that can be given, and their types; undefined means any JSON. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, 'string' | 'number' | undefined>>>> = {
  Execution: {
    Id: 'string',
    Input: undefined,
    Name: 'string',
    RedriveCount: 'number',
    RedriveTime: 'string',
    RoleArn: 'string',
    StartTime: 'string',
  },
  State: { EnteredTime: 'string', Name: 'string', RetryCount: 'number' },
  StateMachine: { Id: 'string', Name: 'string' },
  Task: { Token: 'string' },
};

const callsBack = (state: State): boolean =>
  state.type === 'Task' && /\.(sync(:2)?|waitForTaskToken)$/.test(state.resource.arn);

/**
 * Checks a given Context object. It need not be complete.
 * @throws {InvalidTestStateError}
 */
export function checkContext(context: Json, state: State): asserts context is JsonObject {
  const refusal = (why: string) => new InvalidTestStateError(`Invalid Context object provided: ${why}`);
  if (!isObject(context)) throw refusal('Context object must be a JSON object');
  for (const [name, value] of Object.entries(context)) {
    if (name === 'Map') throw refusal("'Map' field is not supported when mocking a Context object");
    if (name === 'Task' && !callsBack(state)) {
      throw refusal(
        "Context object contains 'Task' when state is not a Task state with a '.sync' or '.waitForTaskToken' service " +
          'integration pattern',
      );
    }
    const fields = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
    if (fields === undefined) throw refusal(`Field '${name}' is not allowed`);
    if (!isObject(value)) throw refusal(`${name} must be an object`);
    for (const [field, member] of Object.entries(value)) {
      if (!Object.hasOwn(fields, field)) throw refusal(`Field '${field}' is not allowed`);
      const type = fields[field];
      if (type !== undefined && typeof member !== type) throw refusal(`${name}.${field} must be a ${type}`);
    }
  }
}

/** The execution that the usual Context object describes. */
export interface TestedExecution {
  readonly arn: string;
  readonly name: string;
  readonly machineArn: string;
  readonly machineName: string;
  readonly roleArn: string | undefined;
  readonly input: Json;
  /** Epoch milliseconds. */
  readonly startDate: number;
}

/** Context as recorded on AWS for a synchronous Express execution. States without Retry have no RetryCount. */
export function usualContext(state: State, execution: TestedExecution): JsonObject {
  const startTime = isoTime(execution.startDate);
  return {
    Execution: {
      Id: execution.arn,
      Input: execution.input,
      Name: execution.name,
      RoleArn: execution.roleArn ?? null,
      StartTime: startTime,
    },
    StateMachine: { Id: execution.machineArn, Name: execution.machineName },
    State: { Name: state.name, EnteredTime: startTime, ...('retry' in state && { RetryCount: 0 }) },
  };
}
