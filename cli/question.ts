import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { shownOn } from './print.ts';

/**
 * Asks a question in the terminal.
 *
 * @param signal aborts the question
 * @returns the trimmed answer; empty after Ctrl-D or when the signal aborts
 */
export async function question(text: string, signal?: AbortSignal): Promise<string> {
  const options = signal && { signal };
  // `terminal: false` leaves Ctrl-C to the process as a signal.
  const terminal = createInterface({ input: process.stdin, output: process.stdout, terminal: false });
  try {
    const closed = once(terminal, 'close', options).then(() => ''); // Ctrl-D
    const asked = shownOn(process.stdout, text);
    const answered = options ? terminal.question(asked, options) : terminal.question(asked);
    return (await Promise.race([answered, closed])).trim();
  } catch (error) {
    if (signal?.aborted) return '';
    throw error;
  } finally {
    terminal.close();
  }
}
