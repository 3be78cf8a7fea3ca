import { createContext, Script } from 'node:vm';
import type jsonata from 'jsonata';
import { EmulatorError } from '../../errors.ts';
import { EXPRESSION_BYTES, EXPRESSION_DEPTH, EXPRESSION_TIMEOUT_MS, REGEX_TIMEOUT_MS } from '../limits.ts';

export class EvaluationLimitError extends EmulatorError {
  override readonly name = 'EvaluationLimitError';
}

/** The time and space that one evaluation has used. It is not stored in the expression, because all executions share that. */
interface Usage {
  depth: number;
  /** Epoch milliseconds of the wall clock. */
  readonly deadline: number;
}

/** The space keeps expressions from using this name. */
const USAGE_BINDING = ' usage';

interface Frame {
  lookup(name: string): unknown;
}

const usageOf = (frame: Frame) => frame.lookup(USAGE_BINDING) as Usage;

export function newUsage(): Record<string, Usage> {
  return { [USAGE_BINDING]: { depth: 0, deadline: Date.now() + EXPRESSION_TIMEOUT_MS } };
}

/**
 * Makes an expression obey Step Functions' limits, as jsonata's own time box does (`timeboxExpression` in its
 * test/run-test-suite.js): by the hooks that it calls on the way into and out of each node of the expression.
 *
 * Depth is the number of nodes that are under way. The keys of a group-by are evaluated beside each other, so each of
 * them adds to it (https://github.com/jsonata-js/jsonata/issues/606).
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

/** Lower bound for the size of a node's result. It does not look into the result, because it runs at every node. */
function bytesOf(result: unknown): number {
  if (typeof result === 'string') return result.length;
  return Array.isArray(result) ? result.length * ELEMENT_BYTES : 0;
}

/** A match over at most this number of characters cannot take long, nor can one without a repetition. */
const FEW_CHARACTERS = 16;
const REPEATS = /[*+{]/;

const sandbox = createContext({ match: () => null });
const script = new Script('match()');

/**
 * A regular expression whose matches are aborted after a time limit. `/(a+)+$/` on thirty characters takes minutes, during which
 * JavaScript does nothing else: no other execution continues, and Ctrl-C has no effect. Only V8's own timeout for a script can interrupt a
 * match. It costs a tenth of a millisecond, so it is used only where a match could take long.
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
