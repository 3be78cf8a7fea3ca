/**
 * `npm run bench:cost`: what a month of sweeping costs, from the counters of the local runner. See `--help`.
 *
 * What DynamoDB takes for the deletes is not in it; docs/cost.md says what that is. Tick by tick the work is the same, so ten minutes
 * stand for the month.
 */
import { runCommand } from '../cli/run-command.ts';
import { type Cost, costOf } from '../cost/prices.ts';
import type { PollPace } from '../functions/query-expired/poll.ts';
import { resolveProps } from '../stacks/props.ts';
import { simulatedDefinition } from '../test/support/simulation/definition.ts';
import { Simulation } from '../test/support/simulation/simulation.ts';

const TICKS_A_MONTH = 43_200;
/** The first ticks find nothing yet and the last ones nothing any more: these are counted. */
const FIRST_TICK = 3;
const TICKS = 10;
const START = Date.parse('2026-11-20T09:00:00Z') / 1000;

/** What a call takes, milliseconds: a query, or a batch of 25 guarded deletes, with a warm function. An assumption. */
const CALL_MS = 25;

const RATES = [0, 100, 10_000];
const MODES: readonly (readonly [string, PollPace])[] = [
  ['`precisionSeconds: 1` (default)', { precisionSeconds: 1, pollSeconds: 0 }],
  ['`precisionSeconds: 10`', { precisionSeconds: 10, pollSeconds: 0 }],
  ['`precisionSeconds: 60` (plain)', { precisionSeconds: 60, pollSeconds: 0 }],
  ['`precisionSeconds: 1`, `pollSeconds: 5`', { precisionSeconds: 1, pollSeconds: 5 }],
];

const props = resolveProps({ tableName: 'SessionData', partitionKey: 'UserName' });
const definition = simulatedDefinition(props);

async function costOfMonth(
  itemsPerMinute: number,
  pace: PollPace,
): Promise<Cost & { transitionsPerTick: number }> {
  const { functionMemoryMb: memoryMb } = props;
  const simulation = new Simulation({ start: START, definition, pace, callMs: CALL_MS, memoryMb });
  const minutes = FIRST_TICK + TICKS + 3;
  for (let item = 0; item < itemsPerMinute * minutes; item += 1) {
    simulation.table.write(`item-${item}`, START + 60 + Math.floor((item * 60) / itemsPerMinute));
  }
  for (let minute = 0; minute < minutes; minute += 1) simulation.tick(START + minute * 60, 5);
  await simulation.finish();
  const counted = simulation.executions.slice(FIRST_TICK, FIRST_TICK + TICKS);
  const costs = counted.map(({ billing }) => costOf(billing));
  const month = (dollars: (cost: Cost) => number) =>
    (costs.reduce((sum, cost) => sum + dollars(cost), 0) / TICKS) * TICKS_A_MONTH;
  const [{ parts } = { parts: undefined }] = costs;
  return {
    total: month(({ total }) => total),
    parts: Object.fromEntries(
      Object.keys(parts ?? {}).map(name => [name, month(cost => cost.parts[name as keyof Cost['parts']])]),
    ) as Cost['parts'],
    transitionsPerTick: counted.reduce((sum, { billing }) => sum + billing.stateTransitions, 0) / TICKS,
  };
}

const help = (flags: string) => `npm run bench:cost -- [flags]

Counts what a month of sweeping costs on AWS: a steady stream of expiring items, the real definition on a virtual clock,
some minutes of ticks scaled to a month of 43,200. Prints the table of docs/cost.md; takes about half a minute.

${flags}`;

const dollars = (value: number) => value.toFixed(2);
async function run(): Promise<number> {
  console.log(
    '| items a minute | mode | transitions a tick | transitions, $ | children, $ | functions, $ | reads, $ | a month, $ |',
  );
  console.log('|--:|---|--:|--:|--:|--:|--:|--:|');
  for (const rate of RATES) {
    for (const [name, pace] of MODES) {
      const { total, parts, transitionsPerTick } = await costOfMonth(rate, pace);
      const children = parts.expressRequests + parts.expressGbSeconds;
      const calls = parts.functionInvocations + parts.functionGbSeconds;
      const cells = [
        rate.toLocaleString('en-US'),
        name,
        transitionsPerTick.toFixed(1),
        dollars(parts.stateTransitions),
        dollars(children),
        dollars(calls),
        dollars(parts.dynamoDbReadUnits),
        `**${dollars(total)}**`,
      ];
      console.log(`| ${cells.join(' | ')} |`);
    }
  }
  return 0;
}

await runCommand({ flags: {}, help, run });
