/** `npm run bench status`: what `status` says beside a scan of the table, while much goes wrong. See `--help`. */
import { type FlagValues, MINUTES, RATE } from '../cli/flags.ts';
import { runCommand } from '../cli/run-command.ts';
import { stopOnSignal } from '../cli/signals.ts';
import { resultFile, writeJson } from './live/command.ts';
import { describeMachine, thisMachine } from './live/machine.ts';

const FLAGS = {
  minutes: { ...MINUTES, default: 10, help: 'how long it looks; each phase takes its part of that' },
  rate: { ...RATE, default: 10, help: 'items that expire each second' },
  json: { type: 'text', default: 'bench/results/status.json', value: 'FILE', help: 'the result' },
} as const;

const help = (flags: string) => `npm run bench status -- [flags]

Looks at a table once a second as precise-ttl status does, while items expire, the local cloud sweeps them, and DynamoDB Local
is made to throttle the deletes, to hang, to die and to throttle the queries, and the table is paused, limited and resumed. Before
and after each look the table itself is scanned. What status says is held against that, and against what was done.

${flags}

Exit status: 0 nothing false was said, and no look took longer than 15 seconds; 1 not so; 2 wrong flags; 130 or 143 interrupted.`;

async function run({ minutes, rate, json }: FlagValues<typeof FLAGS>): Promise<number> {
  const file = resultFile('json', json);
  const stop = stopOnSignal();
  const machine = thisMachine();
  const [{ runStatusBench }, { resultJson, resultProblems, resultTable }] = await Promise.all([
    import('./status/run.ts'),
    import('./status/result.ts'),
  ]);
  const result = await runStatusBench({
    minutes,
    rate,
    print: text => console.log(text),
    signal: stop.signal,
  });
  if (stop.signal.aborted) return stop.status();
  console.log(`${resultTable(result)}\n\n${describeMachine(machine)}`);
  const problems = resultProblems(result);
  for (const problem of problems) console.log(`✗ ${problem}`);
  writeJson(file, { settings: { minutes, rate }, ...resultJson(result) });
  return problems.length === 0 ? 0 : 1;
}

await runCommand({ flags: FLAGS, help, run });
