import { STATES_ERRORS } from '../failure.ts';
import { integerFrom, isText } from '../field-checks.ts';
import { MAX_DELAY_SECONDS, MAX_SECONDS } from '../limits.ts';
import {
  assign,
  constant,
  type FieldReader,
  list,
  oneOf,
  or,
  type Read,
  readFields,
  requiredText,
  template,
  text,
} from './fields.ts';
import { quote } from './problems.ts';

export type Retrier = ReturnType<typeof readRetrier>;

function readRetrier(reader: FieldReader, last: boolean) {
  const retrier = readFields(reader, 'a retrier', {
    Comment: text,
    ErrorEquals: errorEquals(last),
    IntervalSeconds: or(1, constant(integerFrom(1, MAX_SECONDS))),
    MaxAttempts: or(3, constant(integerFrom(0, MAX_SECONDS))),
    MaxDelaySeconds: constant(integerFrom(1, MAX_DELAY_SECONDS)),
    BackoffRate: or(2, constant(BACKOFF_RATE)),
    JitterStrategy: or('NONE', oneOf('FULL', 'NONE')),
  });
  const { intervalSeconds, maxDelaySeconds } = retrier;
  if (maxDelaySeconds !== undefined && maxDelaySeconds <= intervalSeconds) {
    reader.problem(
      'MaxDelaySeconds',
      `more than IntervalSeconds (${intervalSeconds})`,
      String(maxDelaySeconds),
    );
  }
  return retrier;
}

const BACKOFF_RATE = {
  accepts: (value: unknown): value is number => typeof value === 'number' && value >= 1,
  expected: 'a number of at least 1.0',
};

export type Catcher = ReturnType<typeof readCatcher>;

const AFTER_ERROR = { result: false, errorOutput: true };

const readCatcher = (reader: FieldReader, last: boolean) =>
  readFields(reader, 'a catcher', {
    Comment: text,
    ErrorEquals: errorEquals(last),
    Next: requiredText,
    Output: template(AFTER_ERROR),
    Assign: assign(AFTER_ERROR),
  });

export const HANDLERS = {
  Retry: list('may be empty', readRetrier),
  Catch: list('may be empty', readCatcher),
};

function errorEquals(last: boolean): Read<readonly string[]> {
  return (reader, key) => {
    const names = reader.take(key);
    if (!Array.isArray(names) || names.length === 0 || !names.every(isText)) {
      reader.problem(key, 'a non-empty array of strings', names === undefined ? 'nothing' : quote(names));
      return [];
    }
    for (const name of names) {
      if (!name.startsWith('States.') || STATES_ERRORS.has(name) || name.startsWith('States.Http.')) continue;
      const known = [...STATES_ERRORS].join(', ');
      reader.problem(key, `a name without "States.", or one of ${known}, States.Http.…`, quote(name));
    }
    if (names.includes('States.ALL') && (names.length > 1 || !last)) {
      const got = names.length > 1 ? quote(names) : 'an entry that others follow';
      reader.problem(key, 'States.ALL alone and in the last entry', got);
    }
    return names;
  };
}
