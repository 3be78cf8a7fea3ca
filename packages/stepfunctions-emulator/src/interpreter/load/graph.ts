import type { State, StateGraph } from '../definition.ts';
import { isObject, type JsonObject } from '../json.ts';
import { escapePointer } from '../jsonata/template.ts';
import { NAME_LENGTH } from '../limits.ts';
import { type DefinitionProblem, FieldReader, quote } from './problems.ts';
import { loadState } from './state.ts';

export type QueryLanguage = 'JSONata' | 'JSONPath';

/** The surroundings of a state while it is loaded. */
export interface LoadContext {
  readonly problems: DefinitionProblem[];
  /** Query language of the state machine: as measured on AWS, states inside a Map or a Parallel do not use that of the Map or Parallel. */
  readonly language: QueryLanguage;
  /** Names of all states of the whole machine → their paths. */
  readonly names: Map<string, string>;
  /** Labels of the whole machine → their paths. */
  readonly labels: Map<string, string>;
  /** Whether a Resource that is not implemented can be mocked. */
  readonly isMocked: (arn: string) => boolean;
  /** Whether it is inside a distributed Map with Express children, where no other distributed Map is allowed. */
  readonly express: boolean;
}

/** Reads `StartAt` and `States` of a machine, a branch or an item processor. */
export function loadGraph(reader: FieldReader, context: LoadContext): StateGraph {
  const startAt = reader.takeRequiredString('StartAt') ?? '';
  const raw = reader.takeObject('States');
  if (raw === undefined) {
    if (!reader.has('States')) reader.problem('States', 'an object with at least one state', 'nothing');
    return { startAt, states: new Map() };
  }
  const before = context.problems.length;
  const states = loadStates(new FieldReader(raw, reader.at('States'), context.problems), context);
  if (Object.keys(raw).length === 0) reader.problem('States', 'at least one state', 'none');
  else if (!Object.hasOwn(raw, startAt))
    context.problems.push(missingTarget(reader.at('StartAt'), 'the name of a state in States', startAt));
  // Reachability is checked only when all states of the graph are valid.
  else if (context.problems.length === before) checkTransitions(reader, startAt, states);
  return { startAt, states };
}

function loadStates(reader: FieldReader, context: LoadContext): Map<string, State> {
  const states = new Map<string, State>();
  for (const name of Object.keys(reader.raw)) {
    checkName(reader, name, context);
    const raw = reader.take(name);
    if (!isObject(raw)) {
      reader.problem(name, 'a state (an object)', quote(raw));
      continue;
    }
    const state = loadState(
      name,
      new FieldReader(raw as JsonObject, reader.at(name), context.problems),
      context,
    );
    if (state !== undefined) states.set(name, state);
  }
  return states;
}

function checkName(reader: FieldReader, name: string, context: LoadContext): void {
  if (name.length === 0 || name.length > NAME_LENGTH) {
    reader.problem(name, `a name of 1 to ${NAME_LENGTH} characters`, `${name.length} characters`);
  }
  const other = context.names.get(name);
  if (other !== undefined) {
    reader.problem(name, 'a name that no other state of the machine has', `the name of ${other}`);
  }
  context.names.set(name, reader.at(name));
}

function checkTransitions(reader: FieldReader, startAt: string, states: ReadonlyMap<string, State>): void {
  const { problems } = reader;
  const pathOf = (name: string) => `${reader.at('States')}/${escapePointer(name)}`;
  const reached = new Set<string>([startAt]);
  for (const name of reached) {
    const state = states.get(name);
    if (state === undefined) continue;
    for (const [field, target] of transitions(state)) {
      if (states.has(target)) reached.add(target);
      else
        problems.push(
          missingTarget(`${pathOf(name)}${field}`, 'the name of a state beside this one', target),
        );
    }
  }
  // As measured on AWS, an endless loop is accepted inside of a Map or a Parallel, and then unreachable states are not reported.
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
  // AWS uses this message for every field that names a state, also StartAt and Default.
  diagnostic: { code: 'MISSING_TRANSITION_TARGET', message: `Missing 'Next' target: ${target}` },
});

const endsGraph = (state: State): boolean =>
  state.type !== 'Choice' && !('next' in state && state.next !== undefined);

/** States to which a state can lead, with the names of the fields. */
function transitions(state: State): Array<readonly [string, string]> {
  const found: Array<readonly [string, string]> = [];
  if (state.type === 'Choice') {
    state.choices.forEach((rule, index) => {
      found.push([`/Choices/${index}/Next`, rule.next]);
    });
    if (state.defaultNext !== undefined) found.push(['/Default', state.defaultNext]);
    return found;
  }
  if ('next' in state && state.next !== undefined) found.push(['/Next', state.next]);
  if ('catch' in state) {
    state.catch.forEach((catcher, index) => {
      found.push([`/Catch/${index}/Next`, catcher.next]);
    });
  }
  return found;
}
