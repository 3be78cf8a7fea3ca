import { createHash } from 'node:crypto';
import jsonata from 'jsonata';
import type { Clock } from '../../clock.ts';
import { type RandomSource, seededRandom, uuidFrom } from '../random.ts';

export interface FunctionRuntime {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: RandomSource;
}

/** Name of the variable with the FunctionRuntime. No expression can use a name that begins with a space. */
export const RUNTIME_BINDING = ' runtime';

interface Focus {
  readonly environment: { lookup(name: string): unknown };
}

const runtimeOf = (focus: Focus) => focus.environment.lookup(RUNTIME_BINDING) as FunctionRuntime;

/** Throws an error without a `code`, because jsonata replaces the message of an error that has one of jsonata's codes. */
function fail(message: string): never {
  throw new Error(message);
}

const integer = (value: number) => Math.floor(value);

function partition(array: unknown[] | undefined, size: number | undefined): unknown[][] | undefined {
  if (array === undefined || size === undefined) return undefined;
  const length = integer(size);
  if (length < 1)
    fail(`The second argument of the partition function must be a positive integer, got ${size}`);
  const parts: unknown[][] = [];
  for (let start = 0; start < array.length; start += length) parts.push(array.slice(start, start + length));
  return parts;
}

const MAX_RANGE_LENGTH = 10_000_000;

/** Returns a sequence, because jsonata turns a sequence of one number into the number: on AWS, `$range(1, 9, 9)` is 1, not [1]. */
function range(first?: number, last?: number, step?: number): number[] | undefined {
  if (first === undefined || last === undefined || step === undefined) return undefined;
  const [from, to, by] = [integer(first), integer(last), integer(step)];
  if (by === 0) fail('The third argument of the range function must not be 0');
  const length = Math.max(0, integer((to - from) / by) + 1);
  if (length > MAX_RANGE_LENGTH)
    fail(`The range function would return ${length} numbers, more than ${MAX_RANGE_LENGTH}`);
  const numbers = Array.from({ length }, (_, index) => from + index * by);
  return Object.defineProperty(numbers, 'sequence', { value: true });
}

const ALGORITHMS: ReadonlyMap<string, string> = new Map([
  ['MD5', 'md5'],
  ['SHA-1', 'sha1'],
  ['SHA-256', 'sha256'],
  ['SHA-384', 'sha384'],
  ['SHA-512', 'sha512'],
]);

function hash(content: unknown, algorithm: string | undefined): string | undefined {
  if (content === undefined || algorithm === undefined) return undefined;
  const name = ALGORITHMS.get(algorithm);
  if (name === undefined)
    fail(`The hash function knows ${[...ALGORITHMS.keys()].join(', ')}, not ${algorithm}`);
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return createHash(name).update(text).digest('hex');
}

function parse(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    return fail(`The argument of the parse function is not JSON: ${(error as Error).message}`);
  }
}

function random(this: Focus, seed?: number): number {
  return (seed === undefined ? runtimeOf(this).random : seededRandom(integer(seed))).next();
}

function uuid(this: Focus): string {
  return uuidFrom(runtimeOf(this).random);
}

function millis(this: Focus): number {
  return runtimeOf(this).clock.now();
}

const formatTime = jsonata('$fromMillis($time, $picture, $zone)');

function now(this: Focus, picture?: string, zone?: string): Promise<unknown> {
  return formatTime.evaluate(undefined, { time: runtimeOf(this).clock.now(), picture, zone });
}

function shuffle(this: Focus, array?: unknown[]): unknown[] | undefined {
  if (array === undefined) return undefined;
  const source = runtimeOf(this).random;
  const result = array.slice();
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = Math.floor(source.next() * (last + 1));
    [result[last], result[other]] = [result[other], result[last]];
  }
  return result;
}

/** Implements $base64decode. Measured on AWS: text that is not base64 is an error. jsonata's own function would skip invalid characters. */
function base64decode(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    return atob(text);
  } catch {
    return fail(
      `The argument of the base64decode function is not base64: ${JSON.stringify(text.slice(0, 100))}`,
    );
  }
}

type Implementation = Parameters<jsonata.Expression['registerFunction']>[1];

/**
 * Name, implementation, and jsonata's notation of the signature. The functions from `random` to `base64decode` replace jsonata's own
 * functions.
 */
const FUNCTIONS: ReadonlyArray<readonly [string, Implementation, string]> = [
  ['partition', partition, '<an:a>'],
  ['range', range, '<nnn:a<n>>'],
  ['hash', hash, '<xs:s>'],
  ['parse', parse, '<s:x>'],
  ['uuid', uuid, '<:s>'],
  ['random', random as Implementation, '<n?:n>'],
  ['now', now as Implementation, '<s?s?:s>'],
  ['millis', millis as Implementation, '<:n>'],
  ['shuffle', shuffle as Implementation, '<a:a>'],
  ['base64decode', base64decode, '<s-:s>'],
];

export const ASL_FUNCTIONS: ReadonlySet<string> = new Set([
  'partition',
  'range',
  'hash',
  'parse',
  'uuid',
  'random',
]);

/** Registers only functions that the expression uses, because each registration takes time. @param names names in the expression */
export function registerAslFunctions(expression: jsonata.Expression, names: readonly string[]): void {
  for (const [name, implementation, signature] of FUNCTIONS) {
    if (names.includes(name)) expression.registerFunction(name, implementation, signature);
  }
  expression.assign('eval', undefined);
}
