import { type Execution, seededRandom } from 'stepfunctions-emulator';
import { withSynthesized } from '../../cli/with-synthesized.ts';
import { expiryModel } from '../../expiry/index.ts';
import type { Problems } from '../../lab/report/problems.ts';
import { LocalCloud } from '../../local/cloud.ts';
import type { Deliveries } from '../../local/scheduler/scheduler.ts';
import type { PreciseTtlProps } from '../../stacks/props.ts';
import { type Group, groupOf, type Scenario, SLOW_MAP_RUNS } from './scenarios.ts';

const KEYS = { partitionKey: 'UserName', sortKey: 'SessionId', ttlAttribute: 'ExpirationTime' };
export const MODEL = expiryModel(KEYS);

/** What of a run the scheduler has to know. */
export interface Timing {
  readonly owners: number;
  /** Set once everything is there. */
  firstTtl?: number;
  /** By scenario: how many seconds after its time each tick that owns expiry times was delivered; filled in. */
  readonly delivered: Map<string, (readonly number[])[]>;
}

type Use<T> = (
  clouds: ReadonlyMap<LocalCloud, readonly Scenario[]>,
  /** The executions of a state machine that have ended; grows. */
  endedOf: (machine: string) => readonly Execution[],
) => Promise<T>;

/** Runs a cloud for each group of these scenarios. */
export async function inClouds<T>(
  scenarios: readonly Scenario[],
  { timing, seed, problems }: { timing: Timing; seed: number; problems: Problems },
  use: Use<T>,
): Promise<T> {
  const clouds = new Map<LocalCloud, readonly Scenario[]>();
  const ended = new Map<string, Execution[]>();
  const endedOf = (machine: string): Execution[] => {
    const list = ended.get(machine) ?? [];
    ended.set(machine, list);
    return list;
  };
  const startRest = async ([group, ...rest]: readonly Group[]): Promise<T> => {
    if (group === undefined) return use(clouds, endedOf);
    const members = scenarios.filter(scenario => groupOf(scenario) === group);
    return withSynthesized({ region: 'us-east-1', tables: members.map(propsOf) }, async cdktfOut => {
      const cloud = await LocalCloud.start({
        cdktfOut,
        observe: true,
        warm: 1,
        deliveries: deliveriesOf(members, timing, seed),
        ...(group === 'slowMapRuns' && { mapRunDelays: SLOW_MAP_RUNS }),
        onScheduleError: (error, { schedule }) => problems.add(`${schedule.name} didn't start: ${error}`),
        onExecution: execution => endedOf(execution.machine.name).push(execution),
      });
      clouds.set(cloud, members);
      try {
        return await startRest(rest);
      } finally {
        await cloud.stop();
      }
    });
  };
  return startRest([...new Set(scenarios.map(groupOf))]);
}

function deliveriesOf(scenarios: readonly Scenario[], timing: Timing, seed: number): Deliveries {
  const bySchedule = new Map(
    scenarios.map((scenario, index) => [
      `${machineName(scenario)}-tick`,
      { scenario, random: seededRandom(seed + index) },
    ]),
  );
  return ({ name }, scheduledTime) => {
    const found = bySchedule.get(name);
    // Other schedules, and ticks before there is anything.
    if (found === undefined || timing.firstTtl === undefined) return [0];
    const { scenario, random } = found;
    const { owners, delivered } = timing;
    const index = (scheduledTime / 1000 - (timing.firstTtl - 60)) / 60;
    const delays = scenario.deliver?.({ index, owners, random }) ?? [0];
    if (index >= 0 && index < owners) {
      const seconds = delays.map(delay => Math.round(delay / 100) / 10);
      delivered.set(scenario.id, [...(delivered.get(scenario.id) ?? []), seconds]);
    }
    return delays;
  };
}

export const tableName = ({ id }: Scenario) => `Ticks${id}`;
export const machineName = ({ id }: Scenario) => `ticks-${id}`;

function propsOf(scenario: Scenario): PreciseTtlProps {
  return {
    tableName: tableName(scenario),
    name: machineName(scenario),
    ...KEYS,
    precisionSeconds: 1,
    ...scenario.props,
  };
}
