import { type Execution, seededRandom } from 'stepfunctions-emulator';
import { replayName } from '../../config/names.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { expiryModel } from '../../expiry/index.ts';
import type { Problems } from '../../lab/report/problems.ts';
import { LocalCloud } from '../../local/cloud.ts';
import type { Deliveries } from '../../local/scheduler/scheduler.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import type { Scenario } from './scenarios.ts';

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

/** Runs a cloud for these scenarios, each with a deployment of its own. */
export async function inCloud<T>(
  scenarios: readonly Scenario[],
  { timing, seed, problems }: { timing: Timing; seed: number; problems: Problems },
  use: (cloud: LocalCloud, ended: readonly Execution[]) => Promise<T>,
): Promise<T> {
  // Grows.
  const ended: Execution[] = [];
  const stack = plainStack({ region: 'us-east-1', tables: scenarios.map(propsOf) });
  const cloud = await LocalCloud.start({
    stack,
    observe: true,
    warm: 1,
    deliveries: deliveriesOf(scenarios, timing, seed),
    onScheduleError: (error, { schedule }) => problems.add(`${schedule.name} didn't start: ${error}`),
    onExecution: execution => ended.push(execution),
  });
  try {
    return await use(cloud, ended);
  } finally {
    await cloud.stop();
  }
}

/** Whether an execution is of the scenario's deployment: one of its ticks, or what these handed over. */
export function isOf(scenario: Scenario, { machine }: Execution): boolean {
  const deployment = deploymentName(scenario);
  return machine.name === deployment || machine.name === replayName(deployment);
}

function deliveriesOf(scenarios: readonly Scenario[], timing: Timing, seed: number): Deliveries {
  const bySchedule = new Map(
    scenarios.map((scenario, index) => [
      `${deploymentName(scenario)}-tick`,
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
const deploymentName = ({ id }: Scenario) => `ticks-${id}`;

function propsOf(scenario: Scenario): PreciseTtlProps {
  return {
    tableName: tableName(scenario),
    sweep: deploymentName(scenario),
    ...KEYS,
    precisionSeconds: 1,
    ...scenario.props,
  };
}
