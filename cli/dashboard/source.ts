import { untilAborted } from '../clients.ts';
import type { SourceReport } from './report.ts';

interface SourceOptions<Answer> {
  /** Milliseconds from one question to the next. */
  readonly everyMs: number;
  /** Time limit of a request, milliseconds. */
  readonly limitMs: number;
  readonly read: (signal: AbortSignal) => Promise<Answer>;
  /** Called with each answer. */
  readonly onAnswer: (answer: Answer, atMs: number) => void;
  readonly now: () => number;
  /** Stops the requests. */
  readonly signal: AbortSignal;
}

/** A source of data that is asked repeatedly, one request at a time. A source that hangs does not delay the others. */
export class Source<Answer> {
  readonly #options: SourceOptions<Answer>;
  #askedAt: number | undefined;
  #answeredAt: number | undefined;
  #isAsked = false;
  #failure: string | undefined;

  constructor(options: SourceOptions<Answer>) {
    this.#options = options;
  }

  /** Asks the source, unless it was asked a short time ago, or has not answered yet. */
  ask(): void {
    const { everyMs, now, signal } = this.#options;
    const isEarly = this.#askedAt !== undefined && now() - this.#askedAt < everyMs;
    if (this.#isAsked || isEarly || signal.aborted) return;
    this.#isAsked = true;
    this.#askedAt = now();
    void this.#read();
  }

  async #read(): Promise<void> {
    const { limitMs, read, onAnswer, now, signal } = this.#options;
    const limit = AbortSignal.timeout(limitMs);
    const until = AbortSignal.any([limit, signal]);
    try {
      const answer = await untilAborted(until, () => read(until));
      this.#answeredAt = now();
      this.#failure = undefined;
      onAnswer(answer, this.#answeredAt);
    } catch (error) {
      this.#failure = limit.aborted
        ? `no answer within ${limitMs / 1000} s`
        : error instanceof Error
          ? error.message
          : String(error);
    } finally {
      this.#isAsked = false;
    }
  }

  get report(): SourceReport {
    return {
      answeredAt: isoOrNull(this.#answeredAt),
      askedAt: this.#isAsked ? isoOrNull(this.#askedAt) : null,
      failure: this.#failure ?? null,
    };
  }
}

const isoOrNull = (ms: number | undefined): string | null =>
  ms === undefined ? null : new Date(ms).toISOString();
