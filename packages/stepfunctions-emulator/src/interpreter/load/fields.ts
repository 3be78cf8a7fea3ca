import type { Assign, Catcher, Field, Retrier } from '../definition.ts';
import { STATES_ERRORS } from '../failure.ts';
import { isText } from '../field-checks.ts';
import type { ExpressionPlace } from '../jsonata/rules.ts';
import { compileTemplate, expressionIn, type ReportProblem, type Template } from '../jsonata/template.ts';
import { MAX_DELAY_SECONDS, MAX_SECONDS, NAME_LENGTH } from '../limits.ts';
import { type FieldReader, quote } from './problems.ts';

/** Fields that are evaluated before the state has a result. */
export const BEFORE: ExpressionPlace = { result: false, errorOutput: false };
/** Assign and Output of Task, Parallel and Map. */
export const AFTER_RESULT: ExpressionPlace = { result: true, errorOutput: false };
/** Assign and Output of a Catch. */
const AFTER_ERROR: ExpressionPlace = { result: false, errorOutput: true };

const reporter =
  (reader: FieldReader): ReportProblem =>
  (path, error) => {
    reader.problems.push({
      path,
      expected: 'a JSONata expression that Step Functions accepts',
      got: error.message,
    });
  };

/** Reads a payload: any JSON, with expressions in its strings. */
export function takeTemplate(
  reader: FieldReader,
  key: string,
  place: ExpressionPlace,
  field = key,
): Template | undefined {
  const value = reader.take(key);
  if (value === undefined) return undefined;
  return compileTemplate(value, reader.at(key), field, place, reporter(reader));
}

/** Reads a field that is either an expression or a literal that `check` accepts. */
export function takeField<T>(
  reader: FieldReader,
  key: string,
  check: (value: unknown) => value is T,
  expected: string,
  field = key,
): Field<T> | undefined {
  const value = reader.take(key);
  if (value === undefined) return undefined;
  if (typeof value === 'string') {
    try {
      const expression = expressionIn(value, BEFORE);
      if (expression !== undefined) return { expression, field };
    } catch (error) {
      reporter(reader)(reader.at(key), error as Error);
      return undefined;
    }
  }
  if (check(value)) return { literal: value };
  reader.problem(key, `${expected} or a JSONata expression for it`, quote(value));
  return undefined;
}

const VARIABLE_NAME = /^\p{ID_Start}\p{ID_Continue}*$/u;

export function takeAssign(
  reader: FieldReader,
  place: ExpressionPlace,
  field = 'Assign',
): Assign | undefined {
  const raw = reader.takeObject('Assign');
  if (raw === undefined) return undefined;
  return Object.entries(raw).map(([name, value]) => {
    const path = `${reader.at('Assign')}/${name}`;
    if (name === 'states') {
      reader.problems.push({
        path,
        expected: 'a variable of another name',
        got: '"states", which is reserved',
      });
    } else if (!VARIABLE_NAME.test(name) || name.length > NAME_LENGTH) {
      const expected = `a letter, then letters, digits or _, at most ${NAME_LENGTH} characters`;
      reader.problems.push({ path, expected, got: quote(name) });
    }
    return [name, compileTemplate(value, path, `${field}/${name}`, place, reporter(reader))] as const;
  });
}

/** Reads `Next` or `End: true`, but not both; undefined means the end. */
export function takeNext(reader: FieldReader): string | undefined {
  const next = reader.takeString('Next');
  const end = reader.take('End');
  if (end !== undefined && typeof end !== 'boolean') reader.problem('End', 'a boolean', quote(end));
  if (next !== undefined && end === true) reader.problem(undefined, 'either Next or End', 'both');
  else if (!reader.has('Next') && end !== true) reader.problem(undefined, 'Next or "End": true', 'neither');
  return next;
}

export function takeRetry(reader: FieldReader): readonly Retrier[] {
  const readers = reader.takeReaders('Retry', 'may be empty');
  return readers.map((retrier, index) => takeRetrier(retrier, index === readers.length - 1));
}

function takeRetrier(reader: FieldReader, last: boolean): Retrier {
  reader.takeString('Comment');
  const errorEquals = takeErrorEquals(reader, last);
  const intervalSeconds = reader.takeInteger('IntervalSeconds', 1, MAX_SECONDS) ?? 1;
  const maxAttempts = reader.takeInteger('MaxAttempts', 0, MAX_SECONDS) ?? 3;
  const maxDelaySeconds = reader.takeInteger('MaxDelaySeconds', 1, MAX_DELAY_SECONDS);
  if (maxDelaySeconds !== undefined && maxDelaySeconds <= intervalSeconds) {
    reader.problem(
      'MaxDelaySeconds',
      `more than IntervalSeconds (${intervalSeconds})`,
      String(maxDelaySeconds),
    );
  }
  const backoffRate = reader.take('BackoffRate') ?? 2;
  if (typeof backoffRate !== 'number' || backoffRate < 1) {
    reader.problem('BackoffRate', 'a number of at least 1.0', quote(backoffRate));
  }
  const jitter = reader.takeOneOf('JitterStrategy', ['FULL', 'NONE']) ?? 'NONE';
  reader.refuseUnknown('a retrier');
  return {
    errorEquals,
    intervalSeconds,
    maxAttempts,
    backoffRate: Number(backoffRate),
    maxDelaySeconds,
    jitter,
  };
}

export function takeCatch(reader: FieldReader): readonly Catcher[] {
  const readers = reader.takeReaders('Catch', 'may be empty');
  return readers.map((catcher, index) => {
    catcher.takeString('Comment');
    const errorEquals = takeErrorEquals(catcher, index === readers.length - 1);
    const field = `Catch[${index}]`;
    const result = {
      errorEquals,
      next: catcher.takeRequiredString('Next') ?? '',
      output: takeTemplate(catcher, 'Output', AFTER_ERROR, `${field}/Output`),
      assign: takeAssign(catcher, AFTER_ERROR, `${field}/Assign`),
    };
    catcher.refuseUnknown('a catcher');
    return result;
  });
}

function takeErrorEquals(reader: FieldReader, last: boolean): readonly string[] {
  const value = reader.take('ErrorEquals');
  if (!Array.isArray(value) || value.length === 0 || !value.every(isText)) {
    reader.problem(
      'ErrorEquals',
      'a non-empty array of strings',
      value === undefined ? 'nothing' : quote(value),
    );
    return [];
  }
  const names = value as string[];
  for (const name of names) {
    if (name.startsWith('States.') && !STATES_ERRORS.has(name) && !name.startsWith('States.Http.')) {
      const known = [...STATES_ERRORS].join(', ');
      reader.problem(
        'ErrorEquals',
        `a name without "States.", or one of ${known}, States.Http.…`,
        quote(name),
      );
    }
  }
  if (names.includes('States.ALL') && (names.length > 1 || !last)) {
    reader.problem(
      'ErrorEquals',
      'States.ALL alone and in the last entry',
      names.length > 1 ? quote(names) : 'an entry that others follow',
    );
  }
  return names;
}
