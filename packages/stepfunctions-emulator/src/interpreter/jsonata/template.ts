import { EmulatorError } from '../../errors.ts';
import { type Json, type JsonObject, setKey } from '../json.ts';
import { type AslExpression, compileExpression } from './expression.ts';
import type { ExpressionPlace } from './rules.ts';

export type EvaluateExpression = (expression: AslExpression, field: string) => Promise<Json>;

/** A JSON value of a definition. Strings of the form `{% … %}` in the value are JSONata expressions. */
export interface Template {
  readonly expression?: AslExpression;
  /** Returns the value with results in place of expressions. To save time, a value without expressions is returned without a promise. */
  readonly evaluate: (evaluate: EvaluateExpression) => Json | Promise<Json>;
}

export type ReportProblem = (path: string, error: Error) => void;

export class UnbalancedMarkersError extends EmulatorError {
  override readonly name = 'UnbalancedMarkersError';
}

const OPEN = '{%';
const CLOSE = '%}';

/**
 * Compiles an expression; undefined for an ordinary string. For AWS, a text with white space before `{%` and after `%}` is ordinary.
 * @throws UnbalancedMarkersError; ExpressionSyntaxError
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
  return compile(value, path, field, place, report) ?? { evaluate: () => value };
}

function compile(
  value: Json,
  path: string,
  field: string,
  place: ExpressionPlace,
  report: ReportProblem,
): Template | undefined {
  if (typeof value === 'string') {
    try {
      const expression = expressionIn(value, place);
      return expression && { expression, evaluate: evaluate => evaluate(expression, field) };
    } catch (error) {
      report(path, error as Error);
      return undefined;
    }
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const isArray = Array.isArray(value);
  const members = Object.entries(value).map(([key, member]) => {
    const memberField = isArray ? `${field}[${key}]` : `${field}/${key}`;
    return [
      key,
      member,
      compile(member, `${path}/${escapePointer(key)}`, memberField, place, report),
    ] as const;
  });
  if (members.every(([, , template]) => template === undefined)) return undefined;
  return {
    async evaluate(evaluate) {
      const result: Json[] | JsonObject = isArray ? [] : {};
      for (const [key, literal, template] of members) {
        const evaluated = template === undefined ? literal : await template.evaluate(evaluate);
        if (Array.isArray(result)) result.push(evaluated);
        else setKey(result, key, evaluated);
      }
      return result;
    },
  };
}

export const escapePointer = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');
