import { StateFailure } from '../failure.ts';
import { exceedsBytes, type Json, type JsonObject, NotJsonError, toJson, typeName } from '../json.ts';
import { type AslExpression, describeEvaluationError, type ExpressionScope } from '../jsonata/expression.ts';
import type { Template } from '../jsonata/template.ts';
import { type Payload, payload } from '../limits.ts';
import type { Assign, Field } from '../load/fields.ts';
import type { State } from '../load/states.ts';
import { NOT_TRUNCATED } from './history.ts';
import type { Line, MapItem } from './line.ts';

/** Types of states whose context has RetryCount: those that can have Retry. Recorded on AWS: RetryCount for Task, none for Pass. */
const RETRIED: ReadonlySet<string> = new Set(['Task', 'Parallel', 'Map']);

/** Makes `$states.context` for a visit. Inside of a Map, the context contains the item of the iteration. */
function contextObject({ run, item }: Line, visit: StateVisit): JsonObject {
  const { state, taskToken } = visit;
  return {
    Execution: {
      Id: run.arn,
      Input: run.input,
      Name: run.name,
      RoleArn: run.machine.roleArn,
      StartTime: isoTime(run.startDate),
      // Recorded on AWS: all executions except synchronous executions have RedriveCount.
      ...(!run.synchronous && { RedriveCount: 0 }),
    },
    StateMachine: { Id: run.machine.arn, Name: run.machine.name },
    State: {
      Name: state.name,
      EnteredTime: isoTime(visit.enteredTime),
      ...(RETRIED.has(state.type) && { RetryCount: visit.retryCount }),
    },
    ...(taskToken !== undefined && { Task: { Token: taskToken } }),
    ...(item !== undefined && { Map: { Item: itemObject(item) } }),
  };
}

function itemObject(item: MapItem): JsonObject {
  const object: JsonObject = { Index: item.index, Value: item.value, Source: 'STATE_DATA' };
  if (item.key !== undefined) object['Key'] = item.key;
  return object;
}

export const isoTime = (ms: number) => new Date(ms).toISOString();

/** AWS's message for a result that is too large. @param what the state's name; for a Task's result, the function's ARN or the service */
export const tooBigCause = (what: string) =>
  `The state/task '${what}' returned a result with a size exceeding the maximum number of bytes service limit.`;

const waitsForTaskToken = (state: State): boolean =>
  state.type === 'Task' && state.resource.arn.endsWith('.waitForTaskToken');

export interface StateResult {
  readonly result?: Json;
  readonly errorOutput?: Json;
}

/** One visit of a state, from the entry to the exit: evaluates fields, creates errors, and records events. */
export class StateVisit {
  readonly line: Line;
  readonly state: State;
  readonly input: Payload;
  readonly enteredTime: number;
  readonly enteredEventId: number;
  retryCount = 0;
  readonly #beforeEntry: number;
  /** The token in `$states.context.Task.Token`; undefined unless the Task's Resource ends with `.waitForTaskToken`. */
  readonly taskToken: string | undefined;

  constructor(line: Line, state: State, input: Payload) {
    this.line = line;
    this.state = state;
    this.input = input;
    this.taskToken = waitsForTaskToken(state) ? line.run.engine.newId() : undefined;
    this.enteredTime = line.run.engine.clock.now();
    this.#beforeEntry = line.lastEventId;
    this.enteredEventId = line.record(`${state.type}StateEntered`, 'stateEntered', {
      name: state.name,
      input: input.text,
      inputDetails: NOT_TRUNCATED,
    });
    this.countTransition();
    line.openState = { name: state.name, type: state.type, enteredEventId: this.enteredEventId };
    line.held?.enter();
    this.hold(input);
  }

  countTransition(): void {
    if (this.line.run.machine.type === 'STANDARD') this.line.run.bill.add('stateTransitions', 1);
  }

  announceRetry({ error, cause }: StateFailure, ms: number): void {
    const { arn: executionArn, engine } = this.line.run;
    const { name: state } = this.state;
    engine.onRetry?.({ executionArn, state, retry: this.retryCount + 1, ms, error, cause });
  }

  /** Evaluates a field that may have any JSON value. Returns a promise only if the field contains an expression. */
  evaluate(template: Template, result: StateResult = {}, line: Line = this.line): Json | Promise<Json> {
    const scope = this.#scope(result, line);
    return template.evaluate((expression, field) => this.#evaluateExpression(expression, field, scope, line));
  }

  evaluateField<T extends string | number | boolean>(field: Field<T>): Promise<T>;
  evaluateField<T extends string | number | boolean>(field: Field<T> | undefined): Promise<T | undefined>;
  async evaluateField<T extends string | number | boolean>(given: Field<T> | undefined) {
    if (given === undefined || 'literal' in given) return given?.literal;
    const { expression, field, kind } = given;
    const value = await this.#evaluateExpression(expression, field, this.#scope({}, this.line), this.line);
    if (typeName(value) !== kind.type) throw this.unexpectedType(expression, field, kind.type, value);
    if (kind.accepts(value)) return value;
    const cause =
      kind.causeOf?.(value) ??
      `The JSONata expression '${expression.source}' specified for the field '${field}' returned a value out of range. ` +
        `Expected ${kind.expected}, but was: ${JSON.stringify(value)}`;
    throw this.evaluationFailed(field, cause);
  }

  unexpectedType(expression: AslExpression, field: string, expected: string, value: Json): StateFailure {
    return this.evaluationFailed(
      field,
      `The JSONata expression '${expression.source}' specified for the field '${field}' returned an unexpected ` +
        `result type. Expected '${expected}', but was '${typeName(value)}' for value: ${JSON.stringify(value)}`,
    );
  }

  evaluationFailed(location: string, cause: string, line: Line = this.line): StateFailure {
    const failure = this.failure('States.QueryEvaluationError', cause);
    // Recorded on AWS: an EvaluationFailed directly after StateEntered has the same previousEventId as StateEntered.
    if (line.lastEventId === this.enteredEventId) line.lastEventId = this.#beforeEntry;
    const { error, cause: wholeCause } = failure;
    const details = { error, cause: wholeCause, location, state: this.state.name };
    line.record('EvaluationFailed', 'evaluationFailed', details);
    return failure;
  }

  failure(error: string, cause: string): StateFailure {
    const where = `An error occurred while executing the state '${this.state.name}' (entered at the event id #${this.enteredEventId}).`;
    return new StateFailure(error, `${where} ${cause}`);
  }

  hold({ text }: Payload): void {
    this.line.held?.hold(Buffer.byteLength(text));
  }

  isTooBig(result: Payload): boolean {
    return exceedsBytes(result.text, this.line.run.engine.limits.payloadBytes);
  }

  checkSize(result: Payload): void {
    if (this.isTooBig(result))
      throw new StateFailure('States.DataLimitExceeded', tooBigCause(this.state.name));
  }

  take(result: Payload): void {
    this.hold(result);
    this.checkSize(result);
  }

  /**
   * Leaves the state. The expressions of Assign and Output see the variables before the assignment.
   * @param otherwise the output when there is no Output field
   */
  async leave(
    fields: { readonly assign?: Assign | undefined; readonly output?: Template | undefined },
    otherwise: Payload,
    result: StateResult = {},
  ): Promise<Payload> {
    const assigned =
      fields.assign === undefined ? undefined : await this.#evaluateAssign(fields.assign, result);
    const output =
      fields.output === undefined ? otherwise : payload(await this.evaluate(fields.output, result));
    this.take(output);
    if (assigned !== undefined) this.line.variables.assign(assigned, this.line.run.engine.limits);
    this.line.record(`${this.state.type}StateExited`, 'stateExited', {
      name: this.state.name,
      output: output.text,
      outputDetails: NOT_TRUNCATED,
      ...(assigned !== undefined &&
        assigned.length > 0 && {
          assignedVariables: Object.fromEntries(assigned.map(([name, , text]) => [name, text])),
          assignedVariablesDetails: NOT_TRUNCATED,
        }),
    });
    this.line.openState = undefined;
    return output;
  }

  async #evaluateAssign(assign: Assign, result: StateResult): Promise<Array<[string, Json, string]>> {
    const assigned: Array<[string, Json, string]> = [];
    for (const [name, template] of assign) {
      const value = await this.evaluate(template, result);
      assigned.push([name, value, JSON.stringify(value)]);
    }
    return assigned;
  }

  #scope(result: StateResult, line: Line): ExpressionScope {
    return {
      states: () => ({ input: this.input.value, context: contextObject(line, this), ...result }),
      variable: name => line.variables.get(name),
      runtime: line.run.engine,
    };
  }

  async #evaluateExpression(
    expression: AslExpression,
    field: string,
    scope: ExpressionScope,
    line: Line,
  ): Promise<Json> {
    const what = `The JSONata expression '${expression.source}' specified for the field '${field}'`;
    let value: unknown;
    try {
      value = await expression.evaluate(scope);
    } catch (error) {
      const cause = `${what} threw an error during evaluation${describeEvaluationError(error)}`;
      throw this.evaluationFailed(field, cause, line);
    }
    if (value === undefined)
      throw this.evaluationFailed(field, `${what} returned nothing (undefined).`, line);
    try {
      return toJson(value);
    } catch (error) {
      if (!(error instanceof NotJsonError)) throw error;
      throw this.evaluationFailed(field, `${what} returned an unsupported result type.`, line);
    }
  }
}
