import { resolveProps } from '../../config/props.ts';
import { monthlyBill } from '../../cost/bill.ts';
import {
  DOLLARS_PER_DELAY,
  DOLLARS_PER_SCHEDULE,
  dollarsPerEvent,
  dollarsPerJob,
  type JobDestination,
} from '../../cost/scheduling.ts';
import type { DestinationName } from '../../functions/publish-expiries/destinations.ts';
import { billedDeployments } from '../../operate/cost.ts';

const MILLIONS_A_MONTH = [1, 100];

/** Destinations of events in a price calculation. */
const PRICED: Readonly<Record<DestinationName, readonly JobDestination[]>> = {
  functionArn: ['a function'],
  eventBus: ['an event bus'],
  queueArn: ['a queue', 'a FIFO queue'],
  streamArn: ['a stream'],
};

/** Jobs of up to 1 KB that wait a day and are not rescheduled. */
const LOAD = { itemBytes: 1000, renewalsPerItem: 0, lifetimeHours: 24 };

/** The table of docs/archive-and-events.md: the price of a million jobs, by the number of jobs in a month. */
export function jobsTable(): string {
  const props = resolveProps({ tableName: 'T', partitionKey: 'id', events: { eventBus: 'default' } });
  const items = Object.values(PRICED)
    .flat()
    .map(destination => {
      const dollars = MILLIONS_A_MONTH.map(millions => {
        const jobsPerMonth = millions * 1e6;
        const { total } = monthlyBill(billedDeployments([props], { ...LOAD, itemsPerMonth: jobsPerMonth }));
        return dollarsPerJob(destination, {
          jobsPerMonth,
          tableDollars: total,
        });
      });
      const event = million(dollarsPerEvent(destination));
      return [`items, events to ${destination}`, event, ...dollars.map(million)];
    });
  const others = [
    ['one-time schedules of EventBridge Scheduler', '–', ...same(DOLLARS_PER_SCHEDULE)],
    ['delayed messages of an SQS queue', '–', ...same(DOLLARS_PER_DELAY)],
  ];
  const amounts = MILLIONS_A_MONTH.map(millions => `${millions} million a month, $`);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(['a million jobs as', 'the event alone, $', ...amounts]),
    `|---|${'--:|'.repeat(MILLIONS_A_MONTH.length + 1)}`,
    ...[...items, ...others].map(line),
  ].join('\n');
}

const million = (dollarsOfOne: number) => (dollarsOfOne * 1e6).toFixed(2);
const same = (dollarsOfOne: number) => MILLIONS_A_MONTH.map(() => million(dollarsOfOne));
