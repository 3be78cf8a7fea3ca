/** @jest-environment ./test/support/dynamodb-environment.ts */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { readFilter } from 'aws-on-loopback/streams/filter';
import type { EventSourceMappingResource } from 'aws-on-loopback/streams/mapping-settings';
import { modelOf } from '../../config/model-of.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { type ExpiryEvent, expiryAttributes } from '../../expiry/index.ts';
import type { ArchiveLine } from '../../functions/archive/archive-line.ts';
import { READERS, type Reader } from '../../functions/journal/books.ts';
import type { DeleteChunkInput } from '../../statemachine/contract/chunks.ts';
import type { ItemKey } from '../../statemachine/contract/keys.ts';
import { MINUTE, type PlayedCloud, playedCloud } from '../runbook/played-cloud.ts';
import { notPrinted } from '../runbook/sections.ts';
import { timedSource } from '../support/timed-source.ts';

/*
 * An archive falls silent while deletes go on: its reader is off, its stream is turned off and on again, somebody changes its filter. Each
 * lasts ten minutes of a virtual clock. What the alarm, `status` and `audit` say is held against what is in the bucket. It is the play of the
 * section deletes-unread of docs/reference/alarms.md.
 */

const SESSIONS: PreciseTtlProps = {
  tableName: 'Sessions',
  partitionKey: 'id',
  archive: {},
  events: { eventBus: 'default' },
};
const START = Date.parse('2026-11-21T12:08:30Z');
/** The archive gathers for 60 seconds, and each reader has 180 more. */
const WITHIN_MS = { archived: 240_000, published: 180_000 };
const EVERY_SECONDS = 20;
const MINUTES = 150;

const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-unread-'));

const idOf = (key: ItemKey): string => (key['id'] as { readonly S: string }).S;

/** When each item was deleted, by the clock of the play. */
const deletedAt = new Map<string, number>();
/** What is in the bucket, and what has arrived on the bus. */
const arrived = { archived: new Set<string>(), published: new Set<string>() };
let cloud: PlayedCloud;
let documents: DynamoDBDocumentClient;

beforeAll(async () => {
  cloud = await playedCloud(SESSIONS, START, {
    mappings: { pollMs: 5_000, wrapSource: source => timedSource(source, key => deletedAt.get(idOf(key))) },
    services: {
      archiveFolder: folder,
      onObject({ file = '' }) {
        for (const line of gunzipSync(readFileSync(file)).toString().trimEnd().split('\n'))
          arrived.archived.add(idOf((JSON.parse(line) as ArchiveLine).key as ItemKey));
      },
      onEvent: ({ text }) => arrived.published.add(idOf((JSON.parse(text) as ExpiryEvent).key as ItemKey)),
    },
  });
  cloud.faults.functions = async ({ functionName, payload }) => {
    if (!functionName.endsWith('-delete-chunk')) return undefined;
    for (const { key } of (payload as DeleteChunkInput).chunk.keys)
      deletedAt.set(idOf(key), cloud.clock.now());
    return undefined;
  };
  documents = DynamoDBDocumentClient.from(cloud.served.cloud.client);
  for (let second = 60; second < MINUTES * 60; second += EVERY_SECONDS) {
    const id = `session-${second}`;
    const expiresAt = START / 1000 + second;
    const item = { id, ...expiryAttributes(modelOf(SESSIONS), { id }, { expiresAt, nowMs: START }) };
    await documents.send(new PutCommand({ TableName: SESSIONS.tableName, Item: item }));
  }
  await cloud.clock.advance(12 * MINUTE);
});
afterAll(async () => {
  await cloud?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The mapping of a function, as it was synthesized. */
function mapping(reader: Reader): EventSourceMappingResource {
  const name = { archived: '-archive-expiries', published: '-publish-expiries' }[reader];
  const found = cloud.served.cloud.synthesized.mappings.find(({ functionName }) =>
    functionName.endsWith(name),
  );
  if (found === undefined) throw new Error(`expected a mapping of ${name}, got none`);
  return found;
}

const update = (reader: Reader, over: Partial<EventSourceMappingResource> = {}) =>
  cloud.served.cloud.updateMapping({ ...mapping(reader), ...over });

async function turnStream(StreamEnabled: boolean): Promise<void> {
  const StreamSpecification = {
    StreamEnabled,
    ...(StreamEnabled && { StreamViewType: 'NEW_AND_OLD_IMAGES' as const }),
  };
  await cloud.served.cloud.client.send(
    new UpdateTableCommand({ TableName: SESSIONS.tableName, StreamSpecification }),
  );
}

/** What was deleted in a span and has not arrived. @param before by default, for what a reader's time is up now */
function unread(reader: Reader, fromMs: number, before = cloud.clock.now() - WITHIN_MS[reader]): string[] {
  return [...deletedAt]
    .filter(([id, at]) => at >= fromMs && at < before && !arrived[reader].has(id))
    .map(([id]) => id);
}

async function audited(fromMs: number) {
  const { report, text } = await cloud.audit(new Date(fromMs).toISOString());
  const named = Object.fromEntries(
    report.tables.flatMap(({ readers }) =>
      readers.map(({ reader, keys }) => [reader, keys.map(({ key = '{}' }) => idOf(JSON.parse(key)))]),
    ),
  );
  return { verdict: report.verdict, named, text };
}

/** What `status` counts is what has not arrived of the minutes that the ticks have compared in the last hour. */
async function expectStatus(verdict: 'fine' | 'warnings'): Promise<void> {
  const { report, text } = await cloud.status();
  expect([report.verdict, text]).toEqual([verdict, text]);
  const [table] = report.tables;
  expect(table?.ledger?.map(({ reader }) => reader)).toEqual(READERS);
  const hourAgo = Math.floor(cloud.clock.now() / MINUTE) * MINUTE - 60 * MINUTE;
  for (const { reader, missing, deleted, upTo, isNow } of table?.ledger ?? []) {
    const before = Date.parse(upTo ?? '') + MINUTE;
    // Nothing that was to be there is left out.
    expect(before).toBeGreaterThan(cloud.clock.now() - WITHIN_MS[reader] - 2 * MINUTE);
    const inSpan = [...deletedAt.values()].filter(at => at >= hourAgo && at < before);
    expect({ reader, missing, deleted, isNow }).toEqual({
      reader,
      missing: unread(reader, hourAgo, before).length,
      deleted: inSpan.length,
      isNow: true,
    });
    const line = `${reader} ${deleted - missing} of ${deleted}`;
    expect(text).toMatch(new RegExp(`^  ledger        .*${line}`, 'm'));
    const remark = new RegExp(
      `^  WARNING ${missing} of ${deleted} items that were deleted .* not ${reader}, `,
      'm',
    );
    expect(remark.test(text)).toBe(missing > 0);
  }
}

interface Incident {
  readonly breakIt: () => Promise<void>;
  readonly mendIt: () => Promise<void>;
  readonly hits: readonly Reader[];
  /** Whether what was missed is read when it is mended. */
  readonly catchesUp: boolean;
}

test.each<[string, Incident]>([
  [
    'the reader of the archive is off',
    {
      breakIt: () => update('archived', { isEnabled: false }),
      mendIt: () => update('archived'),
      hits: ['archived'],
      catchesUp: true,
    },
  ],
  [
    'the stream is turned off and on',
    {
      breakIt: () => turnStream(false),
      async mendIt() {
        await turnStream(true);
        // Lambda stays on the old stream until the next deployment.
        for (const reader of READERS) await update(reader);
      },
      hits: READERS,
      catchesUp: false,
    },
  ],
  [
    'the filter of the archive is changed by hand',
    {
      breakIt: () =>
        update('archived', {
          settings: { ...mapping('archived').settings, filters: [readFilter('{"eventName":["INSERT"]}')] },
        }),
      mendIt: () => update('archived'),
      hits: ['archived'],
      catchesUp: false,
    },
  ],
])('%s for ten minutes', async (_, { breakIt, mendIt, hits, catchesUp }) => {
  const from = Math.ceil(cloud.clock.now() / MINUTE) * MINUTE;
  expect(cloud.isSounding('deletesUnread')).toBe(false);
  await breakIt();
  const minutes = await cloud.until('deletesUnread', true, 10);
  await cloud.clock.advance((10 - minutes) * MINUTE);
  expect(cloud.isSounding('deletesUnread')).toBe(true);

  const broken = await audited(from);
  expect(broken.verdict).toBe('differs');
  for (const reader of READERS) {
    const missing = unread(reader, from);
    expect([reader, broken.named[reader]]).toEqual([reader, missing]);
    expect(missing.length > 10).toBe(hits.includes(reader));
  }
  expect(broken.text).toContain('What mends it:');
  await expectStatus('warnings');

  await mendIt();
  // What was deleted last is compared four minutes later, and CloudWatch looks at older data for a quarter of an hour.
  await cloud.until('deletesUnread', false, 25);
  await cloud.clock.advance(5 * MINUTE);
  const mended = await audited(from);
  for (const reader of READERS) {
    expect([reader, mended.named[reader]]).toEqual([reader, unread(reader, from)]);
    expect(mended.named[reader]?.length === 0).toBe(catchesUp || !hits.includes(reader));
  }
  if (catchesUp) await expectStatus('fine');
});

test('what the runbook shows was printed', () => {
  expect(notPrinted('deletes-unread', cloud.printed)).toEqual([]);
});

test('afterwards all that was lost is named, and nothing else', async () => {
  const { named } = await audited(START);
  for (const reader of READERS) expect([reader, named[reader]]).toEqual([reader, unread(reader, START)]);
  await expectStatus('warnings');
});
