import type { TableResource } from 'aws-on-loopback/dynamodb/table';
import type { DeploymentConfig } from '../../config/config.ts';
import { modelOf } from '../../config/deployments.ts';
import { resolveProps } from '../../config/props.ts';
import { SessionTable } from '../../lab/workload/session-table.ts';
import type { LocalCloud } from '../../local/cloud.ts';
import { tableOf } from '../../local/stack/table-of.ts';
import { FlagError } from '../flags.ts';

/** Items that expire evenly over a span of time in epoch milliseconds; `to` is not included. */
export interface Expiring {
  readonly count: number;
  readonly from: number;
  readonly to: number;
}

/** Sessions to write: some have expired, some expire soon, and some stay. */
export interface SeedPlan {
  /** Items that expired before the two days that the first tick looks back: a replay can delete them. */
  readonly expired: Expiring;
  /** Items that expire in the minute that the next tick owns: that tick deletes them as they expire. */
  readonly soon: Expiring;
  /** Items that expire tomorrow. */
  readonly staying: Expiring;
}

/** The items that were written. */
export interface Seeded extends SeedPlan {
  readonly tableName: string;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Shares of all items; the rest stay. */
const EXPIRED_SHARE = 0.5;
const SOON_SHARE = 0.3;
/** Milliseconds that the writing may take. A tick that starts before that is passed over, because it might not see all items. */
const LEAD_MS = 10_000;
const WRITES_AT_ONCE = 25;

/**
 * Checks the table that `--seed` writes to: the first one of the configuration, because the printed example starts its state
 * machine. An existing table is allowed if its DynamoDB Local was started for it.
 *
 * @throws {FlagError} when the table belongs to somebody else
 */
export function requireOwnTable({ tables: [first] }: DeploymentConfig, madeHere: boolean): void {
  if (madeHere || first === undefined || !resolveProps(first).existingTable) return;
  throw new FlagError(
    `--seed: expected a first table that is made here, got ${first.tableName} with existingTable: true in a DynamoDB Local that was ` +
      'running, whose items are not ours to write; leave --seed out, unset AWS_ENDPOINT_URL_DYNAMODB, or put another table first in ' +
      'the configuration',
  );
}

export function planSeed(count: number, nowMs: number): SeedPlan {
  const minute = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  const tick = Math.ceil((nowMs + LEAD_MS) / MINUTE_MS) * MINUTE_MS;
  const expired = Math.ceil(count * EXPIRED_SHARE);
  const soon = Math.min(count - expired, Math.round(count * SOON_SHARE));
  return {
    expired: { count: expired, from: minute - 3 * DAY_MS - HOUR_MS, to: minute - 3 * DAY_MS },
    soon: { count: soon, from: tick + MINUTE_MS, to: tick + 2 * MINUTE_MS },
    staying: { count: count - expired - soon, from: minute + DAY_MS, to: minute + 2 * DAY_MS },
  };
}

/**
 * Writes sessions into the first table of the configuration with the helpers of `expiry/`, as an application does.
 *
 * @throws {FlagError} when the table belongs to somebody else
 */
export async function writeSeed(
  count: number,
  { client, dynamoDb, synthesized }: LocalCloud,
  config: DeploymentConfig,
  existing: readonly TableResource[],
): Promise<Seeded> {
  requireOwnTable(config, dynamoDb.startedHere);
  const [first] = config.tables;
  if (first === undefined) throw new Error('a configuration that was checked has a table');
  const { tableName } = first;
  const plan = planSeed(count, Date.now());
  const table = tableOf({ tables: [...synthesized.tables, ...existing] }, tableName);
  const sessions = new SessionTable(client, { table, model: modelOf(first), prefix: 'seed' });
  const ttls = [plan.expired, plan.soon, plan.staying].flatMap(ttlsOf);
  for (let start = 0; start < ttls.length; start += WRITES_AT_ONCE) {
    const batch = ttls.slice(start, start + WRITES_AT_ONCE);
    await Promise.all(batch.map((ttl, index) => sessions.write(start + index, 0, ttl)));
  }
  return { ...plan, tableName };
}

/** Epoch seconds. */
function ttlsOf({ count, from, to }: Expiring): number[] {
  return Array.from({ length: count }, (_unused, index) =>
    Math.floor((from + ((to - from) * index) / count) / 1000),
  );
}
