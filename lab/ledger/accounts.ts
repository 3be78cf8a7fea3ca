import type { DynamoDbCall } from 'aws-on-loopback/dynamodb/call-effect';
import type { Execution } from 'stepfunctions-emulator';
import { readExecutionReport } from '../../functions/report/execution-report.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';
import { FATES, type Fate, noCounts } from '../../statemachine/counts.ts';
import type { Ledger } from './ledger.ts';

/** The final status of an execution, and the counts in its report. */
export interface Ended {
  readonly name: string;
  readonly status: string;
  readonly error: string | undefined;
  /** The output, or the cause of the failure, as JSON. */
  readonly text: string | undefined;
}

export function endOf({ name, status, error, cause, outputText }: Execution): Ended {
  return { name, status, error, text: status === 'SUCCEEDED' ? outputText : cause };
}

/** Descriptions, for messages, of the upper bound that the ledger gives for each count. */
const HELD_AGAINST: Readonly<Record<Fate, string>> = {
  deleted: "the table's stream",
  renewed: "the application's renewals and the deletes that were tried of these items",
  held: 'the items that the application holds, and the looks at these and the deletes that were tried of them',
  notFound: 'what was gone before and the deletes that were tried of these items',
  failed: 'the deletes that were tried',
};

/** The reports of a run's executions, and whether they add up. */
export class Accounts {
  readonly totals: Record<'found' | 'retries' | Fate, number> = {
    ...noCounts(FATES),
    found: 0,
    retries: 0,
  };
  /** Number of executions by their result: `SUCCEEDED`, or the name of their error. */
  readonly endings = new Map<string, number>();
  /** Executions whose counts do not add up, one sentence each. */
  readonly wrong: string[] = [];

  add({ name, status, error, text }: Ended): void {
    const ending = status === 'SUCCEEDED' ? status : (error ?? status);
    this.endings.set(ending, (this.endings.get(ending) ?? 0) + 1);
    // An execution that failed on the way or was stopped has no counts, nor has a tick that could not record its result.
    if (ending !== 'SUCCEEDED' && ending !== 'SweepIncompleteError') return;
    if (isUnrecordedTick(text)) return;
    const reports = reportsOf(text);
    if (reports === undefined) this.wrong.push(`${name} ended ${ending} without a report: ${text}`);
    for (const report of reports ?? []) this.#addReport(name, report);
  }

  #addReport(name: string, report: SweepReport): void {
    const count = (field: keyof Accounts['totals']) => Number(report[field]);
    const sum = FATES.reduce((total, fate) => total + count(fate), 0);
    if (sum !== count('found')) {
      this.wrong.push(
        `${name} found ${count('found')}, but ${FATES.map(fate => `${fate} ${count(fate)}`).join(' + ')} = ${sum}`,
      );
    }
    for (const field of Object.keys(this.totals) as (keyof Accounts['totals'])[])
      this.totals[field] += count(field);
  }
}

/** A function's attempt to delete one item in DynamoDB, whatever the result was. */
interface Attempt {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** The ids of the items of a call; the items have one key, a string. */
function idsOf({ keys }: Pick<DynamoDbCall, 'keys'>): string[] {
  return keys.map(key => /"S":"([^"]*)"/.exec(key)?.[1] ?? '');
}

/** The deletes of a run, as a proxy before DynamoDB saw them. */
export class Attempts {
  readonly #all: Attempt[] = [];
  readonly #read: string[] = [];

  add(call: DynamoDbCall): void {
    // A page's items are read to see whether they are held.
    if (call.operation === 'BatchGetItem') this.#read.push(...idsOf(call));
    else this.#all.push(...idsOf(call).map(id => ({ id, at: call.at })));
  }

  /** Largest numbers of items that the sweep can have found renewed, held and not found, given the application's writes. */
  most(ledger: Pick<Ledger, 'mayBeRenewed' | 'mayBeHeld' | 'mayBeGone'>): {
    renewed: number;
    held: number;
    notFound: number;
  } {
    return {
      held: [...this.#all.map(({ id }) => id), ...this.#read].filter(id => ledger.mayBeHeld(id)).length,
      renewed: this.#all.filter(({ id, at }) => ledger.mayBeRenewed(id, at)).length,
      notFound: this.#all.filter(({ id, at }) => ledger.mayBeGone(id, at)).length,
    };
  }
}

/**
 * Counts that exceed their upper bounds, one sentence each.
 * @param most the bounds, from the table's stream and the application's own actions
 */
export function tooMany(totals: Accounts['totals'], most: Readonly<Partial<Record<Fate, number>>>): string[] {
  return (Object.entries(most) as [Fate, number][]).flatMap(([fate, bound]) =>
    totals[fate] <= bound
      ? []
      : [
          `the executions say ${fate} ${totals[fate]}, but by ${HELD_AGAINST[fate]} it is ${bound} at the most`,
        ],
  );
}

/**
 * Finds the reports in an execution's output, in the cause of its failure, or in the JSON of these: those of a tick for each table with
 * work, or the one of a replay. Undefined when there are none.
 */
export function reportsOf(said: unknown): readonly SweepReport[] | undefined {
  const report = readExecutionReport(said);
  if (report === undefined) return undefined;
  if (!('tables' in report)) return [report];
  return report.notRecorded === undefined ? Object.values(report.tables) : undefined;
}

/** Finds the report of an execution that sweeps one table; undefined for a tick without work, too. */
export function reportOf(said: unknown): SweepReport | undefined {
  return reportsOf(said)?.[0];
}

/** A tick that could not record its result has no counts for any table. */
function isUnrecordedTick(said: unknown): boolean {
  const report = readExecutionReport(said);
  return report !== undefined && 'tables' in report && report.notRecorded !== undefined;
}
