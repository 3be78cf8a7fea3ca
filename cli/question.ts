import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { shownOn } from './print.ts';

/**
 * Asks in the terminal.
 *
 * @param signal ends the question
 * @returns the answer without blanks around it; empty after Ctrl-D, and when the signal came
 */
export async function question(text: string, signal?: AbortSignal): Promise<string> {
  const options = signal && { signal };
  // Without its own handling of the terminal, so that Ctrl-C stays a signal.
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
