import type { Assign, Definition, State, StateGraph, WorkflowType } from '../definition.ts';
import { exceedsBytes, isObject, type Json, type JsonObject } from '../json.ts';
import { DEFINITION_BYTES, MAX_SECONDS } from '../limits.ts';
import { type LoadContext, loadGraph, type QueryLanguage } from './graph.ts';
import { type DefinitionProblem, FieldReader, InvalidDefinitionError, quote } from './problems.ts';

/** Variable → the state that assigns it. */
type Assigned = Map<string, string>;

/**
 * Checks the scopes of variables: one that an outer scope assigns cannot be assigned in a Parallel branch or an item processor inside of
 * it. The inner assignment would be lost, and AWS refuses the definition ("Variable scope" in the Developer Guide). Assignments in the
 * Parallel's or the Map's own Catch are allowed, as recorded on AWS.
 */
function checkVariableScopes(graph: StateGraph, problems: DefinitionProblem[]): void {
  checkGraph(graph, new Map(), '', problems);
}

function checkGraph(
  graph: StateGraph,
  outer: Readonly<Assigned>,
  path: string,
  problems: DefinitionProblem[],
): void {
  for (const state of graph.states.values()) {
    for (const name of new Set([...assignedBy(state), ...assignedByCatch(state)])) {
      const where = outer.get(name);
      if (where === undefined) continue;
      const expected = 'a variable name that no outer scope assigns';
      problems.push({
        path: `${path}/States/${state.name}/Assign/${name}`,
        expected,
        got: `the variable that ${where} assigns`,
      });
    }
  }
  for (const state of graph.states.values()) {
    const here = `${path}/States/${state.name}`;
    for (const [field, inner] of innerGraphs(state)) {
      checkGraph(inner, visibleIn(state, graph, outer), `${here}/${field}`, problems);
    }
  }
}

function innerGraphs(state: State): Array<readonly [field: string, graph: StateGraph]> {
  if (state.type === 'Map') return [['ItemProcessor', state.processor]];
  if (state.type !== 'Parallel') return [];
  return state.branches.map((branch, index) => [`Branches/${index}`, branch] as const);
}

/** The variables of a Parallel or a Map that the states inside of it can read. */
function visibleIn(owner: State, graph: StateGraph, outer: Readonly<Assigned>): Assigned {
  const visible = new Map(outer);
  for (const state of graph.states.values()) {
    const names = [...assignedBy(state), ...(state === owner ? [] : assignedByCatch(state))];
    for (const name of names) visible.set(name, outer.get(name) ?? state.name);
  }
  return visible;
}

function assignedBy(state: State): string[] {
  const own = 'assign' in state ? namesOf(state.assign) : [];
  if (state.type !== 'Choice') return own;
  return [...own, ...state.choices.flatMap(rule => namesOf(rule.assign))];
}

const assignedByCatch = (state: State): string[] =>
  'catch' in state ? state.catch.flatMap(catcher => namesOf(catcher.assign)) : [];

const namesOf = (assign: Assign | undefined): string[] => (assign ?? []).map(([name]) => name);

/**
 * Reads a definition in the Amazon States Language and compiles its expressions. Strict: fields that are unknown, not implemented, or
 * refused by CreateStateMachine are problems, and all problems are reported together.
 * @param source the definition's JSON text, or its parsed value
 * @param type of the state machine: an Express one can't have a distributed Map
 * @param isMocked whether a Resource that is not implemented, by its ARN, is accepted: `EngineOptions.resources` has to answer it.
 * @default none is
 * @throws InvalidDefinitionError with the path of each offending field
 */
export function loadDefinition(
  source: unknown,
  type: WorkflowType = 'STANDARD',
  isMocked: (arn: string) => boolean = () => false,
): Definition {
  const raw = typeof source === 'string' ? parseText(source) : (source as Json);
  if (!isObject(raw)) throw refusal('', 'an object', quote(raw));
  const problems: DefinitionProblem[] = [];
  const reader = new FieldReader(raw as JsonObject, '', problems);
  const loaded = loadWithinStack(reader, { express: type === 'EXPRESS', isMocked });
  const bytes = Buffer.byteLength(typeof source === 'string' ? source : JSON.stringify(raw));
  const definition = { ...loaded, bytes };
  if (problems.length === 0) checkVariableScopes(definition, problems);
  if (problems.length > 0) throw new InvalidDefinitionError(problems);
  return definition;
}

function refusal(path: string, expected: string, got: string): InvalidDefinitionError {
  return new InvalidDefinitionError([{ path, expected, got }]);
}

function parseText(text: string): Json {
  if (exceedsBytes(text, DEFINITION_BYTES)) {
    throw refusal('', `at most ${DEFINITION_BYTES} bytes`, `${Buffer.byteLength(text)} bytes`);
  }
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw refusal('', 'JSON', (error as Error).message);
  }
}

type Loaded = Omit<Definition, 'bytes'>;
type Surroundings = Pick<LoadContext, 'express' | 'isMocked'>;

function loadWithinStack(reader: FieldReader, surroundings: Surroundings): Loaded {
  try {
    return loadTop(reader, surroundings);
  } catch (error) {
    if (error instanceof RangeError) throw refusal('', 'a definition', 'one that is nested too deeply');
    throw error;
  }
}

function loadTop(reader: FieldReader, surroundings: Surroundings): Loaded {
  const comment = reader.takeString('Comment');
  const version = reader.takeString('Version');
  if (version !== undefined && version !== '1.0') reader.problem('Version', '"1.0"', quote(version));
  const timeoutSeconds = reader.takeInteger('TimeoutSeconds', 1, MAX_SECONDS);
  const language: QueryLanguage = reader.takeOneOf('QueryLanguage', ['JSONata', 'JSONPath']) ?? 'JSONPath';
  const context: LoadContext = {
    problems: reader.problems,
    language,
    names: new Map(),
    labels: new Map(),
    ...surroundings,
  };
  const graph = loadGraph(reader, context);
  reader.refuseUnknown('a state machine');
  return { ...graph, comment, timeoutSeconds, hasDistributedMap: hasDistributedMap(graph) };
}

function hasDistributedMap({ states }: StateGraph): boolean {
  return [...states.values()].some(state => {
    if (state.type === 'Parallel') return state.branches.some(hasDistributedMap);
    return state.type === 'Map' && (state.mode.kind === 'DISTRIBUTED' || hasDistributedMap(state.processor));
  });
}
