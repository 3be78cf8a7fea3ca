import type { BackfillFacts, BackfillProgress, Estimate, TableSize } from '../../operate/changes.ts';
import { type BackfillReport, SEGMENTS_AT_ONCE } from '../../statemachine/backfill-contract.ts';
import {
  BACKFILL_FATE_NAMES,
  BACKFILL_FATES,
  REFUSAL_NAMES,
  REFUSALS,
} from '../../statemachine/backfill-counts.ts';
import { type CountRow, count, countTable, span } from '../numbers.ts';
import type { Facts } from '../operation.ts';
import { describeWork } from '../output/work.ts';

/** Describes a backfill before it starts, without anything that names the account. */
export function describeFacts({ tableName, stateMachine, input, size, estimate }: BackfillFacts): Facts {
  const { segments, ratePerSecond, dryRun } = input;
  return {
    title: dryRun
      ? 'Dry run of a backfill: reads and counts, writes nothing'
      : 'Backfill: writes the window of its TTL into each item that lacks it',
    rows: [
      ['table', `${tableName}, state machine ${stateMachine}`],
      [
        'rate',
        `at most ${count(ratePerSecond)} writes a second; ${count(segments)} segments, ${Math.min(segments, SEGMENTS_AT_ONCE)} at a time`,
      ],
      ...(size === undefined || estimate === undefined
        ? [
            [
              'items',
              'unknown: AWS_ENDPOINT_URL_DYNAMODB says where the DynamoDB of this machine is',
            ] as const,
          ]
        : describeEstimate(size, estimate, dryRun)),
    ],
  };
}

function describeEstimate(
  { itemCount, sizeBytes }: TableSize,
  estimate: Estimate,
  dryRun: boolean,
): Facts['rows'] {
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

/** The progress of a backfill. The time left is estimated from the time that the finished part took. */
export function describeProgress(progress: BackfillProgress): string {
  return describeWork({ ...progress, what: 'segments' });
}

/** The counts as a table. The fates and the refusals add up to the items scanned. */
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

/** The next steps that the counts suggest; empty when there are none. */
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
      ? ['Items that were refused are never deleted: mend their writers, then the items (docs/adopt.md).']
      : []),
    ...(dryRun ? ['Nothing was written.'] : []),
  ];
}

const words = (name: string): string => name.replaceAll(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`);
