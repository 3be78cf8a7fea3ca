export interface FieldProblem {
  readonly field: string;
  readonly expected: string;
  readonly got: unknown;
  readonly remedy: string;
}

/** The base class of the error classes of precise-ttl. */
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

export class InvalidTtlError extends InvalidFieldError {
  override readonly name = 'InvalidTtlError';
}

export class InvalidModelError extends InvalidFieldError {
  override readonly name = 'InvalidModelError';
}

export class InvalidKeyError extends InvalidFieldError {
  override readonly name = 'InvalidKeyError';
}

export class InvalidRequestError extends InvalidFieldError {
  override readonly name = 'InvalidRequestError';
}

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
    return undefined; // JSON.stringify throws for a cyclic value; `show` then uses String()
  }
}
