import { accessSync, constants, mkdirSync, mkdtempSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PreciseTtlError } from '../expiry/errors.ts';
import { type Kind, kind, number, text, whole } from '../expiry/fields.ts';
import { INDEXED_BY } from '../expiry/model.ts';

/** The kinds of flags. Every flag of every command is one of these. */
export type Flag =
  | {
      readonly type: 'number';
      readonly min: number;
      readonly max: number;
      /** Whole numbers only. */
      readonly whole?: boolean;
      readonly default?: number;
      /** Name of the value in the help: `N`. */
      readonly value: string;
      readonly help: string;
    }
  | {
      readonly type: 'text';
      /** The only values that the flag takes. @default any text */
      readonly values?: readonly string[];
      readonly default?: string;
      readonly value: string;
      readonly help: string;
    }
  /** A text flag that can be given several times. */
  | { readonly type: 'texts'; readonly default?: undefined; readonly value: string; readonly help: string }
  | { readonly type: 'switch'; readonly help: string };

export type Flags = Readonly<Record<string, Flag>>;

/** The flag that chooses how the index is keyed: by second or by window. The help of each command names the table. */
export const BY = { type: 'text', values: INDEXED_BY, value: 'WAY' } as const;

/** The flag that chooses the configuration. */
export const CONFIG = {
  type: 'text',
  value: 'PATH',
  help: 'the configuration: .ts, .js, .mjs, .cjs or .json (default: precise-ttl.config.* in this folder)',
} as const;

/** A flag that takes a whole number. */
export function wholeNumber(min: number, max: number, help: string, value = 'N') {
  return { type: 'number', min, max, whole: true, value, help } as const;
}

/** A flag that takes any text. @param value its name in the help */
export function textFlag(value: string, help: string) {
  return { type: 'text', value, help } as const;
}

/** A flag that takes no value. */
export function switchFlag(help: string) {
  return { type: 'switch', help } as const;
}

/** The flag for minutes of expiring items, in a run in real time. The help of each command says more. */
export const MINUTES = { type: 'number', min: 0.1, max: 1440, default: 3, value: 'N' } as const;
export const RATE = { type: 'number', min: 0.1, max: 1000, default: 20, value: 'N' } as const;

/** The flag for minutes of expiring items, in a run on a virtual clock. The help of each command says more. */
export const VIRTUAL_MINUTES = { type: 'number', min: 1, max: 60, whole: true, value: 'N' } as const;

/** The flag for the seed of a run. The help of each command says what the seed repeats. */
export const SEED = { type: 'number', min: 0, max: 4_294_967_295, whole: true, value: 'N' } as const;

type ValueOf<F extends Flag> = F extends { type: 'switch' }
  ? boolean
  : F extends { type: 'texts' }
    ? readonly string[]
    : F extends { type: 'number' }
      ? number | (F extends { default: number } ? never : undefined)
      : TextOf<F> | (F extends { default: string } ? never : undefined);

type TextOf<F extends Flag> = F extends { values: readonly (infer Value)[] } ? Value : string;

export type FlagValues<F extends Flags> = { readonly [Name in keyof F]: ValueOf<F[Name]> };

/** A wrong command line; the command prints the message and exits with {@link USAGE_STATUS}. */
export class FlagError extends PreciseTtlError {
  override readonly name = 'FlagError';
}

/** Exit status for a wrong command line, as in shells and most commands. */
export const USAGE_STATUS = 2;

/**
 * Reads a command line: `--name value` or `--name=value`. Each flag is allowed once, unless its type is `texts`; nothing else is
 * allowed.
 *
 * @param args without the program: `process.argv.slice(2)`
 * @throws {FlagError} naming the flag, what was expected and what was got
 */
export function parseFlags<const F extends Flags>(flags: F, args: readonly string[]): FlagValues<F> {
  // We check strictly ourselves: the messages of parseArgs say neither what is allowed nor what to do.
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(
      Object.entries(flags).map(([name, flag]) => [
        name,
        { type: flag.type === 'switch' ? ('boolean' as const) : ('string' as const) },
      ]),
    ),
  });
  const values: Record<string, unknown> = {};
  for (const [name, flag] of Object.entries(flags)) {
    values[name] = flag.type === 'switch' ? false : flag.type === 'texts' ? [] : flag.default;
  }
  const known = Object.keys(flags)
    .map(name => `--${name}`)
    .join(', ');
  const seen = new Set<string>();
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') {
      throw new FlagError(`expected flags only (${known}), got "${token.value}"; see --help`);
    }
    const flag = Object.hasOwn(flags, token.name) ? flags[token.name] : undefined;
    if (flag === undefined || token.rawName !== `--${token.name}`) {
      throw new FlagError(`${token.rawName}: expected one of ${known}, got an unknown flag; see --help`);
    }
    if (seen.has(token.name) && flag.type !== 'texts') {
      throw new FlagError(`--${token.name}: expected once, got it twice; leave one out`);
    }
    seen.add(token.name);
    const value = readValue(token.name, flag, token.value, token.inlineValue === true);
    values[token.name] = flag.type === 'texts' ? [...(values[token.name] as string[]), value] : value;
  }
  return values as FlagValues<F>;
}

function readValue(
  name: string,
  flag: Flag,
  value: string | undefined,
  inline: boolean,
): string | number | boolean {
  if (flag.type === 'switch') {
    if (value === undefined) return true;
    throw new FlagError(`--${name}: expected no value, got "${value}"; write --${name} alone`);
  }
  const { expected, is, fromText } = kindOf(flag);
  if (value === undefined || value === '') {
    throw new FlagError(`--${name}: expected ${expected}, got nothing; write --${name} ${flag.value}`);
  }
  if (flag.type === 'texts' || (flag.type === 'text' && flag.values === undefined)) {
    if (inline || !value.startsWith('--')) return value;
    throw new FlagError(
      `--${name}: expected ${expected}, got the flag "${value}"; write --${name}=${value} if it is meant`,
    );
  }
  const read = fromText(value);
  if (is(read)) return read;
  throw new FlagError(`--${name}: expected ${expected}, got "${value}"`);
}

function kindOf(flag: Exclude<Flag, { type: 'switch' }>): Kind<string | number> {
  if (flag.type === 'texts' || flag.type === 'text') {
    const values = flag.type === 'text' ? flag.values : undefined;
    if (values === undefined) return text(/./s, 'a value');
    return kind(value => values.some(each => each === value), values.join(' or '), {
      fromText: value => value,
    });
  }
  return flag.whole ? whole(flag.min, flag.max) : number(flag.min, flag.max);
}

/** The flags for `--help`, one on each line, with their defaults. */
export function describeFlags(flags: Flags): string {
  const rows = Object.entries(flags).map(([name, flag]) => {
    const usage = flag.type === 'switch' ? `--${name}` : `--${name} ${flag.value}`;
    const fallback = flag.type === 'switch' || flag.default === undefined ? '' : ` (default ${flag.default})`;
    return [usage, flag.help + fallback] as const;
  });
  const width = Math.max(...rows.map(([usage]) => usage.length));
  return rows.map(([usage, help]) => `  ${usage.padEnd(width)}  ${help}`).join('\n');
}

/**
 * Checks that the file of a flag can be written: otherwise minutes of work could end with a result that cannot be saved.
 *
 * @throws {FlagError}
 */
export function writableFile(flag: string, path: string): string {
  const file = resolve(path);
  const folder = dirname(file);
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    throw new FlagError(
      `${flag}: expected a file in a folder that can be written to, got "${path}"; make ${folder} first`,
    );
  }
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new FlagError(`${flag}: expected a file, got the folder "${path}"`);
  }
  return file;
}

/**
 * Creates the folder of a flag if it does not exist.
 *
 * @throws {FlagError} when files cannot be written into it
 */
export function writableFolder(flag: string, path: string): string {
  const folder = resolve(path);
  try {
    makeFolder(folder);
    rmdirSync(mkdtempSync(join(folder, '.precise-ttl-')));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new FlagError(
      `${flag}: expected a folder that can be made and written to, got "${path}" (${code}); name another`,
    );
  }
  return folder;
}

/** Creates a folder after its parents. Node's `recursive` option never ends below /proc, where no folder can be created. */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A duration as a flag takes it: `2h`. */
export type Duration = `${number}${keyof typeof UNITS}`;

/**
 * Reads a duration such as `2h`.
 *
 * @param flag the flag's name for the message: `--for`
 * @returns milliseconds
 * @throws {FlagError}
 */
export function readDuration(
  flag: string,
  text: string,
  { least, most }: { readonly least: Duration; readonly most: Duration },
): number {
  const milliseconds = millisecondsOf(text);
  if (milliseconds >= millisecondsOf(least) && milliseconds <= millisecondsOf(most)) return milliseconds;
  throw new FlagError(
    `${flag}: expected a whole number and s, m, h or d, such as 90m or 2h, from ${least} to ${most}, got "${text}"`,
  );
}

/** Milliseconds; NaN if the text is not a duration. */
function millisecondsOf(text: string): number {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  return Number(count) * (UNITS[unit as keyof typeof UNITS] ?? Number.NaN);
}

/** A duration for a person: `2 h`, `1 h 30 min`, `45 s`. For rounded ages see operate/times.ts. */
export function describeDuration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor((seconds % 86_400) / 3600),
    Math.floor((seconds % 3600) / 60),
  ];
  const parts = [
    [days, 'd'],
    [hours, 'h'],
    [minutes, 'min'],
    [days + hours === 0 && minutes < 10 ? seconds % 60 : 0, 's'],
  ] as const;
  return (
    parts
      .filter(([count]) => count > 0)
      .slice(0, 2)
      .map(([count, unit]) => `${count} ${unit}`)
      .join(' ') || '0 s'
  );
}

const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Reads a time from a flag: a date in UTC, or a time in ISO-8601 with a zone.
 *
 * @param flag its name without the dashes
 * @returns epoch milliseconds
 * @throws {FlagError}
 */
export function readTime(flag: string, text: string): number {
  const ms = DATE.test(text) || TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  throw new FlagError(
    `--${flag}: expected a date such as 2026-11-20, which is one in UTC, or a time such as 2026-11-20T09:00:00Z, got "${text}"`,
  );
}
