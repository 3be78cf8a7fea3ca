import { writeFileSync } from 'node:fs';
import { checkConfig, type DeploymentConfig } from '../config/config.ts';
import { loadConfigFile } from '../config/config-file.ts';
import { Progress } from '../lab/report/progress.ts';
import { localEndpoint, type Service } from '../operate/aws/endpoint.ts';
import { describeSdkError } from '../operate/aws/errors.ts';
import { CONFIG, type Flags, type FlagValues } from './flags.ts';
import { type COMMAND_ACTIONS, describeActions } from './iam-actions.ts';
import { print, printData, printError } from './print.ts';
import { type AnyCommand, defineCommand } from './run-command.ts';
import { stopOnSignal } from './signals.ts';
import { writableFile } from './writable-file.ts';

/** The exit status of a wrong command line and of what could not be asked, for a command whose 1 and 2 are answers. */
export const NOT_KNOWN = 3;

export const MASK = {
  type: 'switch',
  help: "show hashes instead of keys (default: as the table's logKeys says)",
} as const;

const TABLE = { type: 'text', value: 'NAME' } as const;
const JSON_FILE = {
  type: 'text',
  value: 'FILE',
  help: 'also write the report to a file; - prints it instead of the text',
} as const;

/** The surroundings of a look, besides its flags. */
export interface LookSession<Asked> {
  /** The result of `read`. */
  readonly asked: Asked;
  readonly config: DeploymentConfig;
  readonly table: string | undefined;
  readonly signal: AbortSignal;
  /** Whether somebody wants the report with everything in it. */
  readonly wantsReport: boolean;
  /** Shows where the work is, on one line; an empty one ends it. */
  readonly show: (line: string) => void;
  /** Tells what was seen; a look that goes on tells it again and again. */
  readonly tell: (seen: Seen) => void;
}

interface Seen {
  /** Everything, as JSON. */
  readonly report: object;
  /** The same for a person. */
  readonly text: () => string;
  /** Shows the text itself, as on a screen that is written again. @default it is printed */
  readonly show?: ((text: string) => void) | undefined;
}

interface Look<F extends Flags, Asked> {
  readonly name: keyof typeof COMMAND_ACTIONS;
  /** The text behind the command's name. @default flags only */
  readonly usage?: string;
  readonly words?: readonly string[];
  readonly flags: F;
  /** Which tables it is for without `--table`. */
  readonly tables: string;
  /** The purpose of the command, for its help. */
  readonly about: string;
  /** Further text of its help, below the flags. */
  readonly more?: string;
  /** The services that it calls; the first one is the one that errors are told of. */
  readonly services: readonly [Service, ...Service[]];
  /** Says where it works. @default in AWS, or in the deployment of `local` */
  readonly where?: string;
  /** The exit status, in words. */
  readonly status: string;
  /** @default 2 for wrong flags, 1 for everything else */
  readonly failureStatus?: number;
  /** Nothing of what it says is known when it is interrupted: what was not done then. */
  readonly interrupted: string;
  /**
   * Reads the flags, before the configuration is loaded and anybody is asked.
   * @throws {FlagError}
   */
  readonly read: (flags: FlagValues<F>) => Asked;
  /** @returns the exit status */
  readonly look: (session: LookSession<Asked>) => Promise<number>;
}

/** A command that looks at what is deployed, changes nothing, and says what it saw: as a text, and as JSON. */
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
        // Looks that follow each other are lines.
        else printData(show === print ? whole() : JSON.stringify(report));
      };
      try {
        return await definition.look({
          ...{ asked, table, tell, signal: stop.signal, wantsReport: json !== undefined },
          show: line => (line === '' ? progress.end() : progress.show(line)),
          config: checkConfig(await loadConfigFile(config)),
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
