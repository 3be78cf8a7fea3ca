import type { Bill } from '../../cost/bill.ts';
import type { OperateOptions } from '../options.ts';
import type { BillFacts } from './cost.ts';

export interface CostOptions extends Pick<OperateOptions, 'config' | 'table'> {
  /** Items that expire in a month, in all tables together. */
  readonly itemsPerMonth: number;
  /** The size of an item with the names of its attributes. @default 1000 */
  readonly itemBytes?: number;
  /** How often an item gets another expiry before it expires. @default 0 */
  readonly renewalsPerItem?: number;
  /** How long an item is in the table. @default 24 */
  readonly lifetimeHours?: number;
  /** Each table so many times. @default 1 */
  readonly copies?: number;
}

/** The assumptions and the bill. */
export type CostReport = BillFacts & Bill;
