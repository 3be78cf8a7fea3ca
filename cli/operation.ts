import { writeFileSync } from 'node:fs';
import type { DeploymentConfig } from '../config/config.ts';
import { loadConfig } from '../config/config-file.ts';
import { Progress } from '../lab/report/progress.ts';
import type { Clients } from '../operate/aws/clients.ts';
import { localEndpoint, requireOnePlace, type Service } from '../operate/aws/endpoint.ts';
import { describeSdkError } from '../operate/aws/errors.ts';
import { commandLine } from '../operate/command-line.ts';
import { chooseTable, chooseTables } from '../operate/deployment/subject.ts';
import { StoppedError } from '../operate/errors.ts';
import { consent, requireConsent, YES } from './consent.ts';
import { CONFIG, type Flags, type FlagValues, switchFlag, textFlag, writableFile } from './flags.ts';
import { type COMMAND_ACTIONS, describeActions } from './iam-actions.ts';
import { print, printError } from './print.ts';
import { type AnyCommand, defineCommand } from './run-command.ts';
import { stopOnSignal } from './signals.ts';

/** The arguments of an operation, besides its flags. */
export interface Session {
  readonly clients: Clients;
  /** Only counts; changes nothing. */
  readonly dryRun: boolean;
  /** Stops the command. */
  readonly signal: AbortSignal;
  /** Asks a yes-or-no question; undefined if no question may be asked: with `--yes`, or without a terminal. */
  readonly ask: ((text: string) => Promise<boolean>) | undefined;
  readonly print: (text: string) => void;
  /** Registers work for the end of the command, also after an error. */
  readonly atEnd: (cleanUp: () => void) => void;
  /** Shows the progress on one line; an empty text ends it. */
  readonly show: (line: string) => void;
}

/** A title, with rows of names and texts below it. */
export interface Facts {
  readonly title: string;
  readonly rows: readonly (readonly [name: string, text: string])[];
}

export function describeFacts({ title, rows }: Facts): string {
  return [title, ...rows.map(([name, text]) => `  ${name.padEnd(12)}${text}`)].join('\n');
}

/** A change that is about to be made. */
export interface Plan<Result extends object> {
  /** Printed before the question, with the place of the change. @default the operation prints it itself */
  readonly facts?: Facts;
  /** Undefined if no consent is needed. @default that of the operation */
  readonly question?: string | undefined;
  /**
   * Makes the change.
   * @returns the result as `--json` has it
   * @throws {StoppedError} with the part that was done
   */
  readonly apply: () => Promise<Result>;
  /** Prints the result. */
  tell(result: Result): Told;
}

/** Returns the plan with the type of its result hidden, as an operation returns it. */
export function planOf<Result extends object>(plan: Plan<Result>): Plan<object> {
  return plan;
}

/** The end of an operation. */
export interface Told {
  readonly end: 'done' | 'failed' | 'interrupted';
  /** A sentence about what is left, without the command that continues. */
  readonly note?: string;
  /** Further steps that are possible. */
  readonly more?: string;
  /** Running the same command again does not help. @default the same command continues */
  readonly isFinal?: boolean;
}

interface CommonOperation<F extends Flags, Wanted> {
  readonly name: keyof typeof COMMAND_ACTIONS;
  /** The text after the command's name in the help: one line for each form of the command. */
  readonly usage: readonly string[];
  readonly flags: F;
  /** The help of `--dry-run`. @default the operation has no such flag */
  readonly dryRun?: string;
  /** The purpose of the command, for its help. */
  readonly about: string;
  /** The services that the command calls; the change begins with the first one. Either all of them are on this machine, or none. */
  readonly services: readonly [Service, ...Service[]];
  /** Services that the command calls only if they are in the same place as the others. */
  readonly beside?: readonly Service[];
  /** Services whose answer a user waits for: calls to them fail sooner. */
  readonly quick?: readonly Service[];
  /** The command asks for consent on this machine too. */
  readonly alwaysAsks?: true;
  /** Where the command works, in words for the help. @default in AWS, or in the deployment of `local` */
  readonly where?: string;
  /** The question that is asked before a change on AWS. */
  readonly question: string;
  /** Meaning of exit status 0, and of 1 except for a declined question. */
  readonly status: { readonly done: string; readonly not?: string };
  /**
   * Reads the state before the change.
   * @returns undefined when the user has already declined a question
   * @throws {FlagError} when the change is not possible with these flags
   */
  readonly prepare: (wanted: Wanted, session: Session) => Promise<Plan<object> | undefined>;
}

/** The values of the common flags. */
interface Chosen {
  readonly table: string | undefined;
  readonly dryRun: boolean;
}

interface ConfiguredOperation<F extends Flags, Wanted> extends CommonOperation<F, Wanted> {
  readonly region?: undefined;
  /** How many tables of the configuration the command works on: `--table` chooses one. */
  readonly tables: keyof typeof TABLE;
  /** @throws {FlagError} */
  readonly read: (flags: FlagValues<F> & Chosen, config: DeploymentConfig) => Wanted;
}

/** An operation that reads no configuration. */
interface FreeOperation<F extends Flags, Wanted> extends CommonOperation<F, Wanted> {
  /** Undefined: the SDK finds the region. */
  readonly region: (flags: FlagValues<F>) => string | undefined;
  /** @throws {FlagError} */
  readonly read: (flags: FlagValues<F>) => Wanted;
}

type Operation<F extends Flags, Wanted> = ConfiguredOperation<F, Wanted> | FreeOperation<F, Wanted>;

const TABLE = {
  one: textFlag('NAME', 'a table of the configuration (default: the only one)'),
  all: textFlag('NAME', 'a table of the configuration (default: all of them)'),
} as const;
const COMMON = {
  yes: YES,
  json: textFlag('FILE', 'also write the result to a file'),
} as const;
type CommonValues = FlagValues<typeof COMMON> & {
  readonly config?: string;
  readonly table?: string;
  readonly 'dry-run'?: boolean;
};

/** Defines a command that changes something: it reads the state, describes the change, asks, makes the change, and reports the result. */
export function defineOperation<const F extends Flags, Wanted>(
  operation: ConfiguredOperation<F, Wanted>,
): AnyCommand;
export function defineOperation<const F extends Flags, Wanted>(
  operation: FreeOperation<F, Wanted>,
): AnyCommand;
export function defineOperation<F extends Flags, Wanted>(operation: Operation<F, Wanted>): AnyCommand {
  const { name, services, dryRun } = operation;
  const [service] = services;
  return defineCommand({
    flags: {
      ...(operation.region === undefined && { table: TABLE[operation.tables] }),
      ...operation.flags,
      ...(dryRun !== undefined && { 'dry-run': switchFlag(dryRun) }),
      ...(operation.region === undefined && { config: CONFIG }),
      ...COMMON,
    } as Flags,
    help: flags => describeOperation(operation, flags),
    async run(values, { args }) {
      const flags = values as CommonValues;
      requireOnePlace(process.env, services);
      const resultFile = flags.json === undefined ? undefined : writableFile('--json', flags.json);
      const { wanted, region } = await read(operation, values as FlagValues<F> & CommonValues);
      requireConsent(flags, operation.alwaysAsks ? undefined : service);
      const stop = stopOnSignal();
      // Imported late: a wrong flag should be reported before the SDK is loaded.
      const { clientsOf } = await import('../operate/aws/clients.ts');
      const clients = clientsOf(region, process.env, { first: service, quick: operation.quick });
      const progress = new Progress(process.stderr);
      const cleanUps = [() => progress.end(), () => clients.destroy(), stop.forget];
      const isAsked = !flags.yes && process.stdin.isTTY;
      const session: Session = {
        clients,
        dryRun: flags['dry-run'] ?? false,
        signal: stop.signal,
        ask: isAsked ? text => consent(text, flags, stop.signal) : undefined,
        print,
        atEnd: cleanUp => cleanUps.push(cleanUp),
        show: line => (line === '' ? progress.end() : progress.show(line)),
      };
      try {
        const plan = await operation.prepare(wanted, session).catch((error: unknown) => {
          if (isInterruption(error, stop.signal)) return undefined;
          throw error;
        });
        const circumstances = { question: operation.question, region, resultFile };
        const told = plan && (await carryOut(plan, session, circumstances));
        if (told === undefined) {
          progress.end();
          printError('Nothing was changed.');
          return stop.signal.aborted ? stop.status() : 1;
        }
        if (told.end !== 'done') printError(describeEnd(told, commandLine(name, args)));
        return { done: 0, failed: 1, interrupted: stop.status() }[told.end];
      } finally {
        for (const cleanUp of cleanUps) cleanUp();
      }
    },
    describe: error => describeSdkError(error, localEndpoint(process.env, service), service),
  });
}

async function read<F extends Flags, Wanted>(
  operation: Operation<F, Wanted>,
  flags: FlagValues<F> & CommonValues,
): Promise<{ readonly wanted: Wanted; readonly region: string | undefined }> {
  if (operation.region !== undefined) {
    return { wanted: operation.read(flags), region: operation.region(flags) };
  }
  const config = await loadConfig(flags.config);
  const chosen = { table: flags.table, dryRun: flags['dry-run'] ?? false };
  const choose = { one: chooseTable, all: chooseTables }[operation.tables];
  choose(config, flags.table);
  return { wanted: operation.read({ ...flags, ...chosen }, config), region: config.region };
}

interface Circumstances {
  readonly question: string;
  readonly region: string | undefined;
  readonly resultFile: string | undefined;
}

/** @returns undefined when the user declined */
export async function carryOut<Result extends object>(
  plan: Plan<Result>,
  { clients, dryRun, ask, print: say, signal }: Session,
  { region, resultFile, ...circumstances }: Circumstances,
): Promise<Told | undefined> {
  if (plan.facts !== undefined) {
    const where = ['endpoint', `${clients.where()}, region ${region}`] as const;
    say(describeFacts({ ...plan.facts, rows: [...plan.facts.rows, where] }));
  }
  const question = 'question' in plan ? plan.question : circumstances.question;
  const isFree = dryRun || clients.isLocal() || question === undefined || ask === undefined;
  if (!(isFree || (await ask(question)))) return undefined;
  const applied = await plan.apply().then(
    done => ({ result: done, error: undefined }),
    (thrown: unknown) => {
      if (thrown instanceof StoppedError) return { result: thrown.result as Result, error: thrown.cause };
      if (isInterruption(thrown, signal)) return undefined;
      throw thrown;
    },
  );
  if (applied === undefined) return { end: 'interrupted' };
  const { result, error } = applied;
  const told = plan.tell(result);
  if (resultFile !== undefined) writeFileSync(resultFile, `${JSON.stringify(result, null, 2)}\n`);
  if (error !== undefined) throw error;
  return told;
}

function isInterruption(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && (error as Error).name === 'AbortError';
}

function describeEnd({ end, note, more, isFinal = false }: Told, again: string): string {
  const what =
    end === 'interrupted'
      ? `Interrupted${note === undefined ? '' : `; ${note}`}.`
      : (note ?? 'Not all of it was done.');
  const lines = isFinal ? [what] : [`${what} The same command goes on:`, `  ${again}`];
  return ['', ...lines, ...(more === undefined ? [] : [more])].join('\n');
}

function describeOperation<F extends Flags, Wanted>(operation: Operation<F, Wanted>, flags: string): string {
  const { name, usage, about, status, where = describeWhere(operation) } = operation;
  const not = status.not ?? 'not: something failed';
  return `${usage.map(line => `npx precise-ttl ${name} ${line}`).join('\n')}

${about}

${flags}

${where}

${describeActions(name)}

Exit status: 0 ${status.done}, 1 ${not}, or you declined, 2 wrong flags, 130 or 143 interrupted.`;
}

function describeWhere<F extends Flags, Wanted>({
  services,
  beside = [],
  dryRun,
  region,
}: Operation<F, Wanted>): string {
  const variables = [...services, ...beside].map(each => `AWS_ENDPOINT_URL_${each}`);
  return (
    `It uses AWS with the SDK's own configuration (AWS_PROFILE and so on)${region === undefined ? ', in the region of the configuration' : ''}. ` +
    `On AWS it asks before it changes anything, unless you give --yes${dryRun === undefined ? '' : ' or --dry-run'}; ` +
    'without a terminal to ask at it refuses. For the deployment of npx precise-ttl local ' +
    `set ${variables.join(' and ')} as it prints ${variables.length > 1 ? 'them' : 'it'}; there it does not ask.`
  );
}
