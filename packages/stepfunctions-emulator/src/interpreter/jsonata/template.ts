import { EmulatorError } from '../../errors.ts';
import { isObject, type Json, setKey } from '../json.ts';
import { type AslExpression, compileExpression, type ExpressionScope } from './expression.ts';
import type { ExpressionPlace } from './rules.ts';

/** JSON with JSONata in its strings of the form `{% … %}`. */
export type Template =
  | { readonly kind: 'literal'; readonly value: Json }
  | { readonly kind: 'expression'; readonly expression: AslExpression; readonly field: string }
  | { readonly kind: 'array'; readonly items: readonly Template[] }
  | { readonly kind: 'object'; readonly members: ReadonlyArray<readonly [string, Template]> };

/** Evaluates one expression to JSON; `field` is its path, such as `Output/total` or `Items[0]`. */
export type EvaluateExpression = (
  expression: AslExpression,
  field: string,
  scope: ExpressionScope,
) => Promise<Json>;

/** Called with each string that looks like an expression but is not valid. */
export type ReportProblem = (path: string, error: Error) => void;

/** A string that has only one of the two markers of an expression. */
export class UnbalancedMarkersError extends EmulatorError {
  override readonly name = 'UnbalancedMarkersError';
}

const OPEN = '{%';
const CLOSE = '%}';

/**
 * Returns the expression in `text`, or undefined when `text` is an ordinary string. The markers must be its first and last characters: AWS
 * takes `" {% $x %} "` literally.
 * @throws ExpressionSyntaxError, UnbalancedMarkersError
 */
export function expressionIn(text: string, place: ExpressionPlace): AslExpression | undefined {
  const opens = text.startsWith(OPEN);
  const closes = text.endsWith(CLOSE) && text.length >= OPEN.length + CLOSE.length;
  if (opens && closes) return compileExpression(text.slice(OPEN.length, -CLOSE.length), place);
  if (opens || text.endsWith(CLOSE)) throw new UnbalancedMarkersError(`expected both ${OPEN} and ${CLOSE}`);
  return undefined;
}

export function compileTemplate(
  value: Json,
  path: string,
  field: string,
  place: ExpressionPlace,
  report: ReportProblem,
): Template {
  if (typeof value === 'string') {
    try {
      const expression = expressionIn(value, place);
      return expression === undefined
        ? { kind: 'literal', value }
        : { kind: 'expression', expression, field };
    } catch (error) {
      report(path, error as Error);
      return { kind: 'literal', value };
    }
  }
  if (Array.isArray(value)) {
    const items = value.map((item, i) =>
      compileTemplate(item, `${path}/${i}`, `${field}[${i}]`, place, report),
    );
    return items.every(item => item.kind === 'literal')
      ? { kind: 'literal', value }
      : { kind: 'array', items };
  }
  if (!isObject(value)) return { kind: 'literal', value };
  const members = Object.entries(value).map(
    ([key, member]) =>
      [
        key,
        compileTemplate(member, `${path}/${escapePointer(key)}`, `${field}/${key}`, place, report),
      ] as const,
  );
  if (members.every(([, member]) => member.kind === 'literal')) return { kind: 'literal', value };
  return { kind: 'object', members };
}

/** Escapes a key for a JSON pointer (RFC 6901). */
export const escapePointer = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** Evaluates a template. Literals are returned synchronously, so that states without expressions need no promise. */
export function evaluateTemplate(
  template: Template,
  scope: ExpressionScope,
  evaluate: EvaluateExpression,
): Json | Promise<Json> {
  switch (template.kind) {
    case 'literal':
      return template.value;
    case 'expression':
      return evaluate(template.expression, template.field, scope);
    case 'array':
      return evaluateItems(template.items, scope, evaluate);
    case 'object':
      return evaluateMembers(template.members, scope, evaluate);
  }
}

async function evaluateItems(
  items: readonly Template[],
  scope: ExpressionScope,
  evaluate: EvaluateExpression,
) {
  const values: Json[] = [];
  for (const item of items) {
    values.push(item.kind === 'literal' ? item.value : await evaluateTemplate(item, scope, evaluate));
  }
  return values;
}

async function evaluateMembers(
  members: ReadonlyArray<readonly [string, Template]>,
  scope: ExpressionScope,
  evaluate: EvaluateExpression,
) {
  const result: { [key: string]: Json } = {};
  for (const [key, member] of members) {
    setKey(
      result,
      key,
      member.kind === 'literal' ? member.value : await evaluateTemplate(member, scope, evaluate),
    );
  }
  return result;
}
