import type { TableReport } from '../../../operate/status/report.ts';

/** The failure of DynamoDB. */
export type Trouble = 'none' | 'deletesThrottled' | 'queriesThrottled' | 'hangs' | 'dead';

/** An item as a scan of the table saw it. */
export interface SeenItem {
  readonly id: string;
  /** Epoch seconds. */
  readonly ttl: number;
}

/** A scan of the table itself. */
export interface TableScan {
  /** Start of the scan; `to` is its end. Epoch milliseconds. */
  readonly from: number;
  readonly to: number;
  readonly items: ReadonlyMap<string, SeenItem>;
}

/** Something that lasted for a time, epoch milliseconds. */
export interface During<What> {
  readonly what: What;
  readonly from: number;
  /** End of the period; undefined while it continues. */
  to?: number;
}

/** The actions on the table and on DynamoDB. */
export interface Deeds {
  readonly troubles: readonly During<Trouble>[];
  readonly pauses: readonly During<true>[];
  readonly limits: readonly During<number>[];
  /** Times at which a key's delete was throttled, epoch milliseconds. */
  readonly throttled: readonly number[];
  /** Items that expire each second. */
  readonly rate: number;
  /** Ids of items that were written after their expiry, which `status` need not report. */
  readonly writtenLate: ReadonlySet<string>;
  /** Times at which failed executions ended, epoch milliseconds. */
  readonly failures: readonly number[];
  /** Times at which ticks planned, as recorded in the journal, epoch milliseconds. */
  readonly ticks: ReadonlySet<number>;
}

/** A report with the state of the table before and after it. */
export interface JudgedLook {
  readonly report: TableReport;
  readonly before: TableScan;
  readonly after: TableScan;
}

/** Tolerance of `overdue`, as a share, because items are deleted during the count. */
const TOLERANCE = 0.02;

/** Tolerance for clocks that are rounded to seconds, and for a call in progress, milliseconds. */
const ROUNDED_MS = 2_000;

/** Age of an execution that is certainly late: two ticks and their duration, seconds. */
const SURELY_LATE_SECONDS = 190;

/** False statements in a report. */
export function falseStatements(look: JudgedLook, deeds: Deeds): string[] {
  return [...falseGone(look, deeds), ...falseOverdue(look), ...falseVerdict(look)];
}

const seconds = (iso: string): number => Date.parse(iso) / 1000;

/** Items that were in the table before and after the report, with the same TTL. */
function throughout({ before, after }: JudgedLook): SeenItem[] {
  return [...after.items.values()].filter(({ id, ttl }) => before.items.get(id)?.ttl === ttl);
}

function falseGone(look: JudgedLook, { writtenLate }: Deeds): string[] {
  const { gone } = look.report;
  if (gone === null) return [];
  const left = new Set(gone.left.map(({ key = '' }) => idOf(key)));
  const since = gone.since === null ? Number.NEGATIVE_INFINITY : seconds(gone.since);
  const there = throughout(look).filter(
    ({ id, ttl }) => ttl >= since && ttl <= seconds(gone.by) && !left.has(id) && !writtenLate.has(id),
  );
  const notThere = [...left].filter(id => !look.before.items.has(id) && !look.after.items.has(id));
  return [
    ...(there.length > 0 ? [`gone by ${gone.by}: ${there.length} are there, such as ${there[0]?.id}`] : []),
    ...(notThere.length > 0 ? [`left: ${notThere.length} are not there, such as ${notThere[0]}`] : []),
  ];
}

/** Reads the id of an item from its key, as a report shows the key. */
function idOf(key: string): string {
  return (JSON.parse(key) as { readonly id: { readonly S: string } }).id.S;
}

/** Smallest and largest number of overdue items during a report. */
export interface Counted {
  /** Start of the report, epoch milliseconds. */
  readonly at: number;
  readonly least: number;
  readonly most: number;
}

export function countedBy(look: JudgedLook): Counted {
  const { before, after } = look;
  const dueBy = (atMs: number) => (item: SeenItem) => item.ttl <= Math.floor(atMs / 1000);
  const ever = [...before.items.values(), ...after.items.values()].filter(dueBy(after.from));
  return {
    at: before.to,
    least: throughout(look).filter(dueBy(before.to)).length,
    most: new Set(ever.map(({ id }) => id)).size,
  };
}

function falseOverdue(look: JudgedLook): string[] {
  const { overdue } = look.report;
  if (overdue === null) return [];
  const { items, atLeast, why } = overdue;
  const { least, most } = countedBy(look);
  if (atLeast && why === null) return ['overdue: a lower bound without a reason'];
  if (items === null) return atLeast ? [] : ['overdue: no number, and no lower bound'];
  if (atLeast && items === 0) return ['overdue: at least 0'];
  if (items > most * (1 + TOLERANCE)) return [`overdue: ${items}, and at most ${most} are`];
  return !atLeast && items < least * (1 - TOLERANCE) ? [`overdue: ${items}, and ${least} are`] : [];
}

function falseVerdict(look: JudgedLook): string[] {
  const late = throughout(look).filter(({ ttl }) => ttl < look.before.from / 1000 - SURELY_LATE_SECONDS);
  return look.report.verdict === 'fine' && late.length > 0
    ? [`fine, and ${late.length} are overdue for more than ${SURELY_LATE_SECONDS} s`]
    : [];
}

/** Why the reported cause is wrong; undefined when it is right, or when none was reported. */
export function falseCause(look: JudgedLook, deeds: Deeds): string | undefined {
  const { cause } = look.report;
  if (cause === null) return missingCause(look, deeds);
  const wrong = (said: string) => `${cause.id}: ${said} (${cause.text})`;
  const [from, to] = [look.before.from, look.after.to];
  const was = <What>(all: readonly During<What>[], since = from, until = to) =>
    all
      .filter(each => each.from <= until && (each.to ?? Number.POSITIVE_INFINITY) >= since)
      .map(({ what }) => what);
  switch (cause.id) {
    case 'dynamoDbSilent': {
      const since = Date.parse(/since (?:at least )?(\S+Z)/.exec(cause.text)?.[1] ?? '');
      const silent = was(deeds.troubles, since - ROUNDED_MS).filter(
        what => what === 'hangs' || what === 'dead',
      );
      return silent.length > 0 && since <= to ? undefined : wrong('DynamoDB answered');
    }
    case 'dynamoDbUnavailable':
      return was(deeds.troubles).some(what => what === 'hangs' || what === 'dead')
        ? undefined
        : wrong('DynamoDB was available');
    case 'indexThrottled':
      return was(deeds.troubles).includes('queriesThrottled') ? undefined : wrong('no query was throttled');
    case 'paused':
      return was(deeds.pauses).length > 0 ? undefined : wrong('it was not paused');
    case 'limited':
      return falseLimit(cause.text, was(deeds.limits), deeds.rate, wrong);
    case 'deletesThrottled':
      return falseThrottling(cause.text, deeds.throttled, look, wrong);
    case 'failing': {
      const failed = deeds.failures.some(at => at <= to && at >= from - 3_600_000);
      return failed ? undefined : wrong('no execution failed');
    }
    case 'noTick': {
      const since = Date.parse(/since (\S+Z)/.exec(cause.text)?.[1] ?? '');
      const last = Math.max(...[...deeds.ticks].filter(at => at <= from));
      return Math.abs(last - since) <= ROUNDED_MS ? undefined : wrong('a tick has planned later');
    }
    case 'handedOver':
      return look.report.handOver !== null ? undefined : wrong('nothing is handed over');
    case 'catchingUp':
    case 'late':
      return missingCause(look, deeds);
    default:
      return wrong('nothing of that kind was done');
  }
}

/** Finds an action during the whole report that no cause mentions. */
function missingCause(
  { report, before, after }: JudgedLook,
  { troubles, pauses }: Deeds,
): string | undefined {
  const lasted = <What>(all: readonly During<What>[], isIt: (what: What) => boolean) =>
    all.some(
      each => isIt(each.what) && each.from < before.from && (each.to ?? Number.POSITIVE_INFINITY) > after.to,
    );
  const named = report.cause?.id ?? 'nothing';
  if (lasted(pauses, () => true)) return `${named}: it was paused all the time`;
  if (lasted(troubles, what => what === 'hangs' || what === 'dead'))
    return `${named}: DynamoDB did not answer`;
  return undefined;
}

function falseLimit(
  text: string,
  limits: readonly number[],
  rate: number,
  wrong: (said: string) => string,
): string | undefined {
  const limit = Number(/limit ([\d.]+)\/s/.exec(text)?.[1]);
  if (!limits.includes(limit)) return wrong('there was another limit, or none');
  const expire = /at least ([\d.,]+)\/s expire/.exec(text)?.[1];
  if (expire === undefined) return undefined;
  const told = Number(expire.replaceAll(',', ''));
  if (told > rate * (1 + TOLERANCE)) return wrong(`${rate} expire`);
  return limit < rate ? undefined : wrong('it does catch up');
}

/** Counts are recorded when a page of deletes has ended, so they may be older than their minute by the duration of a call, milliseconds. */
const NOTED_MS = 6_000;

function falseThrottling(
  text: string,
  throttled: readonly number[],
  { before, after }: JudgedLook,
  wrong: (said: string) => string,
): string | undefined {
  const told = Number(
    (/deletes: at least ([\d,]+) in the last minute/.exec(text)?.[1] ?? '').replaceAll(',', ''),
  );
  const from = before.from - 60_000 - NOTED_MS;
  const were = throttled.filter(at => at >= from && at <= after.to).length;
  return told > 0 && told <= were * (1 + TOLERANCE) ? undefined : wrong(`${were} were`);
}

/**
 * Why a reported trend is wrong; undefined if it is right, or if none was reported.
 * @param counts the counts of all looks up to this one
 */
export function falseTrend({ report }: JudgedLook, counts: readonly Counted[]): string | undefined {
  const trend = report.overdue?.trend;
  const now = counts.at(-1);
  if (trend == null || now === undefined) return undefined;
  const { fewerPerSecond, measuredSeconds } = trend;
  // Counts of neighbouring reports differ when many items are deleted at once.
  const near = (at: number) => counts.filter(each => Math.abs(each.at - at) <= ROUNDED_MS);
  const [then, last] = [near(now.at - measuredSeconds * 1000), near(now.at)];
  if (then.length === 0) return undefined;
  const least = Math.min(...then.map(each => each.least)) - Math.max(...last.map(each => each.most));
  const most = Math.max(...then.map(each => each.most)) - Math.min(...last.map(each => each.least));
  const fewer = Math.round(fewerPerSecond * measuredSeconds);
  return fewer >= least && fewer <= most
    ? undefined
    : `trend: ${fewer} fewer in ${measuredSeconds.toFixed(0)} s, and it was from ${least} to ${most}`;
}
