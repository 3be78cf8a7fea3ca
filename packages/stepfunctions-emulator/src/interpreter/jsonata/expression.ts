import jsonata from 'jsonata';
import { EmulatorError } from '../../errors.ts';
import { EvaluationLimitError, LimitedRegExp, limitEvaluation, newUsage } from './evaluation-limits.ts';
import { type FunctionRuntime, RUNTIME_BINDING, registerAslFunctions } from './functions.ts';
import { type ExpressionPlace, inspectExpression } from './rules.ts';

export interface ExpressionScope {
  states(): unknown;
  variable(name: string): unknown;
  readonly runtime: FunctionRuntime;
}

export interface AslExpression {
  readonly source: string;
  /** Resolves to jsonata's result, which is not always JSON; rejects with jsonata's error or an {@link EvaluationLimitError}. */
  evaluate(scope: ExpressionScope): Promise<unknown>;
}

export class ExpressionSyntaxError extends EmulatorError {
  override readonly name = 'ExpressionSyntaxError';
}

/**
 * @param source the text between `{%` and `%}`
 * @throws ExpressionSyntaxError when the text is not JSONata, or when Step Functions does not support the expression
 */
export function compileExpression(source: string, place: ExpressionPlace): AslExpression {
  const text = source.trim();
  const expression = parse(text);
  const inspection = inspectExpression(expression.ast(), place);
  if (inspection.problem !== undefined) throw new ExpressionSyntaxError(inspection.problem);
  registerAslFunctions(expression, inspection.variables);
  limitEvaluation(expression);
  const names = inspection.variables.filter(name => name !== 'states');
  const wantsStates = inspection.variables.includes('states');
  return {
    source: text,
    evaluate(scope) {
      const bindings: Record<string, unknown> = { ...newUsage(), [RUNTIME_BINDING]: scope.runtime };
      if (wantsStates) bindings['states'] = scope.states();
      for (const name of names) {
        const value = scope.variable(name);
        if (value !== undefined) bindings[name] = value;
      }
      return expression.evaluate(undefined, bindings);
    },
  };
}

function parse(text: string): jsonata.Expression {
  try {
    // The cast is needed, because RegexEngine must be a class, but has the type of an instance in jsonata.d.ts. JSONata 2.0.6 has one
    // RegexEngine for all expressions, from the last call of `jsonata`: so every call must pass this class.
    return jsonata(text, { RegexEngine: LimitedRegExp as unknown as RegExp });
  } catch (error) {
    throw new ExpressionSyntaxError(describeJsonataError(error));
  }
}

export function describeEvaluationError(error: unknown): string {
  return error instanceof EvaluationLimitError ? `: ${error.message}` : `. ${describeJsonataError(error)}`;
}

/** Text of an error that jsonata threw. The error is often a plain object with a code and a message, not an Error. */
function describeJsonataError(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const { code, message } = error as { code?: unknown; message?: unknown };
  const text = typeof message === 'string' && message !== '' ? message : 'unknown error';
  return typeof code === 'string' ? `${code}: ${text}` : text;
}
