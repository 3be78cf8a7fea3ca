import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import {
  FlagError,
  type Flags,
  type FlagValues,
  MINUTES,
  RATE,
  SEED,
  VIRTUAL_MINUTES,
  writableFile,
} from '../../../cli/flags.ts';
import { print } from '../../../cli/print.ts';
import { type AnyCommand, defineCommand } from '../../../cli/run-command.ts';
import { stopOnSignal } from '../../../cli/signals.ts';
import { Problems, Progress } from '../../report/progress.ts';

/** The surroundings of an experiment. */
export interface Run<F extends Flags> {
  readonly flags: FlagValues<F>;
  readonly print: (text: string) => void;
  readonly progress: Progress;
  /** Collects problems: each is shown immediately, and makes the run fail. */
  readonly problems: Problems;
  /** Aborts at Ctrl-C. An experiment that uses it must clean up; otherwise Ctrl-C ends the process immediately. */
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

const UNPROVEN_STATUS = 3;

/**
 * Defines an experiment: flags and help, the machine and the commit, a table for the reader and a file for the documents, and an exit
 * status.
 */
export function defineExperiment<const F extends Flags>(experiment: Experiment<F>): AnyCommand {
  const { name, about, holds } = experiment;
  const json = { type: 'text', value: 'FILE', help: 'also write the result to a file' } as const;
  return defineCommand({
    flags: { ...experiment.flags, json } as F,
    help: flags => `npm run bench ${name} -- [flags]

${about.trim()}

${flags}

Exit status: 0 ${holds}; 1 not so; 2 wrong flags; 3 the run proves nothing; 130 or 143 interrupted.`,
    async run(flags, { args }) {
      const path = (flags as { readonly json?: string }).json;
      const file = path === undefined ? undefined : resultFile(path);
      const machine = thisMachine();
      const progress = new Progress(process.stdout);
      const problems = new Problems(progress);
      let stop: ReturnType<typeof stopOnSignal> | undefined;
      const run = {
        ...{ flags, print, progress, problems },
        get signal() {
          stop ??= stopOnSignal();
          return stop.signal;
        },
      };
      const { text, result, unproven = [], ...outcome } = await experiment.run(run);
      progress.end();
      if (text !== undefined) print(`\n${text}`);
      print(`\n${describeMachine(machine)}`);
      if (stop?.signal.aborted) return stop.status();
      const found = [...problems.found, ...(outcome.problems ?? [])];
      for (const problem of found) print(`✗ ${problem}`);
      for (const reason of unproven) print(`? proves nothing: ${reason}`);
      if (found.length === 0 && unproven.length > 0) return UNPROVEN_STATUS;
      if (file !== undefined && result !== undefined) {
        const command = ['npm run bench', name, ...(args.length > 0 ? ['--', ...args] : [])].join(' ');
        const { json: _json, help: _help, ...settings } = flags as Readonly<Record<string, unknown>>;
        const written = { command, commit: commit(), machine, settings, ...result, problems: found };
        writeFileSync(file, `${JSON.stringify(written, null, 2)}\n`);
      }
      return found.length === 0 ? 0 : 1;
    },
  });
}

/** Checks the path of the result file before the measurement starts, which takes minutes. @throws {FlagError} */
function resultFile(path: string): string {
  if (!path.endsWith('.json'))
    throw new FlagError(`--json: expected the name of a .json file, got "${path}"`);
  return writableFile('--json', path);
}

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

export const seed = (help: string) => ({ ...SEED, default: 1, help }) as const;

/** Flags of an experiment in real time. */
export const REAL_TIME = {
  minutes: { ...MINUTES, help: 'how long items keep expiring' },
  rate: { ...RATE, help: 'items per second and table' },
  seed: seed('makes the same items and delays again'),
} as const;

export const virtualMinutes = <Default extends number>(fallback: Default, help: string) =>
  ({ ...VIRTUAL_MINUTES, default: fallback, help: `${help}, on the virtual clock` }) as const;

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
