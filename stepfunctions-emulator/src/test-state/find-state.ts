import type { State, StateGraph } from '../interpreter/definition.ts';
import { isObject, type Json, type JsonObject } from '../interpreter/json.ts';
import { loadDefinition } from '../interpreter/load/machine.ts';
import {
  type DefinitionProblem,
  FieldReader,
  InvalidDefinitionError,
  quote,
} from '../interpreter/load/problems.ts';
import { checkVariableScopes } from '../interpreter/load/scopes.ts';
import { loadState } from '../interpreter/load/state.ts';
import { InvalidTestStateError } from './errors.ts';
import type { TestStateRequest } from './request.ts';

/** AWS's name for a state that is tested without its state machine. */
const STATE_NAME = 'StateName';

/** With a mock no resource is called. */
const ANY_RESOURCE = () => true;

/**
 * Finds the state to test: the definition itself, or the state of that name at any depth.
 * @throws {InvalidDefinitionError}
 * @throws {InvalidTestStateError} when the state machine has no such state
 */
export function findState({
  definition,
  stateName,
}: Pick<TestStateRequest, 'definition' | 'stateName'>): State {
  if (stateName === undefined) return loadSingleState(definition);
  const found = findInside(loadDefinition(definition, 'STANDARD', ANY_RESOURCE), stateName);
  if (found === undefined) throw new InvalidTestStateError('State not found in definition');
  return found;
}

/** Finds a state by name in a graph, or in a Map or Parallel of it. */
export function findInside(graph: StateGraph, name: string): State | undefined {
  const own = graph.states.get(name);
  if (own !== undefined) return own;
  for (const state of graph.states.values()) {
    for (const inner of graphsIn(state)) {
      const found = findInside(inner, name);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** The branches of a Parallel, or the item processor of a Map. */
export function graphsIn(state: State): readonly StateGraph[] {
  if (state.type === 'Parallel') return state.branches;
  return state.type === 'Map' ? [state.processor] : [];
}

/** Loads a single state: the targets of its transitions do not exist, and are not checked. */
function loadSingleState(source: unknown): State {
  const raw = typeof source === 'string' ? parse(source) : (source as Json);
  if (!isObject(raw)) throw refusal('a state (an object)', quote(raw));
  if ('States' in raw && !('Type' in raw)) {
    throw refusal(
      'one state, or stateName to say which state of this state machine is meant',
      'a state machine',
    );
  }
  const problems: DefinitionProblem[] = [];
  const state = loadWithinStack(new FieldReader(raw as JsonObject, '', problems));
  if (problems.length === 0 && state !== undefined) {
    checkVariableScopes({ startAt: STATE_NAME, states: new Map([[STATE_NAME, state]]) }, problems);
  }
  if (problems.length > 0 || state === undefined) throw new InvalidDefinitionError(problems);
  return state;
}

function loadWithinStack(reader: FieldReader): State | undefined {
  try {
    const { problems } = reader;
    // There is no state machine: the state's language is used in place of the state machine's.
    const language = reader.raw['QueryLanguage'] === 'JSONata' ? 'JSONata' : 'JSONPath';
    return loadState(STATE_NAME, reader, {
      problems,
      language,
      names: new Map(),
      labels: new Map(),
      isMocked: ANY_RESOURCE,
      express: false,
    });
  } catch (error) {
    if (error instanceof RangeError) throw refusal('a state', 'one that is nested too deeply');
    throw error;
  }
}

function refusal(expected: string, got: string): InvalidDefinitionError {
  return new InvalidDefinitionError([{ path: '', expected, got }]);
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw refusal('JSON', (error as Error).message);
  }
}
