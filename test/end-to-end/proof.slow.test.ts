/** @jest-environment ./test/support/dynamodb-environment.ts */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describeProof } from '../../cli/proof/text.ts';
import { modelOf } from '../../config/model-of.ts';
import type { PreciseTtlProps } from '../../config/props.ts';
import { expiryAttributes } from '../../expiry/index.ts';
import { folderSource } from '../../operate/archive/archive-source.ts';
import { verifyDay } from '../../operate/proof/verify-day.ts';
import type { DeleteChunkInput } from '../../statemachine/contract/chunks.ts';
import type { ItemKey } from '../../statemachine/contract/keys.ts';
import { MINUTE, type PlayedCloud, playedCloud } from '../runbook/played-cloud.ts';
import { configOf } from '../support/configs.ts';
import { timedSource } from '../support/timed-source.ts';

/* The deployed functions delete, archive and write the manifest of two days around a midnight, by a virtual clock; it is verified then. */

const SESSIONS: PreciseTtlProps = { tableName: 'Sessions', partitionKey: 'id', archive: {}, logKeys: 'hash' };
const START = Date.parse('2026-11-20T23:40:30Z');
const EVERY_SECONDS = 20;
const UNTIL_SECONDS = 40 * 60;
const idOf = (key: ItemKey): string => (key['id'] as { readonly S: string }).S;

const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-proof-'));
const deletedAt = new Map<string, number>();
let cloud: PlayedCloud;

beforeAll(async () => {
  cloud = await playedCloud(SESSIONS, START, {
    mappings: { pollMs: 5_000, wrapSource: source => timedSource(source, key => deletedAt.get(idOf(key))) },
    services: { archiveFolder: folder },
  });
  cloud.faults.functions = async ({ functionName, payload }) => {
    if (!functionName.endsWith('-delete-chunk')) return undefined;
    for (const { key } of (payload as DeleteChunkInput).chunk.keys)
      deletedAt.set(idOf(key), cloud.clock.now());
    return undefined;
  };
  const documents = DynamoDBDocumentClient.from(cloud.served.cloud.client);
  for (let second = 60; second < UNTIL_SECONDS; second += EVERY_SECONDS) {
    const id = `session-${second}`;
    const expiresAt = START / 1000 + second;
    const item = { id, ...expiryAttributes(modelOf(SESSIONS), { id }, { expiresAt, nowMs: START }) };
    await documents.send(new PutCommand({ TableName: SESSIONS.tableName, Item: item }));
  }
});
afterAll(async () => {
  await cloud?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function verified(date: string) {
  const [bucket = ''] = readdirSync(folder).filter(name => !name.startsWith('.'));
  const fromArchive = join(folder, bucket);
  const report = await verifyDay(
    { date, fromArchive, config: configOf(SESSIONS), now: () => cloud.clock.now() },
    {
      askJournal: true,
      connect: () => ({
        source: folderSource(fromArchive),
        dynamoDb: cloud.served.cloud.client,
        destroy: () => undefined,
      }),
    },
  );
  return { end: report.end, text: describeProof(report) };
}

test('the schedule has the manifest written, and it agrees with the archive and the journal', async () => {
  await cloud.clock.advance(218 * MINUTE);
  const ofFirstDay = [...deletedAt.values()].filter(at => at < Date.parse('2026-11-21')).length;
  const { end, text } = await verified('2026-11-20');
  expect(text).toContain(`deleted   ${ofFirstDay} by the sweep, 0 by others`);
  expect(text).toContain(`archive   ${ofFirstDay} of ${ofFirstDay} lines are there as they were`);
  expect(text).toContain('journal   has the same deletions');
  expect(end).toBe('equal');
  expect(ofFirstDay).toBeGreaterThan(50);
});
