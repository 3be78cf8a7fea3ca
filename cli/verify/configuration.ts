import type { DeploymentConfig } from '../../config/config.ts';
import { type ResolvedProps, resolveProps } from '../../config/props.ts';
import { type Bill, monthlyBill } from '../../cost/bill.ts';
import { TICKS_A_MONTH } from '../../cost/sweep-usage.ts';
import { billedDeployments } from '../../operate/cost.ts';
import { TASKS, type TaskName } from '../../statemachine/contract/machines.ts';
import { dollars } from '../numbers.ts';

/** Name or name prefix of everything that `verify` creates. Nothing else in an account has it. */
export const VERIFY_NAME = 'precise-ttl-verify';

/** Tag of every resource that `verify` creates. Tables without it are never deleted. */
export const VERIFY_TAG = { 'precise-ttl:verify': 'to be removed' } as const;

/** Lifetime of an item in seconds: ticks plan a minute ahead, and the item should be in the index two minutes before it expires. */
export const LIFETIME_SECONDS = 150;
/** Wait after the last expiry before the results are read, seconds: streams and CloudWatch lag behind. */
export const SETTLE_SECONDS = 150;
/** Items written each second. */
export const RATE = 1;
export const MINUTES = 10;

/** The configuration that is verified: a table with defaults, with events to a queue that show when each item was deleted. */
export function verifyConfig(region: string, queueArn: string, name = VERIFY_NAME): DeploymentConfig {
  const ownAccount = queueArn.split(':')[4];
  return {
    region,
    tags: VERIFY_TAG,
    ...(ownAccount !== undefined && { provider: { allowedAccountIds: [ownAccount] } }),
    // The table holds no real data and is deleted a quarter of an hour later.
    overrides: {
      [`aws_dynamodb_table.${name}`]: {
        deletion_protection_enabled: false,
        point_in_time_recovery: { enabled: false },
      },
    },
    tables: [
      {
        tableName: name,
        sweep: name,
        partitionKey: 'id',
        events: { to: queueArn },
        alarms: false,
        dashboard: false,
      },
    ],
  };
}

export function verifiedProps({ tables: [props] }: DeploymentConfig): ResolvedProps {
  if (props === undefined) throw new TypeError('verify: expected a table');
  return resolveProps(props);
}

/** The deployed name of one of the sweep's functions. */
export const functionOf = (task: TaskName, { sweep }: ResolvedProps): string => `${sweep}-${TASKS[task]}`;

/** The calculated bill for a month of this table. */
export function monthOf(props: ResolvedProps): Bill {
  const lifetimeHours = LIFETIME_SECONDS / 3600;
  const itemsPerMonth = RATE * 60 * TICKS_A_MONTH;
  return monthlyBill(
    billedDeployments([props], { itemsPerMonth, itemBytes: 200, renewalsPerItem: 0.1, lifetimeHours }),
  );
}

/** Upper limit of the cost in dollars: AWS bills metrics by the hour, so it counts a whole hour although the run takes minutes. */
export function dollarsAtMost(props: ResolvedProps): number {
  return monthOf(props).total / 720;
}

/** Describes the run before anything is created. */
export function describePlan(region: string, { minutes, cost }: { minutes: number; cost: number }): string {
  const made = `the table ${VERIFY_NAME}, its deployment of the same name (state machines, functions, roles, schedules, logs, a journal), and a queue ${VERIFY_NAME}-…`;
  return `Verification in ${region}, about ${minutes + 5} minutes, at most ${dollars(cost)} (by the calculator, free tiers not taken off)
  makes    ${made}; nothing else in the account is touched
  before   takes away what an earlier run of these names has left
  after    takes everything away again, also after Ctrl-C; after a crash the next run does`;
}
