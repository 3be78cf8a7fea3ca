import { writeFileSync } from 'node:fs';
import type { DeploymentConfig } from '../config/config.ts';
import { loadConfig } from '../config/config-file.ts';
import { Progress } from '../lab/report/progress.ts';
import { localEndpoint, type Service } from '../operate/aws/endpoint.ts';
import { describeSdkError } from '../operate/aws/errors.ts';
import { CONFIG, type Flags, type FlagValues, switchFlag, textFlag, writableFile } from './flags.ts';
import { type COMMAND_ACTIONS, describeActions } from './iam-actions.ts';
import { print, printData, printError } from './print.ts';
import { type AnyCommand, defineCommand } from './run-command.ts';
import { stopOnSignal } from './signals.ts';

/** Exit status for a wrong command line and for a failed request, in commands that use 1 and 2 for their answers. */
export const NOT_KNOWN = 3;

export const MASK = switchFlag("show hashes instead of keys (default: as the table's logKeys says)");

const TABLE = { type: 'text', value: 'NAME' } as const;
const JSON_FILE = textFlag('FILE', 'also write the report to a file; - prints it instead of the text');

/** The arguments of a command that only reads, besides its flags. */
export interface LookSession<Asked> {
  /** The result of `read`. */
  readonly asked: Asked;
  readonly config: DeploymentConfig;
  readonly table: string | undefined;
  readonly signal: AbortSignal;
  /** Whether the user wants the complete report. */
  readonly wantsReport: boolean;
  /** Shows where the work is, on one line; an empty one ends it. */
  readonly show: (line: string) => void;
  /** Prints what was read; a command that repeats its look calls this each time. */
  readonly tell: (seen: Seen) => void;
}

interface Seen {
  /** The complete report, as JSON. */
  readonly report: object;
  /** The report as text for a person. */
  readonly text: () => string;
  /** Shows the text, for example on a screen that is overwritten. @default the text is printed */
  readonly show?: ((text: string) => void) | undefined;
}

interface Look<F extends Flags, Asked> {
  readonly name: keyof typeof COMMAND_ACTIONS;
  /** The text after the command's name in the help. @default flags only */
  readonly usage?: string;
  readonly words?: readonly string[];
  readonly flags: F;
  /** The tables that the command reads without `--table`, in words. */
  readonly tables: string;
  /** The purpose of the command, for its help. */
  readonly about: string;
  /** Further text of its help, below the flags. */
  readonly more?: string;
  /** The services that the command calls; errors name the first one. */
  readonly services: readonly [Service, ...Service[]];
  /** Where the command reads, in words. @default in AWS, or in the deployment of `local` */
  readonly where?: string;
  /** Meaning of the exit statuses, in words. */
  readonly status: string;
  /** @default 2 for wrong flags, 1 for everything else */
  readonly failureStatus?: number;
  /** The effect of an interruption, for the message about it: `nothing was compared`. */
  readonly interrupted: string;
  /**
   * Reads the flags, before the configuration is loaded and before any request.
   * @throws {FlagError}
   */
  readonly read: (flags: FlagValues<F>) => Asked;
  /** @returns the exit status */
  readonly look: (session: LookSession<Asked>) => Promise<number>;
}

/** Defines a command that only reads what is deployed, and reports it as text and as JSON. */
export function defineLook<const F extends Flags, Asked>(definition: Look<F, Asked>): AnyCommand {
  const { services, tables, failureStatus } = definition;
  const [service] = services;
  return defineCommand({
    flags: {
      table: { ...TABLE, help: `a table of the configuration (default: ${tables})` },
      ...definition.flags,
      config: CONFIG,
      json: JSON_FILE,
    } as Flags,
    ...(definition.words && { words: definition.words }),
    help: flags => describeLook(definition, flags),
    async run(values) {
      const { table, config, json } = values as { table?: string; config?: string; json?: string };
      const file = json === undefined || json === '-' ? undefined : writableFile('--json', json);
      const asked = definition.read(values as FlagValues<F>);
      const stop = stopOnSignal();
      const progress = new Progress(process.stderr);
      const tell = ({ report, text, show = print }: Seen) => {
        progress.end();
        const whole = () => JSON.stringify(report, null, 2);
        if (file !== undefined) writeFileSync(file, `${whole()}\n`);
        if (json !== '-') show(text());
        // Repeated looks print one JSON document on each line.
        else printData(show === print ? whole() : JSON.stringify(report));
      };
      try {
        return await definition.look({
          ...{ asked, table, tell, signal: stop.signal, wantsReport: json !== undefined },
          show: line => (line === '' ? progress.end() : progress.show(line)),
          config: await loadConfig(config),
        });
      } catch (error) {
        if (!stop.signal.aborted) throw error;
        printError(`Interrupted: ${definition.interrupted}. The command changes nothing, so run it again.`);
        return stop.status();
      } finally {
        progress.end();
        stop.forget();
      }
    },
    describe: error => describeSdkError(error, localEndpoint(process.env, service), service),
    ...(failureStatus !== undefined && { failureStatus }),
  });
}

function describeLook<F extends Flags, Asked>(
  { name, usage = '[flags]', about, more, where, services, status }: Look<F, Asked>,
  flags: string,
): string {
  const variables = services.map(each => `AWS_ENDPOINT_URL_${each}`).join(' and ');
  const local =
    where ??
    `For the deployment of npx precise-ttl local set ${variables} as it prints ${services[1] ? 'them' : 'it'}.`;
  return [
    `npx precise-ttl ${name} ${usage}`,
    about,
    flags,
    ...(more === undefined ? [] : [more]),
    `It uses AWS with the SDK's own configuration (AWS_PROFILE and so on), in the region of the configuration. ${local}`,
    describeActions(name),
    `Exit status: ${status}; 130 or 143 interrupted.`,
  ].join('\n\n');
}
