import { PreciseTtlError } from '../../expiry/errors.ts';
import { commandLine } from '../command-line.ts';
import { type ConfiguredEndpoint, SERVICES, type Service } from './endpoint.ts';

/** How long one attempt may take, milliseconds: far longer than AWS takes, and short for a person who waits for a word. */
export const CONNECTION_MS = 2_000;
export const ANSWER_MS = 5_000;

/** How a service did not answer: three things that an operator mends in different places, besides throttling, which is an answer. */
export type Silence =
  /** A call got no connection, or no answer, in time. */
  | { readonly kind: 'timed out'; readonly seconds: number }
  /** Nobody listens there, or the connection was cut: the system's code, `ECONNREFUSED`. */
  | { readonly kind: 'refused'; readonly code: string }
  /** The command's own time was over; `last` is what the call had met by then, if anything. */
  | {
      readonly kind: 'out of time';
      readonly seconds: number;
      readonly last: 'throttled' | Silence | undefined;
    };

/** A service that was asked did not answer. */
export class NoAnswerError extends PreciseTtlError {
  override readonly name = 'NoAnswerError';
  readonly service: Service;
  readonly silence: Silence;
  /** It says what has happened, for a line about one of many things: `DynamoDB refused the connection (ECONNREFUSED)`. */
  readonly reason: string;

  /** @param local the endpoint on this machine that was asked, if it was one */
  constructor(service: Service, silence: Silence, local: ConfiguredEndpoint | undefined) {
    const { title } = SERVICES[service];
    const got = gotOf(silence);
    const mend =
      local === undefined
        ? 'check the network, the region and that the endpoint is right and reachable, or ask again later'
        : `start ${commandLine('local')} in another terminal, or unset ${local.name} for AWS`;
    super(
      local === undefined
        ? `${title}: expected an answer, got ${got}; ${mend}`
        : `${local.name}: expected ${title} at ${local.value}, got ${got}; ${mend}`,
    );
    this.service = service;
    this.silence = silence;
    this.reason = `${title} ${reasonOf(silence)}`;
  }

  /** Whether it is known that the service is dead, and not only that there was no time to wait for it. */
  get isDead(): boolean {
    const { silence } = this;
    return silence.kind === 'out of time' ? typeof silence.last === 'object' : true;
  }
}

function gotOf(silence: Silence): string {
  switch (silence.kind) {
    case 'timed out':
      return `no answer in ${silence.seconds} s`;
    case 'refused':
      return silence.code;
    case 'out of time':
      return `${silence.last === 'throttled' ? 'throttled' : 'no answer'} until the ${silence.seconds} s of the command were over`;
  }
}

function reasonOf(silence: Silence): string {
  switch (silence.kind) {
    case 'timed out':
      return `timed out: no answer in ${silence.seconds} s`;
    case 'refused':
      return silence.code === 'ECONNREFUSED'
        ? 'refused the connection (ECONNREFUSED)'
        : `could not be reached (${silence.code})`;
    case 'out of time': {
      const over = `the ${silence.seconds} s of the command were over`;
      if (silence.last === 'throttled') return `throttled the calls until ${over}`;
      return silence.last === undefined
        ? `had not answered when ${over}`
        : `${reasonOf(silence.last)}, and then ${over}`;
    }
  }
}

/** The system's codes of a connection that nobody takes, or that is cut. */
const REFUSED: ReadonlySet<string> = new Set([
  'EADDRNOTAVAIL',
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
]);

/** How a service did not answer, by what was thrown; undefined for an error that is an answer, or a fault of ours. */
export function silenceOf(error: unknown): Silence | undefined {
  if (error instanceof NoAnswerError) return error.silence;
  const { name, code } = (error ?? {}) as { readonly name?: unknown; readonly code?: unknown };
  if (name === 'TimeoutError' || code === 'ETIMEDOUT') {
    return { kind: 'timed out', seconds: ANSWER_MS / 1000 };
  }
  return typeof code === 'string' && REFUSED.has(code) ? { kind: 'refused', code } : undefined;
}
