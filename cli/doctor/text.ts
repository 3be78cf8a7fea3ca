import type { DoctorReport, Facts, Finding, ScannedTable, TableReport } from '../../operate/doctor/report.ts';
import type { ScanProgress } from '../../operate/options.ts';
import { count, describeWork } from '../numbers.ts';
import type { Session } from '../operation.ts';
import { shortKey } from '../print.ts';

/** The report for a person: what was checked for each table, and what was found. */
export function describeReport(report: DoctorReport): string {
  const { tables, region, isLocal } = report;
  const place = isLocal ? 'on this machine' : `in ${region}`;
  return [...tables.map(table => describeTable(table, place)), describeVerdict(report)].join('\n\n');
}

function describeTable({ tableName, facts, findings }: TableReport, place: string): string {
  return [
    `Table ${tableName} ${place}`,
    ...describeFacts(facts),
    ...findings.map(finding => `\n${describeFinding(finding)}`),
    ...(findings.length === 0 ? ['\n  Nothing is wrong.'] : []),
  ].join('\n');
}

function describeFacts(facts: Facts): string[] {
  const { status, itemCount, itemsRead, allItemsRead, entriesRead } = facts;
  const known = itemCount === null ? '' : `, about ${count(itemCount)} items`;
  const read = allItemsRead
    ? `all ${count(itemsRead)} read`
    : `${count(itemsRead)} read, a sample; --full reads all of them`;
  const rows: (readonly [string, string])[] = [
    ['table', status === null ? 'not seen' : `${status}${known}`],
    ...(status === null ? [] : [['items', read] as const]),
    ...(entriesRead === null ? [] : [['index', `all ${count(entriesRead)} entries read`] as const]),
    [
      'functions',
      `one execution can run ${count(facts.functionsAtOnce)} at once; the account has ` +
        `${facts.concurrency === null ? 'not been asked' : `${count(facts.concurrency)} left`}`,
    ],
  ];
  return rows.map(([name, text]) => `  ${name.padEnd(14)}${text}`);
}

function describeFinding({ id, severity, what, count: times, samples, meaning, remedy }: Finding): string {
  return [
    `  ${severity.toUpperCase()} ${id}${times === null ? '' : ` (${count(times)})`}`,
    `    ${what}`,
    ...samples.map(sample => `    such as ${shortKey(sample)}`),
    `    ${meaning}`,
    `    -> ${remedy}`,
  ].join('\n');
}

const VERDICTS = {
  healthy: 'Healthy',
  warnings: 'Warnings',
  broken: 'Broken',
} as const satisfies Record<DoctorReport['verdict'], string>;

function describeVerdict({ verdict, tables }: DoctorReport): string {
  const findings = tables.flatMap(table => table.findings);
  const number = (severity: Finding['severity'], one: string, many: string) => {
    const times = findings.filter(finding => finding.severity === severity).length;
    return `${count(times)} ${times === 1 ? one : many}`;
  };
  return (
    `${VERDICTS[verdict]}: ${number('broken', 'finding', 'findings')} of what is broken, ` +
    `${number('warning', 'warning', 'warnings')}, ${number('note', 'note', 'notes')}`
  );
}

/** Says how much a scan will read, before it begins. */
export function describeScan({ name, itemCount, sizeBytes }: ScannedTable, rate: number): string {
  const units = sizeBytes / 8192;
  return (
    `${name}: reading about ${count(itemCount)} items, ${count(Math.ceil(units))} read units, in about ` +
    describeSeconds(units / rate)
  );
}

/** The progress of a scan. DynamoDB updates its item count only every few hours. */
export function describeProgress(
  { name, itemCount }: ScannedTable,
  { items, readUnits }: ScanProgress,
  seconds: number,
): string {
  const more = [`${count(Math.ceil(readUnits))} read units`];
  return describeWork({ at: name, what: 'items', done: items, total: itemCount, seconds, more });
}

function describeSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.ceil(seconds / 60)} minutes` : `${(seconds / 3600).toFixed(1)} hours`;
}

/** Returns a function that announces each scan and then shows its progress. */
export function scanTeller(
  { print, show }: Pick<Session, 'print' | 'show'>,
  rate: number,
  now: () => number = Date.now,
) {
  let from = now();
  return (table: ScannedTable, progress: ScanProgress | undefined): void => {
    if (progress !== undefined) {
      show(describeProgress(table, progress, (now() - from) / 1000));
      return;
    }
    from = now();
    show('');
    print(describeScan(table, rate));
  };
}
