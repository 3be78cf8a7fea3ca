/** `npm run bench throughput`: how fast a sweep deletes, beside a plain loop. See `--help`. */
import type { FlagValues } from '../cli/flags.ts';
import { runCommand } from '../cli/run-command.ts';
import { resultFile, writeJson } from './live/command.ts';
import { markdownTable } from './live/format.ts';
import { describeMachine } from './live/machine.ts';
import { median } from './live/median.ts';
import type { ThroughputResult } from './throughput/run.ts';

const FLAGS = {
  items: {
    type: 'number',
    min: 25,
    max: 100_000,
    whole: true,
    default: 10_000,
    value: 'N',
    help: 'deleted by each, each time',
  },
  rounds: { type: 'number', min: 1, max: 100, whole: true, default: 5, value: 'N', help: 'of each mode' },
  json: { type: 'text', default: 'bench/results/throughput.json', value: 'FILE', help: 'the result' },
} as const;

const help = (flags: string) => `npm run bench throughput -- [flags]

Lets one sweep delete items that have expired, and by turns with it a plain loop that reads the index and makes as many calls at
once, both in this process, on one warm DynamoDB Local. Shows how fast each was, and the ratio of the two, in the modes guarded
and batch. What else the machine does disturbs the numbers; the ratios of a round less, since its two runs follow each other. The processor
time is that of this process, without DynamoDB Local's: the emulator's and the functions' beside the loop's.

${flags}

Exit status: 0 measured, 1 not everything was deleted, 2 wrong flags.`;

async function run({ items, rounds, json }: FlagValues<typeof FLAGS>): Promise<number> {
  const file = resultFile('json', json);
  const { measureThroughput } = await import('./throughput/run.ts');
  const result = await measureThroughput({
    items,
    rounds,
    onRound: (mode, { sweep, loop }) =>
      console.log(
        [
          `${mode}: sweep ${Math.round(sweep.itemsPerSecond)}/s, loop ${Math.round(loop.itemsPerSecond)}/s`,
          `${(sweep.itemsPerSecond / loop.itemsPerSecond).toFixed(2)}, processor ${Math.round(sweep.processorMs)} ms and ${Math.round(loop.processorMs)} ms`,
        ].join(', '),
      ),
  });
  console.log(`\n${describeMachine(result.machine)}\n\n${table(result)}`);
  writeJson(file, result);
  return 0;
}

function table({ modes }: ThroughputResult): string {
  const rows = modes.map(({ mode, rounds }) => {
    const of = (value: (round: (typeof rounds)[number]) => number) => median(rounds.map(value));
    const whole = [
      of(({ sweep }) => sweep.itemsPerSecond),
      of(({ loop }) => loop.itemsPerSecond),
      of(({ sweep }) => sweep.processorMs),
      of(({ loop }) => loop.processorMs),
    ].map(value => `${Math.round(value)}`);
    return [mode, ...whole, of(({ sweep, loop }) => sweep.itemsPerSecond / loop.itemsPerSecond).toFixed(2)];
  });
  const columns = [
    'sweep, items/s',
    'loop, items/s',
    'sweep, processor ms',
    'loop, processor ms',
    'sweep ÷ loop',
  ];
  return markdownTable(['median of the rounds', ...columns], rows);
}

await runCommand({ flags: FLAGS, help, run });
