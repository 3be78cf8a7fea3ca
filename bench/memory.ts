/** `npm run bench memory`: what `npx precise-ttl local` holds under load. See `--help`. */
import type { FlagValues } from '../cli/flags.ts';
import { runCommand } from '../cli/run-command.ts';
import { stopOnSignal } from '../cli/signals.ts';
import { resultFile, writeJson } from './live/command.ts';
import { describeMachine } from './live/machine.ts';

const FLAGS = {
  minutes: { type: 'number', min: 0.1, max: 1440, default: 20, value: 'N', help: 'how long executions run' },
  concurrency: {
    type: 'number',
    min: 1,
    max: 1000,
    default: 100,
    whole: true,
    value: 'N',
    help: 'executions that run at any time',
  },
  items: {
    type: 'number',
    min: 1,
    max: 1000,
    default: 25,
    whole: true,
    value: 'N',
    help: 'expired items that each of them deletes',
  },
  idle: {
    type: 'number',
    min: 0,
    max: 3600,
    default: 60,
    value: 'N',
    help: 'seconds that it rests at the end',
  },
  json: { type: 'text', default: 'bench/results/memory.json', value: 'FILE', help: 'the result' },
} as const;

const help = (flags: string) => `npm run bench memory -- [flags]

Starts npx precise-ttl local in a process of its own, on free ports, and keeps executions running through its API, each a sweep over
items that it was given. Every second it looks at the process's resident memory and threads, and shows the most of each minute.
DynamoDB Local is another process, and has a column of its own. Linux only.

${flags}

Exit status: 0 at most 600 MB, and flat from minute to minute (judged from 10 minutes on); 1 not so, or an execution failed; 2
wrong flags; 130 or 143 interrupted.`;

async function run(flags: FlagValues<typeof FLAGS>): Promise<number> {
  const file = resultFile('json', flags.json);
  const stop = stopOnSignal();
  // Only now: loading the CDKTF app takes most of a second, which a wrong flag shall not wait for.
  const [{ runMemory }, { memoryTable, problemsOf }] = await Promise.all([
    import('./memory/run.ts'),
    import('./memory/result.ts'),
  ]);
  const result = await runMemory({
    ...flags,
    signal: stop.signal,
    onMinute: ({ minute, executions, residentMb, threads }) =>
      console.log(`minute ${minute}: ${residentMb} MB, ${threads} threads, ${executions} executions`),
  });
  console.log(`\n${describeMachine(result.machine)}\n\n${memoryTable(result)}\n`);
  if (stop.signal.aborted) return stop.status();
  const problems = problemsOf(result);
  for (const problem of problems) console.log(`✗ ${problem}`);
  writeJson(file, result);
  return problems.length === 0 ? 0 : 1;
}

await runCommand({ flags: FLAGS, help, run });
