import { ApiError, validationError } from './errors.ts';

interface LengthLimits {
  readonly min?: number;
  readonly max?: number;
}

/** The fields of a request's JSON body. Unknown fields are ignored, because AWS ignores unknown fields, too. */
export class Members {
  readonly #raw: Readonly<Record<string, unknown>>;

  constructor(raw: Readonly<Record<string, unknown>>) {
    this.#raw = raw;
  }

  /** Whether the field is present. A field with the value null counts as absent, as on AWS. */
  has(name: string): boolean {
    return this.#take(name) !== undefined;
  }

  string(name: string, limits: LengthLimits = {}): string {
    const value = this.optionalString(name, limits);
    if (value !== undefined) return value;
    throw validationError(`Value null at '${name}' failed to satisfy constraint: Member must not be null`);
  }

  optionalString(name: string, { min = 0, max = Number.POSITIVE_INFINITY }: LengthLimits = {}) {
    const value = this.#typed<string>(name, 'String');
    const length = value?.length ?? min;
    if (length < min) throw unsatisfied(name, value, `have length greater than or equal to ${min}`);
    if (length > max) throw unsatisfied(name, value, `have length less than or equal to ${max}`);
    return value;
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const value = this.#typed<string>(name, 'String');
    const found = allowed.find(one => one === value);
    if (value === undefined || found !== undefined) return found;
    throw unsatisfied(name, value, `satisfy enum value set: [${allowed.join(', ')}]`);
  }

  integer(name: string, min: number, max: number): number | undefined {
    const value = this.#typed<number>(name, 'Integer');
    if (value === undefined) return undefined;
    if (value < min) throw unsatisfied(name, value, `have value greater than or equal to ${min}`);
    if (value > max) throw unsatisfied(name, value, `have value less than or equal to ${max}`);
    return value;
  }

  boolean(name: string): boolean | undefined {
    return this.#typed<boolean>(name, 'Boolean');
  }

  list(name: string): readonly unknown[] | undefined {
    return this.#typed<readonly unknown[]>(name, 'List');
  }

  #take(name: string): unknown {
    return Object.hasOwn(this.#raw, name) ? (this.#raw[name] ?? undefined) : undefined;
  }

  #typed<T>(name: string, type: keyof typeof IS_TYPE): T | undefined {
    const value = this.#take(name);
    if (value === undefined || IS_TYPE[type](value)) return value as T | undefined;
    throw wrongType(name, value, type);
  }
}

const IS_TYPE = {
  String: (value: unknown) => typeof value === 'string',
  Integer: Number.isInteger,
  Boolean: (value: unknown) => typeof value === 'boolean',
  List: Array.isArray,
};

function unsatisfied(name: string, value: string | number | undefined, constraint: string): ApiError {
  const text = String(value);
  const shown = text.length > 100 ? `${text.slice(0, 97)}...` : text;
  return validationError(
    `Value '${shown}' at '${name}' failed to satisfy constraint: Member must ${constraint}`,
  );
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Makes the error for a value of a wrong type. The message is AWS's, with the field's name added to help the user. */
function wrongType(name: string, value: unknown, expected: string): ApiError {
  const got = Array.isArray(value)
    ? 'START_ARRAY'
    : typeof value === 'object'
      ? 'START_OBJECT'
      : typeof value === 'boolean'
        ? `${value}`.toUpperCase()
        : `${typeof value}_VALUE`.toUpperCase();
  const article = /^[AEIO]/.test(expected) ? 'an' : 'a';
  return new ApiError(
    'SerializationException',
    `${got} can not be converted to ${article} ${expected} at '${name}'`,
  );
}

/** Limits for the length of an ARN, characters. A Map Run has LONG_ARN_LENGTH instead. Source: API model of Step Functions. */
const ARN_LENGTH = { min: 1, max: 256 };
const LONG_ARN_LENGTH = { min: 1, max: 2000 };

const invalidArn = (why: string): ApiError => new ApiError('InvalidArn', `Invalid Arn: '${why}'`);

function checkArn(arn: string, kinds: readonly string[]): string {
  const [prefix, partition, service, region, account, kind, ...rest] = arn.split(':');
  if (prefix !== 'arn' || !partition?.startsWith('aws')) throw invalidArn(`Invalid ARN prefix: ${arn}`);
  if (service !== 'states') throw invalidArn(`ARN is not an SFN ARN: ${arn}`);
  if (!region || !account || kind === undefined || rest.length === 0 || rest[0] === '') {
    throw invalidArn(`Invalid ARN: ${arn}`);
  }
  if (!kinds.includes(kind)) throw invalidArn(`Resource type not valid in this context: ${kind}`);
  return arn;
}

/** Reads the ARN of a state machine. The ARN of a version or alias passes this check, but the caller then finds no state machine. */
export function takeMachineArn(members: Members): string {
  const arn = checkArn(members.string('stateMachineArn', ARN_LENGTH), ['stateMachine']);
  if (!arn.includes('/')) return arn;
  throw new ApiError(
    'ValidationException',
    `stateMachineArn: expected a state machine, got a distributed Map state: ${arn}`,
    400,
    { reason: 'API_DOES_NOT_SUPPORT_LABELED_ARNS' },
  );
}

/** Reads the ARN of an execution. Most operations accept only the kind `execution`. An Express execution's ARN has the kind `express`. */
export const takeExecutionArn = (members: Members, kinds: readonly string[] = ['execution']): string =>
  checkArn(members.string('executionArn', ARN_LENGTH), kinds);

export const takeMapRunArn = (members: Members): string =>
  checkArn(members.string('mapRunArn', LONG_ARN_LENGTH), ['mapRun']);

/**
 * Reads the role's ARN. The emulator does not use the role, but checks the ARN, so that a user finds a typing error before a deployment.
 */
export function takeRoleArn(members: Members): string {
  const arn = members.string('roleArn', ARN_LENGTH);
  if (/^arn:aws[a-z-]*:iam::[^:]+:role\/./.test(arn)) return arn;
  throw invalidArn(`Invalid Role Arn: '${arn}'`);
}

/** Position of an item in a list. A later item has a higher position, and an item keeps its position when the list grows. */
type Position = number | string;

const DEFAULT_RESULTS = 100;
const MAX_RESULTS = 1000;

export interface PageRequest {
  readonly size: number;
  readonly after: Position | undefined;
  token(after: Position): string;
}

/** @param list name of the list, such as `ListExecutions arn…`: a token is valid only for the list for which the server made the token */
export function takePage(members: Members, list: string): PageRequest {
  const size = members.integer('maxResults', 0, MAX_RESULTS) || DEFAULT_RESULTS;
  const token = members.optionalString('nextToken', { min: 1, max: 3096 });
  return {
    size,
    after: token === undefined ? undefined : readToken(token, list),
    token: after => Buffer.from(JSON.stringify([list, after])).toString('base64'),
  };
}

function readToken(token: string, list: string): Position {
  try {
    const [of, after] = JSON.parse(Buffer.from(token, 'base64').toString()) as [unknown, unknown];
    if (of === list && (typeof after === 'number' || typeof after === 'string')) return after;
  } catch {
    // This server did not make the token: it is not base64 of a JSON array.
  }
  throw new ApiError('InvalidToken', "Invalid Token: 'Invalid token'");
}

export function takeItems<T>(
  page: PageRequest,
  items: readonly T[],
  position: (item: T) => Position,
): { readonly items: readonly T[]; readonly nextToken?: string } {
  const { after } = page;
  const rest = after === undefined ? items : items.filter(item => position(item) > after);
  const taken = rest.slice(0, page.size);
  const last = taken.at(-1);
  return {
    items: taken,
    ...(last !== undefined && rest.length > taken.length && { nextToken: page.token(position(last)) }),
  };
}
