import { isObject } from '../json.ts';
import { ASL_FUNCTIONS } from './functions.ts';

/** The functions of JSONata 2.0.6, the version that AWS documents for Step Functions. `$eval` is missing: AWS does not support `$eval`. */
const JSONATA_FUNCTIONS: ReadonlySet<string> = new Set(
  (
    'abs append assert average base64decode base64encode boolean ceil clone contains count decodeUrl ' +
    'decodeUrlComponent distinct each encodeUrl encodeUrlComponent error exists filter floor formatBase ' +
    'formatInteger formatNumber fromMillis join keys length lookup lowercase map match max merge millis min not ' +
    'now number pad parseInteger power random reduce replace reverse round shuffle sift single sort split spread ' +
    'sqrt string substring substringAfter substringBefore sum toMillis trim type uppercase zip'
  ).split(' '),
);

/** Whether expressions at a place of the definition may use `$states.result` and `$states.errorOutput`. */
export interface ExpressionPlace {
  readonly result: boolean;
  readonly errorOutput: boolean;
}

export interface ExpressionInspection {
  /** Names (without `$`) of variables that may need a value from outside of the expression. */
  readonly variables: readonly string[];
  readonly problem: string | undefined;
}

interface Walk {
  readonly place: ExpressionPlace;
  readonly variables: Set<string>;
  readonly local: Set<string>;
  readonly problems: string[];
}

type Node = Record<string, unknown>;

export function inspectExpression(ast: unknown, place: ExpressionPlace): ExpressionInspection {
  const walk: Walk = { place, variables: new Set(), local: new Set(), problems: [] };
  collectLocals(ast, walk.local);
  visit(ast, false, walk);
  return { variables: [...walk.variables], problem: walk.problems[0] };
}

function collectLocals(value: unknown, local: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) collectLocals(item, local);
    return;
  }
  if (!isObject(value)) return;
  if (value['type'] === 'bind') addName(value['lhs'], local);
  if (value['type'] === 'lambda') for (const parameter of list(value['arguments'])) addName(parameter, local);
  for (const focus of ['focus', 'index']) if (typeof value[focus] === 'string') local.add(value[focus]);
  for (const member of Object.values(value)) collectLocals(member, local);
}

function addName(node: unknown, names: Set<string>): void {
  if (isObject(node) && typeof node['value'] === 'string') names.add(node['value']);
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/**
 * @param inContext false at the top level of an expression: jsonata has no context value there, so `$` or a bare field name would be
 * undefined
 */
function visit(value: unknown, inContext: boolean, walk: Walk): void {
  if (Array.isArray(value)) {
    for (const item of value) visit(item, inContext, walk);
    return;
  }
  if (!isObject(value)) return;
  switch (value['type']) {
    case 'path':
      visitPath(value, inContext, walk);
      return;
    case 'variable':
      visitVariable(value, inContext, walk);
      break;
    case 'name':
    case 'wildcard':
    case 'descendant':
    case 'parent':
      if (!inContext)
        walk.problems.push(
          `${describeStep(value)} at the top level, where there is no context: begin at $states or at a variable`,
        );
      break;
    case 'function':
    case 'partial':
      visitCall(value, walk);
      break;
    case 'transform':
      for (const part of ['pattern', 'update', 'delete']) visit(value[part], true, walk);
      return;
  }
  visitMembers(value, inContext, walk);
}

/** Members of a syntax node that always have a context value: the value that jsonata filters, groups or sorts. */
const SEES_CONTEXT: ReadonlySet<string> = new Set(['predicate', 'stages', 'group', 'terms']);

function visitMembers(node: Node, inContext: boolean, walk: Walk): void {
  const bound = node['type'] === 'bind' ? 'lhs' : node['type'] === 'lambda' ? 'arguments' : undefined;
  for (const [key, member] of Object.entries(node)) {
    if (key !== bound) visit(member, inContext || SEES_CONTEXT.has(key), walk);
  }
}

function visitPath(path: Node, inContext: boolean, walk: Walk): void {
  const steps = list(path['steps']);
  checkStatesMember(steps, walk);
  for (const [index, step] of steps.entries()) visit(step, inContext || index > 0, walk);
  visit(path['group'], true, walk);
}

function checkStatesMember(steps: readonly unknown[], walk: Walk): void {
  const [first, second] = steps;
  if (!isObject(first) || first['type'] !== 'variable' || first['value'] !== 'states' || !isObject(second))
    return;
  const member = second['value'];
  if (member === 'result' && !walk.place.result) {
    walk.problems.push('$states.result, which only Assign and Output of Task, Parallel and Map have');
  }
  if (member === 'errorOutput' && !walk.place.errorOutput) {
    walk.problems.push('$states.errorOutput, which only Assign and Output of a Catch have');
  }
}

function visitVariable(node: Node, inContext: boolean, walk: Walk): void {
  const name = node['value'];
  if (typeof name !== 'string') return;
  if (name === '' && !inContext)
    walk.problems.push('$ at the top level, where there is no context: use $states.input');
  else if (name === '$') walk.problems.push('$$, which Step Functions does not have: use $states.input');
  else if (name === 'eval' && !walk.local.has(name))
    walk.problems.push('$eval, which Step Functions does not have: use $parse for JSON');
  else if (name !== '') walk.variables.add(name);
}

function visitCall(node: Node, walk: Walk): void {
  const procedure = node['procedure'];
  if (!isObject(procedure) || procedure['type'] !== 'variable') return;
  const name = procedure['value'];
  if (typeof name !== 'string' || name === '' || name === 'eval' || walk.local.has(name)) return;
  if (!JSONATA_FUNCTIONS.has(name) && !ASL_FUNCTIONS.has(name))
    walk.problems.push(
      `the function $${name}, which does not exist: AWS would accept it and fail when it is called`,
    );
}

function describeStep(node: Node): string {
  if (node['type'] === 'name') return `the field name ${String(node['value'])}`;
  return node['type'] === 'parent' ? '%' : String(node['value']);
}
