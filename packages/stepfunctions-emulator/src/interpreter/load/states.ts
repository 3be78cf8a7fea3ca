import { BOOLEAN, integerFrom, PERCENTAGE, TEXT, TIMESTAMP } from '../field-checks.ts';
import { isObject, type JsonObject } from '../json.ts';
import { escapePointer } from '../jsonata/template.ts';
import { LABEL_LENGTH, MAX_SECONDS, NAME_LENGTH, type WorkflowType } from '../limits.ts';
import {
  assign,
  type Field,
  FieldReader,
  field,
  list,
  object,
  oneOf,
  or,
  type Read,
  readFields,
  required,
  requiredText,
  template,
  text,
} from './fields.ts';
import { HANDLERS } from './handlers.ts';
import { type DefinitionProblem, quote } from './problems.ts';
import { readResource } from './resource.ts';

/** The states of a whole definition, of a branch of a Parallel, or of the item processor of a Map. */
export interface StateGraph {
  readonly startAt: string;
  readonly states: ReadonlyMap<string, State>;
}

type StateType = keyof typeof STATES;
export type StateOf<T extends StateType> = { readonly type: T; readonly name: string } & ReturnType<
  (typeof STATES)[T]
>;
export type State = { [T in StateType]: StateOf<T> }[StateType];

/** Reads Next and End. @returns the name of the next state; undefined for `"End": true` */
const next: Read<string | undefined> = reader => {
  const target = text(reader, 'Next');
  const end = reader.take('End');
  if (end !== undefined && typeof end !== 'boolean') reader.problem('End', 'a boolean', quote(end));
  if (target !== undefined && end === true) reader.problem(undefined, 'either Next or End', 'both');
  else if (!reader.has('Next') && end !== true) reader.problem(undefined, 'Next or "End": true', 'neither');
  return target;
};

const AFTER_RESULT = { result: true, errorOutput: false };
const PRODUCES = { Comment: text, Output: template(), Assign: assign() };
const HAS_RESULT = {
  ...HANDLERS,
  Comment: text,
  Output: template(AFTER_RESULT),
  Assign: assign(AFTER_RESULT),
  Next: next,
};
const COUNT = integerFrom(0);
const TASK_SECONDS = integerFrom(1, MAX_SECONDS);

const STATES = {
  Task(reader: FieldReader) {
    const resource = readResource(reader);
    const state = readFields(reader, 'a JSONata Task state', {
      ...HAS_RESULT,
      Arguments: template(),
      TimeoutSeconds: field(TASK_SECONDS),
      HeartbeatSeconds: field(TASK_SECONDS),
    });
    const [timeout, heartbeat] = [literalOf(state.timeoutSeconds), literalOf(state.heartbeatSeconds)];
    if (timeout !== undefined && heartbeat !== undefined && heartbeat >= timeout) {
      reader.problem('HeartbeatSeconds', `less than TimeoutSeconds (${timeout})`, String(heartbeat));
    }
    return { ...state, resource };
  },

  Pass: (reader: FieldReader) => readFields(reader, 'a JSONata Pass state', { ...PRODUCES, Next: next }),

  Choice: (reader: FieldReader) =>
    readFields(reader, 'a JSONata Choice state', {
      ...PRODUCES,
      Choices: required('a non-empty array of rules', list('not empty', readChoiceRule)),
      Default: text,
    }),

  Wait(reader: FieldReader) {
    const state = readFields(reader, 'a JSONata Wait state', {
      ...PRODUCES,
      Seconds: field(integerFrom(0, MAX_SECONDS)),
      Timestamp: field(TIMESTAMP),
      Next: next,
    });
    if (reader.has('Seconds') === reader.has('Timestamp')) {
      reader.problem(undefined, 'either Seconds or Timestamp', reader.has('Seconds') ? 'both' : 'neither');
    }
    return state;
  },

  Succeed: (reader: FieldReader) =>
    readFields(reader, 'a JSONata Succeed state', { Comment: text, Output: template() }),

  Fail: (reader: FieldReader) =>
    readFields(reader, 'a JSONata Fail state', { Comment: text, Error: field(TEXT), Cause: field(TEXT) }),

  Parallel: (reader: FieldReader) =>
    readFields(reader, 'a JSONata Parallel state', {
      ...HAS_RESULT,
      Branches: required('a non-empty array of branches', list('not empty', readBranch)),
      Arguments: template(),
    }),

  Map(reader: FieldReader) {
    const { graph, executionType } = processor(reader, 'ItemProcessor');
    const distributed = executionType !== undefined;
    if (!distributed && reader.take('Label') !== undefined) {
      reader.problem('Label', 'this field in a DISTRIBUTED Map only', 'an INLINE Map');
    }
    const label = distributed ? readLabel(reader) : undefined;
    checkItems(reader, distributed);
    const state = readFields(reader, 'a JSONata Map state', {
      ...HAS_RESULT,
      Items: template(),
      ItemSelector: template(),
      MaxConcurrency: field(COUNT),
      ToleratedFailureCount: field(COUNT),
      ToleratedFailurePercentage: field(PERCENTAGE),
    });
    return {
      ...state,
      processor: graph,
      children: distributed ? { executionType, label } : undefined,
    };
  },
};

const literalOf = <T>(value: Field<T> | undefined): T | undefined =>
  value !== undefined && 'literal' in value ? value.literal : undefined;

const readChoiceRule = (reader: FieldReader) =>
  readFields(reader, 'a JSONata choice rule', {
    ...PRODUCES,
    Condition: required('a boolean or a JSONata expression for it', field(BOOLEAN)),
    Next: requiredText,
  });

function readBranch(reader: FieldReader): StateGraph {
  text(reader, 'Comment');
  const graph = readGraph(reader);
  reader.refuseUnknown('a branch');
  return graph;
}

function checkItems(reader: FieldReader, distributed: boolean): void {
  const raw = reader.raw['Items'];
  if (raw === undefined || Array.isArray(raw)) return;
  if (typeof raw === 'string' && raw.startsWith('{%')) return;
  if (isObject(raw) && distributed) return;
  const kinds = distributed ? 'an array, an object' : 'an array';
  reader.problem('Items', `${kinds} or a JSONata expression for it`, quote(raw));
}

interface Processor {
  readonly graph: StateGraph;
  readonly executionType: WorkflowType | undefined;
}

const NO_PROCESSOR: Processor = { graph: { startAt: '', states: new Map() }, executionType: undefined };
const processor = or(NO_PROCESSOR, required('an object with StartAt and States', object(readProcessor)));

function readProcessor(reader: FieldReader): Processor {
  text(reader, 'Comment');
  const executionType = object(readConfig)(reader, 'ProcessorConfig');
  const express = reader.context.express || executionType === 'EXPRESS';
  const inner = new FieldReader(reader.raw, reader.path, { ...reader.context, express });
  const graph = readGraph(inner);
  for (const key of ['StartAt', 'States']) reader.take(key);
  reader.refuseUnknown('an ItemProcessor');
  return { graph, executionType };
}

function readConfig(reader: FieldReader): WorkflowType | undefined {
  if (oneOf('INLINE', 'DISTRIBUTED')(reader, 'Mode') !== 'DISTRIBUTED') {
    reader.refuseUnknown('the ProcessorConfig of an INLINE Map');
    return undefined;
  }
  if (reader.context.express) reader.problem('Mode', 'INLINE inside Express executions', '"DISTRIBUTED"');
  const type = required('STANDARD or EXPRESS', oneOf('STANDARD', 'EXPRESS'))(reader, 'ExecutionType');
  reader.refuseUnknown('a ProcessorConfig');
  return type ?? 'STANDARD';
}

function readLabel(reader: FieldReader): string | undefined {
  const label = text(reader, 'Label');
  if (label === undefined) return undefined;
  if (label.length < 1 || label.length > LABEL_LENGTH) {
    reader.problem('Label', `1 to ${LABEL_LENGTH} characters`, `${label.length} characters`);
  } else if (/[\s?*<>{}[\]:;,\\|^~$#%&`"\p{Cc}/]/u.test(label)) {
    reader.problem('Label', 'no white space, wildcards, brackets or special characters', quote(label));
  }
  const { labels } = reader.context;
  const other = labels.get(label);
  if (other !== undefined) reader.problem('Label', 'a label that no other Map has', `the label of ${other}`);
  labels.set(label, reader.path);
  return label;
}

export function readGraph(reader: FieldReader): StateGraph {
  const { problems } = reader.context;
  const startAt = requiredText(reader, 'StartAt');
  const before = problems.length;
  const states = required('an object with at least one state', object(readStates))(reader, 'States');
  if (states === undefined) return { startAt, states: new Map() };
  const names = Object.keys(reader.raw['States'] ?? {});
  if (names.length === 0) reader.problem('States', 'at least one state', 'none');
  else if (!names.includes(startAt))
    problems.push(missingTarget(reader.at('StartAt'), 'the name of a state in States', startAt));
  // Transitions are checked only if no state has a problem: a state with a problem may be missing in `states`.
  else if (problems.length === before) checkTransitions(reader, startAt, states);
  return { startAt, states };
}

function readStates(reader: FieldReader): Map<string, State> {
  const states = new Map<string, State>();
  for (const name of Object.keys(reader.raw)) {
    checkName(reader, name);
    const raw = reader.take(name);
    if (!isObject(raw)) {
      reader.problem(name, 'a state (an object)', quote(raw));
      continue;
    }
    const state = readState(name, new FieldReader(raw as JsonObject, reader.at(name), reader.context));
    if (state !== undefined) states.set(name, state);
  }
  return states;
}

/** Reads one state; undefined when its Type is invalid or its query language is JSONPath: the other fields cannot be checked then. */
function readState(name: string, reader: FieldReader): State | undefined {
  const types = Object.keys(STATES) as StateType[];
  const type = required(`one of ${types.join(', ')}`, oneOf(...types))(reader, 'Type');
  const own = oneOf('JSONata', 'JSONPath')(reader, 'QueryLanguage');
  if ((own ?? reader.context.language) !== 'JSONata') {
    const got = own === undefined ? 'JSONPath, the default' : 'JSONPath';
    reader.problem('QueryLanguage', 'JSONata, the only language of this interpreter', got);
    return undefined;
  }
  return type && ({ type, name, ...STATES[type](reader) } as State);
}

function checkName(reader: FieldReader, name: string): void {
  if (name.length === 0 || name.length > NAME_LENGTH) {
    reader.problem(name, `a name of 1 to ${NAME_LENGTH} characters`, `${name.length} characters`);
  }
  const { names } = reader.context;
  const other = names.get(name);
  if (other !== undefined) {
    reader.problem(name, 'a name that no other state of the machine has', `the name of ${other}`);
  }
  names.set(name, reader.at(name));
}

function checkTransitions(reader: FieldReader, startAt: string, states: ReadonlyMap<string, State>): void {
  const { problems } = reader.context;
  const pathOf = (name: string) => `${reader.at('States')}/${escapePointer(name)}`;
  const reached = new Set<string>([startAt]);
  for (const name of reached) {
    const state = states.get(name);
    if (state === undefined) continue;
    for (const [at, target] of transitions(state)) {
      if (states.has(target)) reached.add(target);
      else problems.push(missingTarget(pathOf(name) + at, 'the name of a state beside this one', target));
    }
  }
  // Measured on AWS: without a terminal state, AWS reports no unreachable states. Inside of a Map or Parallel, AWS requires no terminal
  // state.
  if (reader.path === '' && ![...states.values()].some(endsGraph)) {
    problems.push({
      path: '',
      expected: 'a state that ends the state machine: one with "End": true, a Succeed or a Fail',
      got: 'none',
      diagnostic: { code: 'MISSING_END_STATE', message: 'Workflow has no terminal state' },
    });
    return;
  }
  for (const name of states.keys()) {
    if (reached.has(name)) continue;
    problems.push({
      path: pathOf(name),
      expected: 'a state that can be reached',
      got: 'one that nothing leads to',
      diagnostic: { code: 'MISSING_TRANSITION_TARGET', message: `State "${name}" is not reachable.` },
    });
  }
}

const missingTarget = (path: string, expected: string, target: string): DefinitionProblem => ({
  path,
  expected,
  got: quote(target),
  // AWS uses this message not only for Next, but for every field that names a state, such as StartAt and Default.
  diagnostic: { code: 'MISSING_TRANSITION_TARGET', message: `Missing 'Next' target: ${target}` },
});

const endsGraph = (state: State): boolean =>
  state.type !== 'Choice' && !('next' in state && state.next !== undefined);

function transitions(state: State): (readonly [string, string])[] {
  const all: (readonly [string, string | undefined])[] =
    state.type === 'Choice'
      ? [
          ...state.choices.map((rule, index) => [`/Choices/${index}/Next`, rule.next] as const),
          ['/Default', state.default],
        ]
      : [
          ['/Next', 'next' in state ? state.next : undefined],
          ...('catch' in state ? state.catch : []).map(
            (catcher, index) => [`/Catch/${index}/Next`, catcher.next] as const,
          ),
        ];
  return all.filter((one): one is readonly [string, string] => one[1] !== undefined);
}
