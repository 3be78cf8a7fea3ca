import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect, parseArgs } from 'node:util';
import { InvalidFieldError, PreciseTtlError } from '../expiry/errors.ts';
import { type Kind, kind, nearestName, text, type ValueOf } from '../expiry/fields.ts';
import type { ExpiryModel } from '../expiry/model.ts';
import { type DeploymentConfig, InvalidConfigError } from '../stacks/config/config.ts';
import { ConfigFileError, loadConfig } from '../stacks/config/config-file.ts';
import { type Deployment, deploymentOf, modelOf } from '../stacks/config/deployments.ts';
import { type PreciseTtlProps, type ResolvedProps, resolveProps } from '../stacks/config/props.ts';
import {
  type Clients,
  clientsOf,
  describeSilence,
  isLocal,
  localEndpoint,
  NoAnswerError,
  regionHere,
  SERVICES,
  type Service,
} from './clients.ts';
import { commandLine, useConfig } from './command-line.ts';
import { aligned, shownOn } from './format.ts';
import { COMMAND_ACTIONS, groupedActions, type IamAction } from './iam-actions.ts';
import { Progress, print, printError } from './print.ts';

/** A flag with a `kind` takes a value, which the help shows as the text `value`. A flag without a `kind` is a switch. */
export interface Flag {
  readonly help: string;
  readonly kind?: Kind<unknown>;
  readonly value?: string;
  readonly default?: unknown;
}
export type Flags = Readonly<Record<string, Flag>>;
export type Values<F extends Flags> = {
  readonly [Name in keyof F]: F[Name] extends { kind: infer K }
    ? ValueOf<K> | (F[Name] extends { default: unknown } ? never : undefined)
    : boolean;
};

export const EXIT = { fine: 0, notFine: 1, usage: 2, notKnown: 3 } as const;

export interface Result {
  readonly data?: object;
  readonly text?: string;
  readonly exit: number;
  readonly againAfterMs?: number;
  /** The error that ended a change early. The command prints the error after the rest of the result. */
  readonly error?: unknown;
}

export interface Plan {
  readonly text?: string;
  readonly question?: string | undefined;
  /** Makes the change. Ctrl-C aborts `signal` of {@link Given}. A result after Ctrl-C contains the work done so far. */
  apply(): Promise<Result>;
}

export interface Table {
  readonly props: ResolvedProps;
  readonly model: ExpiryModel;
  readonly region: string;
  readonly deployment: Deployment;
}

export type Tables = readonly [Table, ...Table[]];

export interface Given<F extends Flags = Flags> {
  readonly flags: Values<F>;
  /** `config` and `tables` are undefined for a command without {@link Command.tables}. */
  readonly config: DeploymentConfig;
  readonly tables: Tables;
  readonly clients: Clients;
  /** Aborts when the command's `seconds` are over, and at SIGINT (Ctrl-C) or SIGTERM. */
  readonly signal: AbortSignal;
  /** Aborts at SIGINT (Ctrl-C) or SIGTERM only. */
  readonly stopped: AbortSignal;
  readonly leftMs: () => number;
  readonly now: () => number;
  readonly print: (text: string) => void;
  /** Shows progress on one line. On a terminal the next call overwrites the line, and an empty text removes the line. */
  readonly show: (line: string) => void;
  readonly passed: readonly string[];
}

export interface Command<F extends Flags = Flags> {
  readonly name: string;
  readonly usage?: string;
  readonly about: string;
  readonly flags: F;
  /** The tables that the command works on if no `--table` chooses one: all, or the only one. @default the command gets no tables */
  readonly tables?: 'all' | 'one';
  /** Services of the command, the main service first. A command that changes something refuses a mix of AWS and local services. */
  readonly services?: readonly Service[];
  /** Seconds after which the command no longer waits for an answer. @default no limit */
  readonly seconds?: number;
  readonly alwaysAsks?: true;
  readonly passes?: true;
  readonly exits?: string;
  check?(given: Pick<Given<F>, 'flags' | 'config' | 'tables' | 'now'>): void;
  run(given: Given<F>): Promise<Result | Plan>;
}

export type AnyCommand = ReturnType<typeof defineCommand>;

export const YES = { help: 'do not ask' } as const satisfies Flag;
/** A flag for any text that is not empty. @param value stands for the text in the help @param what names the text in an error */
export const textFlag = (value: string, what: string, help: string) =>
  ({ help, kind: text(/./s, what), value }) as const;
export const tableFlag = (help: string) => textFlag('NAME', 'the name of a table', help);
export const CONFIG = textFlag(
  'PATH',
  'a file',
  'the configuration: .ts, .js, .mjs, .cjs or .json (default: precise-ttl.config.* in this folder)',
);
const JSON_DATA = { help: 'print the data instead of the text' } as const satisfies Flag;

export const wrong = (field: string, expected: string, got: unknown, remedy: string): InvalidFieldError =>
  new InvalidFieldError({ field, expected, got, remedy });

export function defineCommand<const F extends Flags>(defined: Command<F>) {
  const command = defined as unknown as Command;
  const { flags: own, tables } = command;
  const which = tables === 'one' ? 'the only one' : 'all of them';
  const flags: Flags = {
    ...(tables && { table: tableFlag(`a table of the configuration (default: ${which})`) }),
    ...own,
    ...(tables && { config: CONFIG }),
    ...(own['json'] === undefined && { json: JSON_DATA }),
    help: { help: 'show this' },
  };
  const endOf = (args: readonly string[]) =>
    command.passes && args.includes('--') ? args.indexOf('--') : args.length;
  const parse = (args: readonly string[]) => readFlags(flags, args.slice(0, endOf(args)));
  const help = () => helpOf(command, flags);
  const execute = (args: readonly string[]) =>
    telling(command.services?.[0], async () => {
      const values = parse(args) as unknown as CommonValues;
      if (!values.help) return carryOut(command, values, args.slice(endOf(args) + 1), args);
      print(help(), 'help');
      return EXIT.fine;
    });
  return { flags, parse, help, execute, run: (given: Given) => command.run(given) };
}

/** The values of flags that many commands have. Undefined: the command has no such flag, or no value was given. */
interface CommonValues {
  readonly help: boolean;
  readonly json: boolean | string | undefined;
  readonly table: string | undefined;
  readonly config: string | undefined;
  readonly region: string | undefined;
  readonly yes: boolean | undefined;
  readonly 'dry-run': boolean | undefined;
}

export const isWrongUsage = (error: unknown): error is Error =>
  [InvalidFieldError, InvalidConfigError, ConfigFileError].some(each => error instanceof each);

/** Does the work and sets the exit status. Prints an error that `work` throws; only an unexpected error is printed with its stack. */
export async function telling(service: Service | undefined, work: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await work();
  } catch (error) {
    const isUsage = isWrongUsage(error);
    const isOurs = error instanceof PreciseTtlError || isEmulatorError(error);
    const silence = isUsage || !service ? undefined : describeSilence(error, service);
    printError(silence ?? (isOurs ? error.message : inspect(error)), 'error');
    const isSilent = silence !== undefined || error instanceof NoAnswerError;
    process.exitCode = isUsage ? EXIT.usage : isSilent ? EXIT.notKnown : EXIT.notFine;
  }
}

/** Whether `error` is an EmulatorError, by the name of its class: `instanceof` would make every command load the emulator. */
export function isEmulatorError(error: unknown): error is Error {
  for (let each: unknown = error; each; each = Object.getPrototypeOf(each))
    if ((each as object).constructor?.name === 'EmulatorError') return true;
  return false;
}

/** An error for an unknown name. It suggests the only known name that starts with `typed`, or a similar name, or else `otherwise`. */
export function unknown(field: string, typed: string, known: readonly string[], otherwise = 'See --help.') {
  const got = typed.replace(/^-(?=[^-])/, '--');
  const begun = known.filter(name => got.length > 2 && name.startsWith(got));
  const meant = begun.length === 1 ? begun[0] : nearestName(got, known);
  const remedy = meant === undefined ? otherwise : `Did you mean ${meant}?`;
  return wrong(field, `one of ${known.join(', ')}`, typed, remedy);
}

/** Checks the flags and the configuration, `--yes` last: nobody should be told to add `--yes` while the command is wrong otherwise. */
async function checked(command: Command, values: CommonValues) {
  const { services = [], tables: which, alwaysAsks = false, check } = command;
  useConfig(values.config);
  const config = (which && (await loadConfig(values.config))) as DeploymentConfig;
  const tables = (which && tablesOf(config, values.table)) as Tables;
  if (which === 'one' && tables.length > 1) {
    const names = tables.map(({ props }) => props.tableName);
    throw wrong('--table', `one of ${names.join(', ')}`, undefined, 'This is for one table: name it.');
  }
  const flags = values as unknown as Values<Flags>;
  check?.({ flags, config, tables, now: Date.now });
  const elsewhere = services.find(service => !isLocal(service));
  const here = services.find(isLocal);
  // With AWS and local services mixed, a change could hit the wrong data. A command that only reads may mix if its first service is local.
  const isRefused = values.yes !== undefined || elsewhere === services[0];
  if (here !== undefined && elsewhere !== undefined && isRefused) {
    const name = `AWS_ENDPOINT_URL_${elsewhere}`;
    const expected = `an endpoint on this machine for ${SERVICES[elsewhere].title}, as ${localEndpoint(here)?.name} names one`;
    const remedy = 'Set it as the local deployment prints it, or unset both for AWS.';
    throw wrong(name, expected, process.env[name], remedy);
  }
  const isAsked = values.yes === false && values['dry-run'] !== true && (alwaysAsks || here === undefined);
  if (isAsked && !process.stdin.isTTY) {
    const expected = 'it where no terminal is there to ask at';
    const orTry = values['dry-run'] === undefined ? 'Add it.' : 'Add it, or try with --dry-run.';
    throw wrong('--yes', expected, undefined, orTry);
  }
  return { flags, config, tables, isAsked };
}

/** The table `name`, or all tables if `name` is undefined. @throws {InvalidFieldError} for a name that no table has */
export function chosenTables({ tables }: DeploymentConfig, name?: string) {
  const chosen = tables.filter(({ tableName }) => name === undefined || tableName === name);
  const names = tables.map(({ tableName }) => tableName);
  if (chosen.length === 0) throw unknown('--table', `${name}`, names, 'The configuration lists them.');
  return chosen as unknown as readonly [PreciseTtlProps, ...PreciseTtlProps[]];
}

export function tablesOf(config: DeploymentConfig, name?: string): Tables {
  const deployment = deploymentOf(config.tables.map(resolveProps));
  const { region } = config;
  return chosenTables(config, name).map(table => {
    return { props: resolveProps(table), model: modelOf(table), region, deployment };
  }) as unknown as Tables;
}

/** The exit status after a signal: 128 plus the number of the signal, as in shells. */
const SIGNAL_STATUS = { SIGINT: 130, SIGTERM: 143 } as const;

/** Aborts `signal` at the first SIGINT or SIGTERM. Another SIGINT or SIGTERM ends the process at once. */
class Stop {
  readonly #controller = new AbortController();
  readonly signal = this.#controller.signal;
  status: number = SIGNAL_STATUS.SIGINT;

  readonly #stop = (name: keyof typeof SIGNAL_STATUS): void => {
    if (this.signal.aborted) process.exit(this.status);
    this.status = SIGNAL_STATUS[name];
    this.#controller.abort();
  };

  constructor() {
    for (const name of Object.keys(SIGNAL_STATUS)) process.on(name, this.#stop);
  }

  forget(): void {
    for (const name of Object.keys(SIGNAL_STATUS)) process.off(name, this.#stop);
  }
}

/** A signal that aborts when `stopped` aborts or `seconds` are over. @param spentMs milliseconds of `seconds` that have already passed */
export function lookTime(
  seconds: number | undefined,
  stopped: AbortSignal,
  spentMs = 0,
): Pick<Given, 'signal' | 'leftMs'> {
  if (seconds === undefined) return { signal: stopped, leftMs: () => Number.POSITIVE_INFINITY };
  const endsAt = performance.now() - spentMs + seconds * 1_000;
  const leftMs = () => Math.max(0, endsAt - performance.now());
  const time = new AbortController();
  const over = new NoAnswerError(`no answer when the ${seconds} s of the command were over`);
  setTimeout(() => time.abort(over), leftMs()).unref();
  return { signal: AbortSignal.any([stopped, time.signal]), leftMs };
}

async function carryOut(
  command: Command,
  values: CommonValues,
  passed: readonly string[],
  args: readonly string[],
): Promise<number> {
  const { isAsked, ...subject } = await checked(command, values);
  const { services = [], seconds } = command;
  const stop = new Stop();
  // The time limit includes the start of the process.
  let time = lookTime(seconds, stop.signal, performance.now());
  const progress = new Progress(process.stderr);
  const here = regionHere() ?? (services.some(isLocal) ? 'us-east-1' : undefined);
  const region = subject.config?.region ?? values.region ?? here;
  const options = { services, region, quick: seconds !== undefined, signal: () => time.signal };
  const clients = await clientsOf(options);
  const isJson = values.json === true;
  const given = {
    ...{ ...subject, passed, clients, now: Date.now, stopped: stop.signal },
    print: (told: string) => void (isJson || print(told)),
    show: (line: string) => (line === '' ? progress.end() : progress.show(line)),
  };
  let isChanging = false;
  let lastExit: number | undefined;
  try {
    for (;;) {
      let result = await command.run({ ...given, ...time });
      if ('apply' in result) {
        if (result.text !== undefined) (isJson ? printError : print)(result.text);
        if (isAsked && !(await isAgreed(result, isJson, stop.signal))) {
          printError('Nothing was changed.');
          return EXIT.notFine;
        }
        isChanging = true;
        time = lookTime(seconds, stop.signal);
        result = await result.apply();
      }
      progress.end();
      tell(result, isJson);
      if (result.error !== undefined) throw result.error;
      if (isChanging) stop.signal.throwIfAborted();
      lastExit = result.exit;
      if (result.againAfterMs === undefined) return lastExit;
      await sleep(result.againAfterMs, undefined, { signal: stop.signal });
      time = lookTime(seconds, stop.signal);
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    // Ctrl-C is the usual end of `--watch`.
    if (lastExit !== undefined) return lastExit;
    const again = isChanging ? ` The same command goes on:\n  ${commandLine(command.name, args)}` : '';
    printError(`Interrupted.${again}`);
    return stop.status;
  } finally {
    progress.end();
    clients.destroy();
    stop.forget();
  }
}

const isAgreed = async ({ question: asked }: Plan, isJson: boolean, signal: AbortSignal): Promise<boolean> =>
  asked === undefined || /^y(es)?$/i.test(await question(`\n${asked} [y/N] `, signal, isJson));

function tell({ data, text: told, againAfterMs }: Result, isJson: boolean): void {
  const isWatched = againAfterMs !== undefined;
  if (isJson && data !== undefined) print(JSON.stringify(data, null, isWatched ? 0 : 2), 'data');
  if (isJson || told === undefined) return;
  if (isWatched && process.stdout.isTTY) process.stdout.write('\u001B[2J\u001B[H');
  print(told);
}

/** @returns the trimmed answer; empty after Ctrl-D @throws after Ctrl-C */
export async function question(asked: string, signal: AbortSignal, isJson = false): Promise<string> {
  const output = isJson ? process.stderr : process.stdout;
  output.write(shownOn(output, asked));
  // With `terminal: false` Ctrl-C reaches the process as a signal.
  const lines = createInterface({ input: process.stdin, terminal: false, signal });
  const { value = '' } = await lines[Symbol.asyncIterator]().next();
  lines.close();
  signal.throwIfAborted();
  return value.trim();
}

function readFlags(flags: Flags, args: readonly string[]): Record<string, unknown> {
  const all = Object.entries(flags);
  const names = all.map(([name]) => `--${name}`);
  const options = Object.fromEntries(
    all.map(([name, { kind: of }]) => [name, { type: of ? ('string' as const) : ('boolean' as const) }]),
  );
  const given = { args: [...args], options, strict: false, allowPositionals: true, tokens: true } as const;
  const tokens = parseArgs(given).tokens.filter(token => token.kind !== 'option-terminator');
  // Unknown flags are reported first: the value of a misspelt flag looks like a superfluous argument.
  for (const token of tokens)
    if (token.kind === 'option' && !names.includes(token.rawName))
      throw unknown(token.rawName, token.rawName, names);
  const read = new Map<string, unknown>();
  for (const [at, token] of tokens.entries()) {
    if (token.kind === 'positional') {
      const before = tokens[at - 1];
      const isOfSwitch = before?.kind === 'option' && before.value === undefined;
      if (isOfSwitch) throw noValue(before.rawName, token.value);
      // A superfluous word is usually the name of a table.
      const remedy = flags['table'] === undefined ? '' : `, or write --table ${token.value}`;
      const expected = `flags only: ${names.join(', ')}`;
      throw wrong(token.value, expected, token.value, `Leave it out${remedy}.`);
    }
    if (read.has(token.name)) throw wrong(token.rawName, 'one', 2, 'Leave one out.');
    read.set(token.name, readValue(flags[token.name] as Flag, token));
  }
  const absent = all.map(([name, flag]) => [name, flag.kind ? flag.default : false] as const);
  return { ...Object.fromEntries(absent), ...Object.fromEntries(read) };
}

const noValue = (field: string, got: string) => wrong(field, 'no value', got, `Write ${field} alone.`);

interface Option {
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function readValue({ kind: of, value: name }: Flag, { rawName: field, value, inlineValue }: Option) {
  if (of === undefined && value !== undefined) throw noValue(field, value);
  if (of === undefined) return true;
  const isMissing = value === undefined || value === '' || (value.startsWith('--') && !inlineValue);
  const read = isMissing ? undefined : of.fromText(value);
  if (!isMissing && of.is(read)) return read;
  throw wrong(field, of.expected, value || undefined, of.remedy?.(read) ?? `Write ${field} ${name}.`);
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The kind of a flag with a text such as `90m`, read as milliseconds. `least` and `most` are such texts. */
export function duration(least: string, most: string): Kind<number> {
  const fromText = (value: string) => {
    const [, number, unit = ''] = /^(\d{1,6})([smhd])$/.exec(value) ?? [];
    return Number(number) * (UNITS[unit] ?? Number.NaN);
  };
  const isWithin = (value: unknown) =>
    typeof value === 'number' && value >= fromText(least) && value <= fromText(most);
  const expected = `a whole number and s, m, h or d, such as 90m or 2h, from ${least} to ${most}`;
  return kind(isWithin, expected, { fromText });
}

function helpOf(command: Command, flags: Flags): string {
  const { name, usage = '[flags]', about, services = [], tables, seconds, exits } = command;
  const rows = Object.entries(flags).map(([flag, { help, value = '', default: is }]) => {
    const isSaid = is === undefined || help.includes('default');
    return [`--${flag} ${value}`.trimEnd(), `${help}${isSaid ? '' : ` (default ${is})`}`] as const;
  });
  const variables = services.map(service => `AWS_ENDPOINT_URL_${service}`).join(', ');
  const region = tables ? ', in the region of the configuration' : '';
  const consent = 'yes' in flags ? ' On AWS it asks before it changes anything.' : '';
  const time = seconds ? ` After ${seconds} s it tells what it knows, and what did not answer.` : '';
  const { [name]: actions }: Readonly<Record<string, readonly IamAction[]>> = COMMAND_ACTIONS;
  return [
    `npx precise-ttl ${name} ${usage}`,
    about,
    aligned(rows),
    services.length > 0 &&
      `It asks AWS with the SDK's own configuration (AWS_PROFILE and so on)${region}; or npx precise-ttl local, where ${variables} name it.${consent}${time}`,
    actions && `It needs in IAM: ${groupedActions(actions).join('; ')}.`,
    `Exit status: ${exits ?? '0 done, 1 not'}; 2 a wrong command line or configuration, 3 a service did not answer; 130 or 143 interrupted.`,
  ]
    .filter(Boolean)
    .join('\n\n');
}
