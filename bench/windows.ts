/** `npm run bench windows`: what windows of a day take, and whether anything is deleted twice. See `--help`. */
import { type FlagValues, VIRTUAL_MINUTES } from '../cli/flags.ts';
import { runCommand } from '../cli/run-command.ts';
import { runWindows, type WindowsResult, type WindowsScenario } from './windows/run.ts';

const FLAGS = {
  minutes: { ...VIRTUAL_MINUTES, default: 3, help: 'how long items keep expiring, on the virtual clock' },
} as const;

const help = (flags: string) => `npm run bench windows -- [flags]

Runs ticks, 5 s late, over a table in windows of a minute and of a day: idle, with a steady stream of items, after a tick that was
skipped, and with a backlog of eight hours. The real definition and all that the functions decide, around a table in memory, on a
virtual clock. The same flags give the same result on every machine. Takes about a minute. The calls and the read units are those of the
index and of the journal, with those of the children.

${flags}

Exit status: 0 simulated, 2 wrong flags.`;

/** When a batch of deletes takes so much longer, a child with ten of them at once deletes about 3,000 items a second. */
const DELETE_MS = 60;

const SCENARIOS: readonly WindowsScenario[] = [
  { title: 'idle', rate: 0, backlog: 0 },
  { title: '20/s', rate: 20, backlog: 0 },
  { title: '300/s', rate: 300, backlog: 0 },
  { title: '300/s, one tick skipped', rate: 300, backlog: 0, skipped: [2], deleteMs: DELETE_MS },
  { title: '20/s, 30,000 left of eight hours', rate: 20, backlog: 30_000, deleteMs: DELETE_MS },
  { title: '20/s, 300,000 left of eight hours', rate: 20, backlog: 300_000, deleteMs: DELETE_MS },
];

async function run({ minutes }: FlagValues<typeof FLAGS>): Promise<number> {
  console.log(
    '| | windows of | deleted | twice | lag p50 | p99 | max | backlog gone | calls a tick | read units a tick |',
  );
  console.log('|---|---|--:|--:|--:|--:|--:|--:|--:|--:|');
  for (const scenario of SCENARIOS) {
    for (const granularityMinutes of [1, 1440]) {
      console.log(row(await runWindows(scenario, { granularityMinutes, minutes })));
    }
  }
  return 0;
}

function row(result: WindowsResult): string {
  const { title, granularityMinutes, written, deleted, twice, lagMs, backlogGoneSeconds } = result;
  const seconds = (ms: number | null) => (ms === null ? '–' : `${(ms / 1000).toFixed(2)} s`);
  const gone = deleted === written ? `${Math.round(backlogGoneSeconds)} s` : 'partly';
  const cells = [
    title,
    granularityMinutes === 1 ? 'a minute' : 'a day',
    `${deleted.toLocaleString('en-US')} of ${written.toLocaleString('en-US')}`,
    twice.toLocaleString('en-US'),
    ...[lagMs.p50, lagMs.p99, lagMs.max].map(seconds),
    backlogGoneSeconds === 0 ? '–' : gone,
    result.callsPerTick.toFixed(1),
    result.readUnitsPerTick.toFixed(1),
  ];
  return `| ${cells.join(' | ')} |`;
}

await runCommand({ flags: FLAGS, help, run });
