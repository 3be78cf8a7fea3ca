import type { Bill } from '../../cost/bill.ts';
import type { OperateOptions } from '../options.ts';
import type { BillFacts } from './cost.ts';

export interface CostOptions extends Pick<OperateOptions, 'config' | 'table'> {
  /** Items of all tables that expire in a month. */
  readonly itemsPerMonth: number;
  /** Bytes of an item, including its attribute names. @default 1000 */
  readonly itemBytes?: number;
  /** How often an item gets a new expiry before it expires. @default 0 */
  readonly renewalsPerItem?: number;
  /** Hours that an item stays in the table. @default 24 */
  readonly lifetimeHours?: number;
  /** Number of copies of each table. @default 1 */
  readonly copies?: number;
}

/** The assumptions and the bill. */
export type CostReport = BillFacts & Bill;
