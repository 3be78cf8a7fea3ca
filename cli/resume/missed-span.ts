import {
  DescribeExecutionCommand,
  type ExecutionListItem,
  paginateListExecutions,
  type SFNClient,
} from '@aws-sdk/client-sfn';
import { executionArnOf } from '../aws/executions.ts';
import { openExecutions } from '../aws/open-executions.ts';
import { permitted } from '../table/permitted.ts';

/** A time in which no sweep was started, epoch milliseconds. */
export interface MissedSpan {
  /** The time of the last tick before it. */
  readonly from: number;
  /** When the next one started, or now. */
  readonly to: number;
}

export interface Started {
  readonly name: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
}

/** Names of executions that are no ticks: `precise-ttl replay` starts them. */
const NO_TICK = /^(replay|dryrun)-/;

/** Ticks are up to two minutes apart, as Scheduler fires at any time within the minute. What is further apart is looked at. */
const USUAL_GAP_MS = 150_000;

/**
 * Looks for the newest time without sweeps. It goes by what ran, and not by when a schedule was changed: so it is right after two
 * pauses in a row, after one that has ended by itself, and when this is run once more.
 *
 * @param starts executions that run or have succeeded, the newest first
 * @param longest milliseconds between two ticks that the later one makes up for
 * @param tickTime the time that a tick was scheduled for, epoch milliseconds; undefined for an execution that is none
 * @param beginning when the first tick could have come; undefined when `starts` do not reach back to it
 */
export async function findMissed(
  starts: AsyncIterable<Started>,
  now: number,
  longest: number,
  tickTime: (name: string) => Promise<number | undefined>,
  beginning: () => number | undefined,
): Promise<MissedSpan | undefined> {
  let newer = now;
  for await (const { name, startedAt } of starts) {
    if (NO_TICK.test(name)) continue;
    const gap = newer - startedAt;
    // Somebody may have started one by hand meanwhile, for another span.
    const time = gap > USUAL_GAP_MS ? await tickTime(name) : startedAt;
    if (time === undefined) continue;
    if (gap > longest) return { from: time, to: newer };
    newer = Math.min(newer, startedAt);
  }
  const first = beginning();
  return first !== undefined && newer - first > longest ? { from: first, to: newer } : undefined;
}

/** Pages of executions that are read: ticks of about a week. */
const PAGES = 10;

/**
 * The newest time without sweeps of a state machine.
 *
 * @param createdAt of the state machine
 */
export async function missedSpan(
  sfn: SFNClient,
  stateMachineArn: string,
  createdAt: Date | undefined,
  now: number,
  longest: number,
): Promise<MissedSpan | undefined> {
  let all = false;
  async function* starts(): AsyncGenerator<Started> {
    const running = (await openExecutions(sfn, stateMachineArn)).map(({ name, startedAt }) => ({
      name,
      startedAt: startedAt.getTime(),
    }));
    const pages = paginateListExecutions(
      { client: sfn },
      { stateMachineArn, statusFilter: 'SUCCEEDED', maxResults: 1000 },
    );
    let read = 0;
    for await (const { executions = [] } of pages) {
      for (const each of executions.map(toStarted)) {
        while ((running[0]?.startedAt ?? 0) >= each.startedAt) yield running.shift() as Started;
        yield each;
      }
      read += 1;
      if (read === PAGES) return;
    }
    yield* running;
    all = true;
  }
  const tickTime = async (name: string) => {
    const { input } = await permitted('states:DescribeExecution', executionArnOf(stateMachineArn, '*'), () =>
      sfn.send(new DescribeExecutionCommand({ executionArn: executionArnOf(stateMachineArn, name) })),
    );
    return tickTimeOf(input ?? '');
  };
  return findMissed(starts(), now, longest, tickTime, () => (all ? createdAt?.getTime() : undefined));
}

function toStarted({ name = '', startDate }: ExecutionListItem): Started {
  return { name, startedAt: startDate?.getTime() ?? 0 };
}

/** The time of a tick; undefined for a reconcile, which starts beside the ticks, a replay, and what is no input. */
export function tickTimeOf(input: string): number | undefined {
  try {
    const { scheduledTime, lookbackMinutes } = JSON.parse(input) as Readonly<Record<string, unknown>>;
    const time = lookbackMinutes === undefined ? Date.parse(String(scheduledTime)) : Number.NaN;
    return Number.isNaN(time) ? undefined : time;
  } catch {
    return undefined;
  }
}
