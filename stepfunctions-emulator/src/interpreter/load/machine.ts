import type { Definition, StateGraph, WorkflowType } from '../definition.ts';
import { exceedsBytes, isObject, type Json, type JsonObject } from '../json.ts';
import { DEFINITION_BYTES, MAX_SECONDS } from '../limits.ts';
import { type LoadContext, loadGraph, type QueryLanguage } from './graph.ts';
import { type DefinitionProblem, FieldReader, InvalidDefinitionError, quote } from './problems.ts';
import { checkVariableScopes } from './scopes.ts';

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
