import { integerFrom } from '../field-checks.ts';
import { exceedsBytes, isObject, type Json, type JsonObject } from '../json.ts';
import { DEFINITION_BYTES, MAX_SECONDS, type WorkflowType } from '../limits.ts';
import { type Assign, constant, FieldReader, type LoadContext, oneOf, text } from './fields.ts';
import { type DefinitionProblem, InvalidDefinitionError, quote } from './problems.ts';
import { readGraph, type State, type StateGraph } from './states.ts';

/** A checked definition with compiled expressions. An execution does not change a definition, so executions can share a definition. */
export interface Definition extends StateGraph {
  readonly bytes: number;
  readonly timeoutSeconds: number | undefined;
  /** Whether the definition contains a distributed Map at any depth. An Express state machine cannot contain a distributed Map. */
  readonly hasDistributedMap: boolean;
}

type Assigned = ReadonlyMap<string, string>;

/**
 * Adds a problem for each inner state that assigns a variable of an outer scope, as AWS does. A variable that only the Catch of the
 * surrounding Map or Parallel assigns is no problem (recorded on AWS).
 */
function checkVariableScopes(
  { states }: StateGraph,
  problems: DefinitionProblem[],
  outer: Assigned = new Map(),
  path = '',
): void {
  const all = [...states.values()];
  for (const state of all) {
    for (const name of new Set([...assignedBy(state), ...assignedByCatch(state)])) {
      const where = outer.get(name);
      if (where === undefined) continue;
      problems.push({
        path: `${path}/States/${state.name}/Assign/${name}`,
        expected: 'a variable name that no outer scope assigns',
        got: `the variable that ${where} assigns`,
      });
    }
  }
  for (const owner of all) {
    const visible = new Map(outer);
    for (const state of all) {
      const names = [...assignedBy(state), ...(state === owner ? [] : assignedByCatch(state))];
      for (const name of names) visible.set(name, outer.get(name) ?? state.name);
    }
    for (const [at, inner] of innerGraphs(owner)) {
      checkVariableScopes(inner, problems, visible, `${path}/States/${owner.name}/${at}`);
    }
  }
}

function innerGraphs(state: State): (readonly [field: string, graph: StateGraph])[] {
  if (state.type === 'Map') return [['ItemProcessor', state.processor]];
  if (state.type !== 'Parallel') return [];
  return state.branches.map((branch, index) => [`Branches/${index}`, branch] as const);
}

function assignedBy(state: State): string[] {
  const own = 'assign' in state ? namesOf(state.assign) : [];
  return state.type === 'Choice' ? [...own, ...state.choices.flatMap(rule => namesOf(rule.assign))] : own;
}

const assignedByCatch = (state: State): string[] =>
  'catch' in state ? state.catch.flatMap(catcher => namesOf(catcher.assign)) : [];

const namesOf = (assign: Assign | undefined): string[] => (assign ?? []).map(([name]) => name);

/**
 * Reads a definition in the Amazon States Language and compiles its expressions. A field that is unknown, not implemented, or refused by
 * CreateStateMachine is a problem.
 * @param source the definition's JSON text, or its parsed value
 * @param isMocked whether to accept a Resource that is not implemented, whose calls `EngineOptions.resources` must answer. @default never
 * @throws InvalidDefinitionError with the path of each wrong field
 */
export function loadDefinition(
  source: unknown,
  type: WorkflowType = 'STANDARD',
  isMocked: (arn: string) => boolean = () => false,
): Definition {
  const raw = typeof source === 'string' ? parseText(source) : (source as Json);
  if (!isObject(raw)) throw refusal('an object', quote(raw));
  const problems: DefinitionProblem[] = [];
  try {
    const loaded = readTop(raw as JsonObject, { problems, isMocked, express: type === 'EXPRESS' });
    if (problems.length === 0) checkVariableScopes(loaded, problems);
    if (problems.length > 0) throw new InvalidDefinitionError(problems);
    const bytes = Buffer.byteLength(typeof source === 'string' ? source : JSON.stringify(raw));
    return { ...loaded, bytes };
  } catch (error) {
    if (error instanceof RangeError) throw refusal('a definition', 'one that is nested too deeply');
    throw error;
  }
}

const refusal = (expected: string, got: string) => new InvalidDefinitionError([{ path: '', expected, got }]);

function parseText(source: string): Json {
  if (exceedsBytes(source, DEFINITION_BYTES)) {
    throw refusal(`at most ${DEFINITION_BYTES} bytes`, `${Buffer.byteLength(source)} bytes`);
  }
  try {
    return JSON.parse(source) as Json;
  } catch (error) {
    throw refusal('JSON', (error as Error).message);
  }
}

function readTop(
  raw: JsonObject,
  surroundings: Pick<LoadContext, 'problems' | 'isMocked' | 'express'>,
): Omit<Definition, 'bytes'> {
  const language = raw['QueryLanguage'] === 'JSONata' ? 'JSONata' : 'JSONPath';
  const reader = new FieldReader(raw, '', { ...surroundings, language, names: new Map(), labels: new Map() });
  text(reader, 'Comment');
  const version = text(reader, 'Version');
  if (version !== undefined && version !== '1.0') reader.problem('Version', '"1.0"', quote(version));
  oneOf('JSONata', 'JSONPath')(reader, 'QueryLanguage');
  const timeoutSeconds = constant(integerFrom(1, MAX_SECONDS))(reader, 'TimeoutSeconds');
  const graph = readGraph(reader);
  reader.refuseUnknown('a state machine');
  return { ...graph, timeoutSeconds, hasDistributedMap: hasDistributedMap(graph) };
}

const hasDistributedMap = ({ states }: StateGraph): boolean =>
  [...states.values()].some(
    state =>
      (state.type === 'Map' && state.children !== undefined) ||
      innerGraphs(state).some(([, graph]) => hasDistributedMap(graph)),
  );
