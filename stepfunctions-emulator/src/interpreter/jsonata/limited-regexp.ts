import { createContext, Script } from 'node:vm';
import { REGEX_TIMEOUT_MS } from '../limits.ts';

/** Time that every match has, even when earlier ones have used up {@link REGEX_TIMEOUT_MS}: far more than an ordinary match needs. */
const MIN_TIMEOUT_MS = 20;

/** A match over at most this number of characters cannot take long, nor can one without a repetition. */
const FEW_CHARACTERS = 16;
const REPEATS = /[*+{]/;

const sandbox = createContext({ match: () => null });
const script = new Script('match()');

/** Time that matches have taken in the current turn of the event loop, milliseconds. */
let spent = 0;

/**
 * Processor time of this thread, milliseconds: on a busy machine the wall clock would include waiting. Node before 22.19 can
 * measure only the whole process.
 */
function worked(): number {
  const { user, system } = (process.threadCpuUsage ?? process.cpuUsage)();
  return (user + system) / 1000;
}

/**
 * A regular expression whose matches are aborted after a time limit. `/(a+)+$/` on thirty characters takes minutes, during which
 * JavaScript does nothing else: no other execution continues, and Ctrl-C has no effect. Only V8's own timeout for a script can interrupt a
 * match. It costs a tenth of a millisecond, so it is used only where a match could take long.
 */
export class LimitedRegExp extends RegExp {
  override exec(text: string): RegExpExecArray | null {
    if (text.length <= FEW_CHARACTERS || !REPEATS.test(this.source)) return super.exec(text);
    if (spent === 0) setImmediate(() => (spent = 0));
    const began = worked();
    // All matches share the limit, because forty iterations of a Map match one after another before any other work runs.
    const timeout = Math.ceil(Math.max(REGEX_TIMEOUT_MS - spent, MIN_TIMEOUT_MS));
    const { lastIndex } = this;
    sandbox['match'] = () => {
      this.lastIndex = lastIndex;
      return super.exec(text);
    };
    try {
      for (;;) {
        try {
          return script.runInContext(sandbox, { timeout }) as RegExpExecArray | null;
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
          // The timeout uses the wall clock: less than half of it as processor time means that the thread had to wait.
          if (worked() - began >= timeout / 2) break;
        }
      }
    } finally {
      spent += worked() - began;
    }
    throw new Error(
      `regular expression: expected a match within ${timeout} ms, got none of ${this} in ${text.length} characters; ` +
        'a repetition within a repetition can take for ever, and AWS stops it too',
    );
  }
}
