/** @jest-environment ./test/support/dynamodb-environment.ts */

import { DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { modelOf } from '../../config/model-of.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { expiryAttributes } from '../../expiry/index.ts';
import type { Trouble } from '../../lab/experiments/status/oracle.ts';
import {
  type Deeds,
  falseCause,
  falseStatements,
  type TableScan,
} from '../../lab/experiments/status/oracle.ts';
import type { Incident } from '../../local/rehearsal.ts';
import type { RemarkId } from '../../operate/status/remarks.ts';
import type { TableReport } from '../../operate/status/report.ts';
import { playedCloud } from './played-cloud.ts';
import { notPrinted } from './sections.ts';

/*
 * The incidents that `precise-ttl local --break` rehearses, each a section of docs/reference/alarms.md, played through at the same time, each
 * in a deployment and on a clock of its own. At each step what `status` says is held against a scan past the broken way to DynamoDB.
 */

/** An incident begins at 12:10:15. */
const START = Date.parse('2026-11-21T12:08:20Z');
const SECOND = 1000;

interface Play {
  readonly incident: Incident;
  /** It is short where functions wait by the machine's clock. */
  readonly seconds: number;
  /** The cause that `status` names while it lasts; null where it can see none. */
  readonly cause: RemarkId | null;
  /** What it says of DynamoDB then; undefined: nothing. */
  readonly says?: RegExp;
}

const PLAYS: readonly Play[] = [
  {
    incident: { kind: 'throttle' },
    seconds: 25,
    cause: 'indexThrottled',
    says: /DynamoDB throttles the index/,
  },
  { incident: { kind: 'hang' }, seconds: 60, cause: 'dynamoDbSilent', says: /timed out: no answer in 5 s/ },
  { incident: { kind: 'slow' }, seconds: 60, cause: 'late' },
  { incident: { kind: 'clock', aheadMs: 2 * SECOND }, seconds: 120, cause: null },
  { incident: { kind: 'clock', aheadMs: -20 * SECOND }, seconds: 120, cause: 'late' },
  { incident: { kind: 'down' }, seconds: 120, cause: 'dynamoDbSilent', says: /refused the connection/ },
];
/** What is said of a DynamoDB that does not answer as it should; what it has done to deletes is said for a minute more. */
const OF_DYNAMODB =
  /DynamoDB (does not answer|throttles the index|refused|timed out|is not available|had answered)/;
/** For the oracle. */
const TROUBLES: Partial<Record<Incident['kind'], Trouble>> = {
  throttle: 'queriesThrottled',
  down: 'dead',
  hang: 'hangs',
};

/** The statements of `status` about a table that a scan at the same moment contradicts. */
function contradicted(report: TableReport, scan: TableScan, troubles: Deeds['troubles']): string[] {
  const look = { report, before: scan, after: scan };
  const none = { pauses: [], limits: [], throttled: [], rate: 0.2, writtenLate: new Set<string>() };
  const deeds = { ...none, troubles, failures: [], ticks: new Set<number>() };
  const watermark = Date.parse(report.watermark ?? '') / 1000;
  const before = [...scan.items.values()].filter(({ ttl }) => ttl <= watermark);
  return [
    ...falseStatements(look, deeds),
    // Which deletes the incident throttles nobody has written down.
    ...(report.cause?.id === 'deletesThrottled' && troubles[0]?.what === 'queriesThrottled'
      ? []
      : [falseCause(look, deeds) ?? []].flat()),
    ...before.map(({ id }) => `watermark ${report.watermark}: ${id} is there`),
  ];
}

/** @returns plays it, once its cloud runs */
async function prepare({ incident, seconds, cause, says }: Play): Promise<() => Promise<void>> {
  const { kind } = incident;
  const isAhead = kind === 'clock' && incident.aheadMs > 0;
  const name = `${kind}${isAhead ? '-ahead' : ''}`;
  const props: PreciseTtlProps = {
    tableName: `Sessions-${name}`,
    partitionKey: 'id',
    sweep: `sweep-${name}`,
  };
  const cloud = await playedCloud(props, START, { incident, forMs: seconds * SECOND });
  const { clock } = cloud;
  const play = async () => {
    const documents = DynamoDBDocumentClient.from(cloud.served.cloud.client);
    const start = Math.floor(START / 1000);
    for (let after = 15; after < 380; after += 5) {
      const id = `expires-${after}`;
      const expiry = expiryAttributes(modelOf(props), { id }, { expiresAt: start + after, nowMs: START });
      await documents.send(new PutCommand({ TableName: props.tableName, Item: { id, ...expiry } }));
    }
    const { from = 0, until } = cloud.served.rehearsal ?? {};
    const what = TROUBLES[kind];
    const troubles = what === undefined || until === undefined ? [] : [{ what, from, to: until }];
    /** The clock stands while it looks. */
    const look = async (afterSeconds: number) => {
      await clock.advance(afterSeconds * SECOND);
      const at = clock.now();
      const { Items = [] } = await documents.send(new ScanCommand({ TableName: props.tableName }));
      const items = new Map(Items.map(({ id, ttl }) => [String(id), { id: String(id), ttl: Number(ttl) }]));
      const { text, verdict, report } = await cloud.status();
      const [table] = report.tables;
      if (table === undefined) throw new Error('expected a report of one table');
      return {
        ...{ text, verdict, cause: table.cause?.id ?? null, ofDynamoDb: OF_DYNAMODB.test(text) },
        expired: [...items.values()].filter(({ ttl }) => ttl * SECOND <= at).length,
        wrong: contradicted(table, { from: at, to: at, items }, troubles),
      };
    };
    const before = await look(110);
    expect(before).toMatchObject({ verdict: 'fine', cause: null, ofDynamoDb: false, expired: 0, wrong: [] });

    const during = await look(25);
    const text = expect.stringMatching(says ?? /^/);
    expect(during).toMatchObject({ text, cause, ofDynamoDb: says !== undefined, wrong: [] });
    const atItsEnd = await look(seconds - 25);
    expect(atItsEnd).toMatchObject({ text, ofDynamoDb: says !== undefined, wrong: [] });

    const justAfter = await look(15);
    expect(justAfter).toMatchObject({ ofDynamoDb: false, wrong: [] });
    const over = await look(120);
    expect(over).toMatchObject({ cause: null, ofDynamoDb: false, expired: 0, wrong: [] });

    await cloud.history();
    const printed = cloud.printed.map(each => each.replaceAll(`sweep-${name}`, 'precise-ttl'));
    const section = cloud.served.rehearsal?.section ?? '';
    // Of clocks the section shows those that are behind.
    if (!isAhead) expect(notPrinted(section, printed)).toEqual([]);
    expect(printed).toContainEqual(expect.stringMatching(`--break  over after .*; .* ${section} `));
  };
  return () => play().finally(() => cloud.stop());
}

const playing = new Map<Play, Promise<void>>();
beforeAll(async () => {
  // One after the other: each looks for ports that nobody has, and one that is down has none for a while, so it is the last.
  for (const each of PLAYS) {
    const play = await prepare(each);
    const played = play();
    // It fails in the test that waits for it.
    played.catch(() => {});
    playing.set(each, played);
  }
});

test.each(PLAYS)('$incident: what status says before, during and after it is what is there', async each => {
  await playing.get(each);
});
