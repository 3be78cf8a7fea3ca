import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import {
  type AnyCommand,
  defineCommand,
  EXIT,
  type Flag,
  type Flags,
  type Values,
} from '../../../cli/command.ts';
import { writableFile } from '../../../cli/files.ts';
import { print, printHelp } from '../../../cli/print.ts';
import { number, text, whole } from '../../../expiry/fields.ts';
import { Problems, Progress } from '../../report/progress.ts';

/** The surroundings of an experiment. */
export interface Run<F extends Flags> {
  readonly flags: Values<F>;
  readonly print: (text: string) => void;
  readonly progress: Progress;
  /** Collects problems: each is shown immediately, and makes the run fail. */
  readonly problems: Problems;
  /** Aborts at Ctrl-C; a second one ends the process. */
  readonly signal: AbortSignal;
}

/** The outcome of an experiment. */
export interface Outcome {
  /** Tables for the reader. */
  readonly text?: string;
  /** Content of the result file, besides the command, the commit, the machine and the flags. */
  readonly result?: object;
  /** The broken promises, a sentence each. */
  readonly problems?: readonly string[];
  /** Reasons why the run proves nothing, one sentence each. No file is written then. */
  readonly unproven?: readonly string[];
}

export interface Experiment<F extends Flags> {
  /** `npm run bench NAME` */
  readonly name: string;
  readonly about: string;
  readonly flags: F;
  /** The meaning of exit status 0. */
  readonly holds: string;
  readonly run: (run: Run<F>) => Promise<Outcome>;
}

/**
 * Defines an experiment: flags and help, the machine and the commit, a table for the reader and a file for the documents, and an exit
 * status.
 */
export function defineExperiment<const F extends Flags>(experiment: Experiment<F>): AnyCommand {
  const { name, about, holds } = experiment;
  const flags: Flags = { ...experiment.flags, json: RESULT_FILE };
  const command = defineCommand({
    ...{ name, flags, about: about.trim() },
    exits: `0 ${holds}, 1 not so, 3 also: the run proves nothing`,
    async run({ flags: values, signal }) {
      const path = values['json'] as string | undefined;
      const file = path === undefined ? undefined : writableFile('--json', path);
      const machine = thisMachine();
      const progress = new Progress(process.stdout);
      const problems = new Problems(progress);
      const run = { flags: values as unknown as Values<F>, print, progress, problems, signal };
      const { text: told, result, unproven = [], ...outcome } = await experiment.run(run);
      progress.end();
      if (told !== undefined) print(`\n${told}`);
      print(`\n${describeMachine(machine)}`);
      signal.throwIfAborted();
      const found = [...problems.found, ...(outcome.problems ?? [])];
      for (const problem of found) print(`✗ ${problem}`);
      for (const reason of unproven) print(`? proves nothing: ${reason}`);
      if (found.length === 0 && unproven.length > 0) return { exit: EXIT.notKnown };
      if (file !== undefined && result !== undefined) {
        const { json: _json, help: _help, ...settings } = values;
        const args = process.argv.slice(3);
        const line = ['npm run bench', name, ...(args.length > 0 ? ['--', ...args] : [])].join(' ');
        const written = { command: line, commit: commit(), machine, settings, ...result, problems: found };
        writeFileSync(file, `${JSON.stringify(written, null, 2)}\n`);
      }
      return { exit: found.length === 0 ? EXIT.fine : EXIT.notFine };
    },
  });
  const help = () => command.help().replace('npx precise-ttl', 'npm run bench').replace(name, `${name} --`);
  const execute = async (args: readonly string[]) =>
    args.includes('--help') ? printHelp(help()) : command.execute(args);
  return { ...command, help, execute };
}

/** Checked before the measurement starts, which takes minutes. */
const RESULT_FILE = {
  help: 'also write the result to a file',
  kind: text(/\.json$/, 'the name of a .json file'),
  value: 'FILE',
} as const;

function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim();
  try {
    return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain', '-uno') ? ' with changes' : ''}`;
  } catch {
    return 'unknown';
  }
}

/** Machine and time of a measurement. Absolute numbers mean little without them. */
function thisMachine() {
  return {
    node: process.version,
    cores: availableParallelism(),
    processor: cpus()[0]?.model ?? 'unknown',
    /** Load average of the last minute, which shows other work of the machine. */
    loadBefore: Math.round((loadavg()[0] ?? 0) * 100) / 100,
    date: new Date().toISOString(),
  };
}

function describeMachine({
  node,
  cores,
  processor,
  loadBefore,
  date,
}: ReturnType<typeof thisMachine>): string {
  return `Node ${node}, ${cores} cores (${processor}), load ${loadBefore} before, ${date}`;
}

/** A flag that takes a whole number. */
export const wholeNumber = (least: number, most: number, byDefault: number, help: string) =>
  ({ help, kind: whole(least, most), value: 'N', default: byDefault }) as const;

/** A flag that takes any text. */
export const textFlag = <const Default extends string | undefined>(
  value: string,
  byDefault: Default,
  help: string,
) => ({ help, kind: text(), value, default: byDefault }) as const;

const SEED = { kind: whole(0, 2 ** 32 - 1), value: 'N' } as const satisfies Partial<Flag>;
export const anySeed = (help: string) => ({ ...SEED, help }) as const;
export const seed = (help: string) => ({ ...SEED, default: 1, help }) as const;

/** Flags of an experiment in real time. */
export const REAL_TIME = {
  minutes: { help: 'how long items keep expiring', kind: number(0.1, 1_440), value: 'N', default: 3 },
  rate: { help: 'items per second and table', kind: number(0.1, 1_000), value: 'N', default: 20 },
  seed: seed('makes the same items and delays again'),
} as const;

export const virtualMinutes = (byDefault: number, help: string) =>
  wholeNumber(1, 60, byDefault, `${help}, on the virtual clock`);

/** Formats a table in Markdown; all columns except the first are right-aligned numbers. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [markdownRow(head), `|---|${'--:|'.repeat(head.length - 1)}`, ...rows.map(markdownRow)].join('\n');
}

export function markdownRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Formats milliseconds as seconds; a dash for a missing value. */
export function seconds(milliseconds: number | null): string {
  return milliseconds === null ? '–' : (milliseconds / 1000).toFixed(2);
}

/** Formats a share, 0 to 1, as a percentage. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}
