import type { DeploymentConfig } from '../../config/config.ts';
import { type ResolvedProps, resolveProps } from '../../config/props.ts';
import { type Bill, monthlyBill } from '../../cost/bill.ts';
import { TICKS_A_MONTH } from '../../cost/sweep-usage.ts';
import { billedDeployments } from '../../operate/cost/billed-deployments.ts';
import { TASKS, type TaskName } from '../../statemachine/contract/machines.ts';

/** Name of all that `verify` makes, and what the names of it begin with. Nothing else of an account has it. */
export const VERIFY_NAME = 'precise-ttl-verify';

/** The tag of all that it makes. No table without it is deleted. */
export const VERIFY_TAG = { 'precise-ttl:verify': 'to be removed' } as const;

/** How long an item lives, seconds: ticks plan a minute ahead, and want to see it two minutes before it expires. */
export const LIFETIME_SECONDS = 150;
/** Until what is written is read again behind the last expiry, seconds: streams and CloudWatch are behind. */
export const SETTLE_SECONDS = 150;
/** Items written each second. */
export const RATE = 1;
export const MINUTES = 10;

/** The configuration that is verified: a table with defaults, with events to a queue that say when each item was deleted. */
export function verifyConfig(region: string, queueArn: string, name = VERIFY_NAME): DeploymentConfig {
  const ownAccount = queueArn.split(':')[4];
  return {
    region,
    tags: VERIFY_TAG,
    ...(ownAccount !== undefined && { provider: { allowedAccountIds: [ownAccount] } }),
    tables: [
      {
        tableName: name,
        name,
        sweep: name,
        partitionKey: 'id',
        events: { queueArn },
        // It holds nothing, and is gone in a quarter of an hour.
        newTable: { deletionProtection: false, pointInTimeRecovery: false },
        index: { scan: 'off' },
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

/** A function that sweeps, as the deployment calls it. */
export const functionOf = (task: TaskName, { sweep }: ResolvedProps): string => `${sweep}-${TASKS[task]}`;

/** The calculator's bill for a month of this table. */
export function monthOf(props: ResolvedProps): Bill {
  const lifetimeHours = LIFETIME_SECONDS / 3600;
  const itemsPerMonth = RATE * 60 * TICKS_A_MONTH;
  return monthlyBill(
    billedDeployments([props], { itemsPerMonth, itemBytes: 200, renewalsPerItem: 0.1, lifetimeHours }),
  );
}

/** Dollars at the most: AWS bills metrics by the hour, so an hour of everything, although it runs for minutes. */
export function dollarsAtMost(props: ResolvedProps): number {
  return monthOf(props).total / 720;
}
