import type { ChildStart } from '../../statemachine/contract/child.ts';
import type { TableSweep, TickPart, TickPlan } from '../../statemachine/contract/execution.ts';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import { PART_BYTES, TICK_CHILDREN, TICK_TARGETS } from '../../statemachine/contract/limits.ts';
import { jsonBytes } from '../report/listed-keys.ts';
import { recordedPart } from '../report/recorded-settings.ts';

/** UTF-8 bytes of a whole plan's targets and sweeps: a state hands on at most 256 KiB. */
const PLAN_BYTES = 250_000;

/** The targets of a tick for one table. */
export interface TickTable {
  readonly carried: CarriedSettings;
  readonly due: readonly ChildStart[];
  readonly plan: Omit<TickPlan, 'targets'>;
}

/**
 * Distributes the children among the executions of a tick, at most 40 to each; the first execution is the tick's own.
 *
 * 1. Children are taken in turn, one of each table, so that a table with many does not delay the others. If there is no room for all,
 *    whole tables are taken, beginning with another table each minute, so that all are left out equally often.
 * 2. The children of the upcoming minute come first. Children of the lookback get executions of their own if possible: these end, and hand
 *    over what they could not finish, while the minute still runs. If there is no room for the sweep of a table in two executions, its
 *    children share one.
 * 3. One execution reports a table's sweep: the last that has a child of the table. The first reports the tables that have no child.
 * 4. A table for whose children there is no room has failed, and the next ticks find its items.
 *
 * @param minute minute of the tick, in minutes since 1970
 */
export function dealOut(planned: readonly TickTable[], minute: number): TickPart[] {
  const byName = new Map(planned.map(table => [table.carried.tableName, table]));
  const isUpcoming = ({ progress }: ChildStart) => progress.target.upcomingFrom !== null;
  const upcoming = inTurn(planned.map(({ due }) => due.filter(isUpcoming)));
  const back = inTurn(planned.map(({ due }) => due.filter(child => !isUpcoming(child))));
  const childless = planned.filter(({ due, plan }) => due.length === 0 && isWorthTelling(plan));
  const dealt = (kinds: readonly (readonly ChildStart[])[], told: readonly TickTable[]) => {
    const dealer = new Dealer(told, name => sweepBytes(byName.get(name)));
    for (const children of kinds) dealer.deal(children);
    return dealer;
  };
  const apart = dealt([upcoming, back], childless);
  const first = minute % Math.max(1, planned.length);
  const byTurn = [...planned.slice(first), ...planned.slice(0, first)];
  // The first execution reports the tables without room, and their reports take room too.
  const refused = planned.filter(({ carried }) => apart.noRoom.has(carried.tableName));
  const { hands, noRoom } =
    apart.noRoom.size === 0
      ? apart
      : dealt([byTurn.flatMap(({ due }) => due)], [...childless, ...refused.map(withoutChildren)]);
  const tells = new Map(hands.flatMap(({ children }, index) => children.map(({ table }) => [table, index])));
  return hands.map(({ children }, index) => {
    const told = planned.flatMap(table => {
      const { tableName } = table.carried;
      const targets = children.filter(child => child.table === tableName).length;
      const isTold = (tells.get(tableName) ?? 0) === index;
      const failed = isTold && noRoom.has(tableName);
      if (targets === 0 && !(isTold && (failed || isWorthTelling(table.plan)))) return [];
      return [[tableName, sweepOf(table, targets, isTold, failed)] as const];
    });
    return { due: children, sweeps: Object.fromEntries(told) };
  });
}

interface Hand {
  readonly children: ChildStart[];
  /** Names of the tables whose sweeps the execution carries. */
  readonly tables: Set<string>;
  bytes: number;
}

/** Fills one execution after the other. */
class Dealer {
  readonly hands: Hand[];
  /** Tables with a child for which no execution has room. */
  readonly noRoom = new Set<string>();
  readonly #sweepBytes: (table: string) => number;
  #children = 0;
  #bytes: number;

  constructor(childless: readonly TickTable[], sweepBytesOf: (table: string) => number) {
    const bytes = childless.reduce((sum, table) => sum + sweepBytes(table), 0);
    this.hands = [{ children: [], tables: new Set(), bytes }];
    this.#bytes = bytes;
    this.#sweepBytes = sweepBytesOf;
  }

  /**
   * Adds children of one kind: those of the upcoming minute, or of the lookback. An execution that has children of the other kind gets
   * none.
   */
  deal(children: readonly ChildStart[]): void {
    let hand = this.hands.find(each => each.children.length === 0);
    for (const child of children) {
      const childBytes = jsonBytes(child) + 1;
      const withSweep = childBytes + this.#sweepBytes(child.table);
      const bytes = hand?.tables.has(child.table) ? childBytes : withSweep;
      if (hand === undefined || hand.children.length === TICK_TARGETS || hand.bytes + bytes > PART_BYTES)
        hand = undefined;
      const taken = hand === undefined ? withSweep : bytes;
      if (this.#children === TICK_CHILDREN || this.#bytes + taken > PLAN_BYTES) {
        this.noRoom.add(child.table);
        continue;
      }
      if (hand === undefined) {
        hand = { children: [], tables: new Set(), bytes: 0 };
        this.hands.push(hand);
      }
      hand.children.push(child);
      hand.tables.add(child.table);
      hand.bytes += taken;
      this.#bytes += taken;
      this.#children += 1;
    }
  }
}

/** Returns the first of each list, then the second of each, and so on. */
function inTurn<Each>(lists: readonly (readonly Each[])[]): Each[] {
  const most = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: most }, (_unused, turn) =>
    lists.flatMap(list => list.slice(turn, turn + 1)),
  ).flat();
}

/** The table's report when there is no room for its children. */
function withoutChildren({ carried, plan }: TickTable): TickTable {
  return { carried, plan: { ...plan, failure: NO_ROOM }, due: [] };
}

function isWorthTelling({ failure, leftOver }: TickTable['plan']): boolean {
  return failure !== undefined || leftOver !== undefined;
}

const NO_ROOM = {
  error: 'TickTooLargeError',
  message:
    'More is due at once than one tick can plan. Give some tables a deployment of their own with the prop sweep.',
};

function sweepOf(
  { carried, plan }: TickTable,
  targets: number,
  isTold: boolean,
  failed: boolean,
): TableSweep {
  const { limited } = plan;
  const untold = { oldestOverdueSeconds: 0, ...(limited && { limited }) };
  return {
    settings: targets === 0 ? recordedPart(carried) : carried,
    planned: { ...(isTold ? plan : untold), targets, ...(failed && { failure: NO_ROOM }) },
  };
}

/** Most bytes of a table's sweep: including the message that there is no room for it. */
function sweepBytes(table: TickTable | undefined): number {
  if (table === undefined) return 0;
  const { carried, due } = table;
  return jsonBytes({
    [carried.tableName]: sweepOf(table, due.length, true, table.plan.failure === undefined),
  });
}
