import {
  type BackfillInput,
  type BackfillReport,
  SEGMENTS_AT_ONCE,
} from '../../statemachine/backfill-contract.ts';
import {
  BACKFILL_FATE_NAMES,
  BACKFILL_FATES,
  REFUSAL_NAMES,
  REFUSALS,
} from '../../statemachine/backfill-counts.ts';
import { type CountRow, countTable } from '../count-table.ts';
import type { Estimate } from './estimate.ts';
import type { SegmentsDone } from './progress.ts';
import type { TableSize } from './table-size.ts';

export interface Facts {
  readonly tableName: string;
  readonly stateMachine: string;
  readonly endpoint: string;
  readonly region: string;
  readonly input: Required<BackfillInput>;
  /** Undefined when DynamoDB could not be asked. */
  readonly size: TableSize | undefined;
  readonly estimate: Estimate | undefined;
}

/** What is about to happen, without anything of the account. */
export function describeFacts({
  tableName,
  stateMachine,
  endpoint,
  region,
  input,
  size,
  estimate,
}: Facts): string {
  const { segments, ratePerSecond, dryRun } = input;
  const what = dryRun
    ? 'Dry run of a backfill: reads and counts, writes nothing'
    : 'Backfill: writes the window of its TTL into each item that lacks it';
  const rows = [
    ['table', `${tableName}, state machine ${stateMachine}`],
    ['endpoint', `${endpoint}, region ${region}`],
    [
      'rate',
      `at most ${count(ratePerSecond)} writes a second; ${count(segments)} segments, ${Math.min(segments, SEGMENTS_AT_ONCE)} at a time`,
    ],
    ...(size === undefined || estimate === undefined
      ? [['items', 'unknown: AWS_ENDPOINT_URL_DYNAMODB says where the DynamoDB of this machine is']]
      : describeEstimate(size, estimate, dryRun)),
  ] as const;
  return [what, ...rows.map(([name = '', text]) => `  ${name.padEnd(12)}${text}`)].join('\n');
}

function describeEstimate(
  { itemCount, sizeBytes }: TableSize,
  estimate: Estimate,
  dryRun: boolean,
): string[][] {
  const { seconds, writeUnits, readUnits, dollars } = estimate;
  const each = itemCount === 0 ? '' : `, ${count(Math.round(sizeBytes / itemCount))} bytes each`;
  return [
    ['items', `about ${count(itemCount)}${each}, as DynamoDB counted them last (every six hours)`],
    ['takes', `about ${span(seconds)}${dryRun ? '' : ', if none of them has its window yet'}`],
    [
      'costs',
      `about $${dollars.toFixed(2)} on demand in us-east-1: ${count(writeUnits)} write units, ${count(readUnits)} read units, Step Functions and Lambda`,
    ],
  ];
}

/** How far it is; the rest takes as long as what is done has taken, in proportion. */
export function describeProgress(
  { total, done, doneBefore }: SegmentsDone & { readonly doneBefore: number },
  elapsedSeconds: number,
): string {
  const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
  const measured = done - doneBefore;
  const isOpen = measured > 0 && done < total;
  const rest = isOpen ? `, about ${span((elapsedSeconds / measured) * (total - done))} left` : '';
  return `${percent} %  ${count(done)} of ${count(total)} segments${rest}`;
}

/** The counts as a table: they add up to what was read. */
export function describeReport({ refused, ...report }: BackfillReport): string {
  const rows: CountRow[] = [
    ['scanned', report.scanned, ''],
    ...BACKFILL_FATE_NAMES.filter(
      name => report[name] > 0 || name === (report.dryRun ? 'toStamp' : 'stamped'),
    ).map((name): CountRow => [words(name), report[name], BACKFILL_FATES[name]]),
    ...REFUSAL_NAMES.filter(name => refused[name] > 0).map(
      (name): CountRow => [`refused: ${words(name)}`, refused[name], REFUSALS[name]],
    ),
    ...(report.segmentsIncomplete > 0 ? [left(report)] : []),
  ];
  return countTable(rows);
}

const left = ({
  segmentsIncomplete,
  segments,
}: Pick<BackfillReport, 'segments' | 'segmentsIncomplete'>): CountRow => [
  'segments left',
  segmentsIncomplete,
  `of ${count(segments)}`,
];

/** What there is left to do, by what was counted; empty when there is nothing. */
export function describeNext({ changedMeanwhile, failed, refused, dryRun }: BackfillReport): string[] {
  const hasRefused = REFUSAL_NAMES.some(name => refused[name] > 0);
  return [
    ...(changedMeanwhile > 0
      ? [
          'Items that changed meanwhile have a window if their writers stamp one. If some do not, run this again.',
        ]
      : []),
    ...(failed > 0 ? ['The keys of items that failed are in the log of the function BackfillSegment.'] : []),
    ...(hasRefused
      ? [
          'Items that were refused are never deleted: mend their writers, then the items (docs/existing-table.md).',
        ]
      : []),
    ...(dryRun ? ['Nothing was written.'] : []),
  ];
}

const count = (value: number): string => value.toLocaleString('en-US');
const words = (name: string): string => name.replaceAll(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`);

/** `40 seconds`, `12 minutes`, `3.5 hours` */
function span(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} minutes`;
  return `${(seconds / 3600).toFixed(1)} hours`;
}
