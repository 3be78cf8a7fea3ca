import type { State } from '../definition.ts';
import { isBoolean, isIntegerFrom, isText, parseTimestamp } from '../field-checks.ts';
import { MAX_SECONDS } from '../limits.ts';
import {
  AFTER_RESULT,
  BEFORE,
  takeAssign,
  takeCatch,
  takeField,
  takeNext,
  takeRetry,
  takeTemplate,
} from './fields.ts';
import { type LoadContext, loadGraph } from './graph.ts';
import { loadMap } from './map.ts';
import { explainField, type FieldReader } from './problems.ts';
import { takeResource } from './resource.ts';

const STATE_TYPES = ['Task', 'Pass', 'Choice', 'Wait', 'Succeed', 'Fail', 'Parallel', 'Map'] as const;

/** Reads one state; undefined when its type or language is invalid, so that its other fields cannot be checked. */
export function loadState(name: string, reader: FieldReader, context: LoadContext): State | undefined {
  const type = reader.takeOneOf('Type', STATE_TYPES);
  if (!reader.has('Type')) reader.problem('Type', `one of ${STATE_TYPES.join(', ')}`, 'nothing');
  const own = reader.takeOneOf('QueryLanguage', ['JSONata', 'JSONPath']);
  const language = own ?? context.language;
  if (language !== 'JSONata') {
    const got = own === undefined ? 'JSONPath, the default' : 'JSONPath';
    reader.problem('QueryLanguage', 'JSONata, the only language of this interpreter', got);
    return undefined;
  }
  if (type === undefined) return undefined;
  reader.takeString('Comment');
  const state = LOADERS[type](name, reader, context);
  reader.refuseUnknown(`a JSONata ${type} state`, explainField);
  return state;
}

type Loader = (name: string, reader: FieldReader, context: LoadContext) => State;

const LOADERS: Record<(typeof STATE_TYPES)[number], Loader> = {
  Task: loadTask,
  Pass: (name, reader) => ({
    type: 'Pass',
    name,
    output: takeTemplate(reader, 'Output', BEFORE),
    assign: takeAssign(reader, BEFORE),
    next: takeNext(reader),
  }),
  Choice: loadChoice,
  Wait: loadWait,
  Succeed: (name, reader) => ({ type: 'Succeed', name, output: takeTemplate(reader, 'Output', BEFORE) }),
  Fail: (name, reader) => ({
    type: 'Fail',
    name,
    error: takeField(reader, 'Error', isText, 'a string'),
    cause: takeField(reader, 'Cause', isText, 'a string'),
  }),
  Parallel: loadParallel,
  Map: loadMap,
};

const isSeconds = isIntegerFrom(1, MAX_SECONDS);

function loadTask(name: string, reader: FieldReader, { isMocked }: LoadContext): State {
  const resource = takeResource(reader, isMocked);
  const timeoutSeconds = takeField(
    reader,
    'TimeoutSeconds',
    isSeconds,
    `an integer from 1 to ${MAX_SECONDS}`,
  );
  const heartbeatSeconds = takeField(
    reader,
    'HeartbeatSeconds',
    isSeconds,
    `an integer from 1 to ${MAX_SECONDS}`,
  );
  if (timeoutSeconds !== undefined && heartbeatSeconds !== undefined) {
    if (
      'literal' in timeoutSeconds &&
      'literal' in heartbeatSeconds &&
      heartbeatSeconds.literal >= timeoutSeconds.literal
    ) {
      reader.problem(
        'HeartbeatSeconds',
        `less than TimeoutSeconds (${timeoutSeconds.literal})`,
        String(heartbeatSeconds.literal),
      );
    }
  }
  return {
    type: 'Task',
    name,
    resource,
    arguments: takeTemplate(reader, 'Arguments', BEFORE),
    timeoutSeconds,
    heartbeatSeconds,
    output: takeTemplate(reader, 'Output', AFTER_RESULT),
    assign: takeAssign(reader, AFTER_RESULT),
    retry: takeRetry(reader),
    catch: takeCatch(reader),
    next: takeNext(reader),
  };
}

function loadChoice(name: string, reader: FieldReader): State {
  if (!reader.has('Choices')) reader.problem('Choices', 'a non-empty array of rules', 'nothing');
  const choices = reader.takeReaders('Choices').map((rule, index) => {
    rule.takeString('Comment');
    const field = `Choices[${index}]`;
    const condition = takeField(rule, 'Condition', isBoolean, 'a boolean', `${field}/Condition`);
    if (!rule.has('Condition'))
      rule.problem('Condition', 'a boolean or a JSONata expression for it', 'nothing');
    const result = {
      condition: condition ?? { literal: false },
      next: rule.takeRequiredString('Next') ?? '',
      output: takeTemplate(rule, 'Output', BEFORE, `${field}/Output`),
      assign: takeAssign(rule, BEFORE, `${field}/Assign`),
    };
    rule.refuseUnknown('a JSONata choice rule', explainField);
    return result;
  });
  return {
    type: 'Choice',
    name,
    choices,
    defaultNext: reader.takeString('Default'),
    output: takeTemplate(reader, 'Output', BEFORE),
    assign: takeAssign(reader, BEFORE),
  };
}

function loadWait(name: string, reader: FieldReader): State {
  const seconds = takeField(
    reader,
    'Seconds',
    isIntegerFrom(0, MAX_SECONDS),
    `an integer from 0 to ${MAX_SECONDS}`,
  );
  const isTimestamp = (value: unknown): value is string =>
    isText(value) && parseTimestamp(value) !== undefined;
  const timestamp = takeField(reader, 'Timestamp', isTimestamp, 'a time such as 2030-01-31T12:00:00.000Z');
  if (reader.has('Seconds') === reader.has('Timestamp')) {
    reader.problem(undefined, 'either Seconds or Timestamp', reader.has('Seconds') ? 'both' : 'neither');
  }
  return {
    type: 'Wait',
    name,
    until: timestamp === undefined ? { seconds: seconds ?? { literal: 0 } } : { timestamp },
    output: takeTemplate(reader, 'Output', BEFORE),
    assign: takeAssign(reader, BEFORE),
    next: takeNext(reader),
  };
}

function loadParallel(name: string, reader: FieldReader, context: LoadContext): State {
  if (!reader.has('Branches')) reader.problem('Branches', 'a non-empty array of branches', 'nothing');
  const branches = reader.takeReaders('Branches').map(branch => {
    branch.takeString('Comment');
    const graph = loadGraph(branch, context);
    branch.refuseUnknown('a branch', explainField);
    return graph;
  });
  return {
    type: 'Parallel',
    name,
    branches,
    arguments: takeTemplate(reader, 'Arguments', BEFORE),
    output: takeTemplate(reader, 'Output', AFTER_RESULT),
    assign: takeAssign(reader, AFTER_RESULT),
    retry: takeRetry(reader),
    catch: takeCatch(reader),
    next: takeNext(reader),
  };
}
