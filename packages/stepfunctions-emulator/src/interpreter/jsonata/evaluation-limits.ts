import { performance } from 'node:perf_hooks';
import { createContext, Script } from 'node:vm';
import type jsonata from 'jsonata';
import { EmulatorError } from '../../errors.ts';
import { EXPRESSION_BYTES, EXPRESSION_DEPTH, EXPRESSION_TIMEOUT_MS, REGEX_TIMEOUT_MS } from '../limits.ts';

export class EvaluationLimitError extends EmulatorError {
  override readonly name = 'EvaluationLimitError';
}

/** Depth and deadline of one evaluation. All executions share a compiled expression, so each evaluation has its own Usage. */
interface Usage {
  depth: number;
  /** Time on the clock of `performance.now`, milliseconds. */
  readonly deadline: number;
}

/** Name of the variable with the Usage. No expression can use a name that begins with a space. */
const USAGE_BINDING = ' usage';

interface Frame {
  lookup(name: string): unknown;
}

const usageOf = (frame: Frame) => frame.lookup(USAGE_BINDING) as Usage;

export function newUsage(): Record<string, Usage> {
  return { [USAGE_BINDING]: { depth: 0, deadline: performance.now() + EXPRESSION_TIMEOUT_MS } };
}

/**
 * Limits depth, time and size in two hooks: jsonata calls one before and one after the evaluation of each node. `timeboxExpression` in
 * jsonata's test/run-test-suite.js uses the same hooks.
 */
export function limitEvaluation(expression: jsonata.Expression): void {
  assignHook(expression, 'jsonata.__evaluate_entry', (_node, _input, frame) => {
    const usage = usageOf(frame);
    // jsonata evaluates the values of a group-by at the same time, so each value adds to the depth
    // (https://github.com/jsonata-js/jsonata/issues/606).
    usage.depth += 1;
    if (usage.depth > EXPRESSION_DEPTH) {
      throw new EvaluationLimitError(
        'Stack overflow error: Check for non-terminating recursive function. Consider rewriting as tail-recursive.',
      );
    }
    if (performance.now() > usage.deadline) {
      throw new EvaluationLimitError('Expression evaluation timeout: Check for infinite loop');
    }
  });
  assignHook(expression, 'jsonata.__evaluate_exit', (_node, _input, frame, result) => {
    usageOf(frame).depth -= 1;
    if (bytesOf(result) > EXPRESSION_BYTES) {
      throw new EvaluationLimitError(
        'Expression evaluation memory limit exceeded: Check for excessive memory usage',
      );
    }
  });
}

type Hook = (node: unknown, input: unknown, frame: Frame, result: unknown) => void;

/** jsonata finds its hooks by symbols, but the type of `assign` allows only strings. */
function assignHook(expression: jsonata.Expression, name: string, hook: Hook): void {
  expression.assign(Symbol.for(name) as unknown as string, hook);
}

/** Number of bytes that `bytesOf` counts for each element of an array: the size of a number. */
const ELEMENT_BYTES = 8;

/** Rough size of a node's result, bytes. An exact size would take too long, because the function runs after every node. */
function bytesOf(result: unknown): number {
  if (typeof result === 'string') return result.length;
  return Array.isArray(result) ? result.length * ELEMENT_BYTES : 0;
}

/** Maximum length of a text that is matched without a timeout, characters. Regular expressions without {@link REPEATS} never have one. */
const FEW_CHARACTERS = 16;
const REPEATS = /[*+{]/;

const sandbox = createContext({ match: () => null });
const script = new Script('match()');

/**
 * A RegExp with a time limit: `/(a+)+$/` can take minutes for thirty characters, and meanwhile Ctrl-C has no effect. Only V8's timeout for
 * a script can interrupt a match.
 */
export class LimitedRegExp extends RegExp {
  override exec(text: string): RegExpExecArray | null {
    // The timeout costs 0.1 ms for each match, so only a match that could take long gets the timeout.
    if (text.length <= FEW_CHARACTERS || !REPEATS.test(this.source)) return super.exec(text);
    sandbox['match'] = () => super.exec(text);
    try {
      return script.runInContext(sandbox, { timeout: REGEX_TIMEOUT_MS }) as RegExpExecArray | null;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      throw new Error(
        `regular expression: expected a match within ${REGEX_TIMEOUT_MS} ms, got none of ${this} in ${text.length} characters; ` +
          'a repetition within a repetition can take for ever, and AWS stops it too',
      );
    }
  }
}
