import { availableParallelism, cpus, loadavg } from 'node:os';
import { type AnyCommand, defineCommand, EXIT, type Flags, type Given } from '../../../cli/command.ts';
import { print } from '../../../cli/print.ts';
import { whole } from '../../../expiry/fields.ts';

export interface Outcome {
  readonly text?: string;
  readonly data: object;
  /** Sentences that say what was not as expected. With such a sentence, the exit status is 1. */
  readonly problems?: readonly string[];
}

export interface Experiment<F extends Flags> {
  readonly name: string;
  readonly about: string;
  readonly flags: F;
  /** What exit status 0 means, in words. */
  readonly holds: string;
  readonly run: (given: Given<F>) => Promise<Outcome>;
}

/** Defines a command that prints its result and a description of this computer. The exit status is 1 if the result has `problems`. */
export function defineExperiment<const F extends Flags>(experiment: Experiment<F>): AnyCommand {
  const { name, holds, run, flags } = experiment;
  const command = defineCommand({
    ...{ name, flags, about: experiment.about.trim() },
    exits: `0 ${holds}, 1 not so`,
    async run(given) {
      const machine = thisMachine();
      const { text: result = '', data, problems = [] } = await run(given as Given<F>);
      given.signal.throwIfAborted();
      return {
        data: { ...data, machine, problems },
        text: [result, '', machine, ...problems.map(problem => `✗ ${problem}`)].join('\n').trimStart(),
        exit: problems.length > 0 ? EXIT.notFine : EXIT.fine,
      };
    },
  });
  const help = () => command.help().replace('npx precise-ttl', 'npm run bench').replace(name, `${name} --`);
  const execute = async (args: readonly string[]) =>
    args.includes('--help') ? print(help(), 'help') : command.execute(args);
  return { ...command, help, execute };
}

/** Describes this computer and its load, with the date: numbers that were measured on different computers are not comparable. */
function thisMachine(): string {
  const processor = cpus()[0]?.model ?? 'unknown';
  const load = (loadavg()[0] ?? 0).toFixed(2);
  return `Node ${process.version}, ${availableParallelism()} cores (${processor}), load ${load} before, ${new Date().toISOString()}`;
}

export const wholeNumber = (least: number, most: number, help: string) =>
  ({ help, kind: whole(least, most), value: 'N' }) as const;

export const seed = (help: string) => wholeNumber(0, 2 ** 32 - 1, help);

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [markdownRow(head), `|---|${'--:|'.repeat(head.length - 1)}`, ...rows.map(markdownRow)].join('\n');
}

export function markdownRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

export function seconds(milliseconds: number | null): string {
  return milliseconds === null ? '–' : (milliseconds / 1000).toFixed(2);
}
