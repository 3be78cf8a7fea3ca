import { createContext, Script } from 'node:vm';
import type jsonata from 'jsonata';
import { EmulatorError } from '../../errors.ts';
import { EXPRESSION_BYTES, EXPRESSION_DEPTH, EXPRESSION_TIMEOUT_MS, REGEX_TIMEOUT_MS } from '../limits.ts';

export class EvaluationLimitError extends EmulatorError {
  override readonly name = 'EvaluationLimitError';
}

/** Depth and deadline of one evaluation. An expression does not store its usage, because all executions share the expression. */
interface Usage {
  depth: number;
  /** Epoch milliseconds of the wall clock. */
  readonly deadline: number;
}

/** The name begins with a space: no expression can use the name. */
const USAGE_BINDING = ' usage';

interface Frame {
  lookup(name: string): unknown;
}

const usageOf = (frame: Frame) => frame.lookup(USAGE_BINDING) as Usage;

export function newUsage(): Record<string, Usage> {
  return { [USAGE_BINDING]: { depth: 0, deadline: Date.now() + EXPRESSION_TIMEOUT_MS } };
}

/**
 * Applies Step Functions' limits to an expression. jsonata calls hooks before and after the evaluation of each node. jsonata's own time box
 * (`timeboxExpression` in its test/run-test-suite.js) uses the same hooks.
 *
 * Depth is the number of nodes whose evaluation has begun and not ended. The keys of a group-by are evaluated at the same time, and each
 * key adds to the depth (https://github.com/jsonata-js/jsonata/issues/606).
 */
export function limitEvaluation(expression: jsonata.Expression): void {
  assignHook(expression, 'jsonata.__evaluate_entry', (_node, _input, frame) => {
    const usage = usageOf(frame);
    usage.depth += 1;
    if (usage.depth > EXPRESSION_DEPTH) {
      throw new EvaluationLimitError(
        'Stack overflow error: Check for non-terminating recursive function. Consider rewriting as tail-recursive.',
      );
    }
    if (Date.now() > usage.deadline) {
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

/** jsonata stores its hooks under symbols, which its types do not declare. */
function assignHook(expression: jsonata.Expression, name: string, hook: Hook): void {
  expression.assign(Symbol.for(name) as unknown as string, hook);
}

/** Bytes counted for one array element of any type: the size of a number. */
const ELEMENT_BYTES = 8;

/** Lower bound for the size of a node's result, bytes. Elements of an array are not measured: the function runs at every node. */
function bytesOf(result: unknown): number {
  if (typeof result === 'string') return result.length;
  return Array.isArray(result) ? result.length * ELEMENT_BYTES : 0;
}

/** A match over at most this number of characters is always fast, and so is a match without a repetition. */
const FEW_CHARACTERS = 16;
const REPEATS = /[*+{]/;

const sandbox = createContext({ match: () => null });
const script = new Script('match()');

/**
 * A regular expression whose matches are aborted after a time limit. `/(a+)+$/` on thirty characters takes minutes. Meanwhile JavaScript
 * does nothing else: no other execution continues, and Ctrl-C has no effect. Only V8's own timeout for a script can interrupt a match. The
 * timeout costs 0.1 ms: only a match that could take long runs with the timeout.
 */
export class LimitedRegExp extends RegExp {
  override exec(text: string): RegExpExecArray | null {
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
