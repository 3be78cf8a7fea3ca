/** The data for correcting a wrong value: the field, the expected and the actual value, and the remedy. */
export interface FieldProblem {
  readonly field: string;
  readonly expected: string;
  readonly got: unknown;
  readonly remedy: string;
}

/** The base class of all errors that this project throws deliberately. */
export class PreciseTtlError extends Error {
  override readonly name: string = 'PreciseTtlError';
}

export class InvalidFieldError extends PreciseTtlError {
  override readonly name: string = 'InvalidFieldError';
  readonly problem: FieldProblem;

  constructor(problem: FieldProblem) {
    super(describeProblem(problem));
    this.problem = problem;
  }
}

/** A TTL or an expiry time must not be written. */
export class InvalidTtlError extends InvalidFieldError {
  override readonly name = 'InvalidTtlError';
}

/** The description of the table's expiry model is wrong. */
export class InvalidModelError extends InvalidFieldError {
  override readonly name = 'InvalidModelError';
}

/** The item's key lacks a key attribute, or a key attribute has a value of an invalid type. */
export class InvalidKeyError extends InvalidFieldError {
  override readonly name = 'InvalidKeyError';
}

/** The expiry cannot be added to the request. */
export class InvalidRequestError extends InvalidFieldError {
  override readonly name = 'InvalidRequestError';
}

/** An option, a clock, an item, a client or a stream record is malformed. */
export class InvalidArgumentError extends InvalidFieldError {
  override readonly name = 'InvalidArgumentError';
}

export function describeProblem({ field, expected, got, remedy }: FieldProblem): string {
  return `${field}: expected ${expected}, got ${show(got)}. ${remedy}`;
}

const MAX_SHOWN_LENGTH = 120;

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'number') return String(value);
  if (value instanceof Date) return `Date ${Number.isNaN(value.getTime()) ? 'Invalid' : value.toISOString()}`;
  const text = safeJson(value) ?? String(value);
  return text.length > MAX_SHOWN_LENGTH
    ? `${text.slice(0, MAX_SHOWN_LENGTH)}… (${text.length} characters)`
    : text;
}

function safeJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, (_key, inner) => (typeof inner === 'bigint' ? `${inner}n` : inner));
  } catch {
    return undefined; // JSON.stringify fails for a cycle: the caller falls back to String()
  }
}
