/** @jest-environment ./test/support/dynamodb-environment.ts */
import fc from 'fast-check';
import type { Execution } from 'stepfunctions-emulator';
import { expiryAttributes } from '../../expiry/attributes.ts';
import { expiryModel } from '../../expiry/model.ts';
import { hashOfKey } from '../../functions/report/shown-keys.ts';
import { LOG_KEYS, type LogKeys } from '../../functions/runtime/environment.ts';
import type { PreciseTtlProps } from '../../stacks/config/props.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';
import { CallRecorder, type Interception } from '../support/call-recorder.ts';
import { type Item, useLocalSweep } from '../support/local-sweep.ts';

/*
 * Sweeps that fail in every way, of keys that carry a mark, with a DynamoDB whose messages repeat the whole request:
 * whatever is printed, and whatever an execution ends with, is searched for the mark.
 */

/** In each partition key, and the first digits of each sort key. */
const MARK = 'ada.lovelace';
const DIGITS = 918273;

const tableOf = (logKeys: LogKeys): PreciseTtlProps & { readonly tableName: string } => ({
  tableName: `Keys-${logKeys}`,
  partitionKey: 'email',
  sortKey: { name: 'number', type: 'N' },
  index: { granularityMinutes: 60 },
  logKeys,
});

const recorder = new CallRecorder();
const lines: string[] = [];
const local = useLocalSweep(LOG_KEYS.map(tableOf), {
  functionsDynamoDbEndpoint: endpoint => recorder.start(endpoint),
  functions: { onLog: (_name, line) => lines.push(line) },
});
afterAll(() => recorder.stop());

/** When items expire that are put now: in the minute that ended last, which a first tick looks at. */
const expiredNow = () => Math.floor(Date.now() / 60_000) * 60 - 20;
const iso = (seconds: number) => new Date(seconds * 1000).toISOString();
const replayOf = (expired: number) => ({ from: iso(expired - 60), to: iso(expired + 1) });

/** Keys of any characters around the mark: what is escaped in JSON must not get through either. */
const KEYS = fc
  .sample(fc.string({ unit: 'binary', maxLength: 8 }), { numRuns: 30, seed: 15 })
  .map((text, index) => ({ email: `${text.toWellFormed()}${MARK}@${index}`, number: DIGITS * 1000 + index }));

function stamped(expiresAt: number, keys: readonly (typeof KEYS)[number][]): Item[] {
  const model = expiryModel({ partitionKey: 'email', sortKey: 'number', granularityMinutes: 60, shards: 1 });
  return keys.map(key => ({ ...key, ...expiryAttributes(model, key, { expiresAt }) }));
}

/** DynamoDB refuses these operations, and repeats what it was asked for. */
function refuse(name: string, ...operations: string[]): Interception {
  return ({ operation, body }) =>
    operations.includes(operation)
      ? { status: 400, body: { __type: name, message: `cannot take ${JSON.stringify(body)}` } }
      : undefined;
}

const DELETE = 'BatchExecuteStatement';

/** Everything that a person, or a service for logs, gets to see of this. */
async function shownOf(logKeys: LogKeys) {
  const { tableName } = tableOf(logKeys);
  const expired = expiredNow();
  const replay = replayOf(expired);
  lines.length = 0;
  const ended: { readonly what: string; readonly execution: Execution; readonly report: SweepReport }[] = [];
  const sweep = async (what: string, interception: Interception | undefined, input: object = replay) => {
    recorder.intercept = interception ?? (() => undefined);
    ended.push({ what, ...(await local.sweep(tableName, input)) });
  };
  await local.put(tableName, stamped(expired, KEYS));
  await sweep('dry run', undefined, { ...replay, dryRun: true });
  await sweep('deletes refused', refuse('ValidationException', DELETE));
  await sweep('deletes not allowed', refuse('AccessDeniedException', DELETE));
  await sweep('queries refused', refuse('ValidationException', 'Query'));
  await sweep('swept', undefined);
  recorder.intercept = () => undefined;
  const ends = ended.flatMap(({ what, execution }) =>
    [execution.output, execution.cause, execution.error].map(end => `${what}: ${JSON.stringify(end)}`),
  );
  return { ended, texts: [...lines, ...ends] };
}

const shows = (text: string) => text.includes(MARK) || text.includes(String(DIGITS));
const reportOf = (ended: Awaited<ReturnType<typeof shownOf>>['ended'], what: string) =>
  ended.find(each => each.what === what)?.report;

// Without it the searches below would prove nothing: each of these texts holds keys unless something keeps them out.
test("with 'full' keys are in the logs, the reports and the causes of all of it", async () => {
  const { ended, texts } = await shownOf('full');
  const showing = texts.filter(shows);
  expect(ended.filter(({ execution }) => execution.status === 'FAILED')).toHaveLength(3);
  const missing = [
    ...['dry run:', 'deletes refused:', 'deletes not allowed:', '"cannot delete"', '"swept"'],
  ].filter(part => !showing.some(text => text.includes(part)));
  expect(missing).toEqual([]);
});

test("with 'none' no key is in any of it, and the reasons still are", async () => {
  const { ended, texts } = await shownOf('none');
  expect(texts.filter(shows)).toEqual([]);
  expect(texts.filter(text => text.includes('hmac'))).toEqual([]);
  expect(reportOf(ended, 'dry run')).toMatchObject({ found: 30, sampleKeys: [] });
  const { failed, failedKeys } = reportOf(ended, 'deletes refused') ?? {};
  expect(failed).toBe(30);
  expect(failedKeys).toEqual(Array.from({ length: 20 }, () => ({ reason: 'ValidationError' })));
});

test("with 'hash' the hash of a key is where the key would be, and no key", async () => {
  const { ended, texts } = await shownOf('hash');
  expect(texts.filter(shows)).toEqual([]);
  const hashes = KEYS.map(({ email, number }) =>
    hashOfKey({ number: { N: String(number) }, email: { S: email } }, ['email', 'number'], 'Keys-hash'),
  );
  expect(new Set(hashes).size).toBe(KEYS.length);
  const samples = reportOf(ended, 'dry run')?.sampleKeys ?? [];
  expect(samples).toHaveLength(20);
  expect(hashes).toEqual(expect.arrayContaining([...samples]));
  const listed = reportOf(ended, 'deletes refused')?.failedKeys.map(({ key }) => key) ?? [];
  expect(listed).toHaveLength(20);
  expect(hashes).toEqual(expect.arrayContaining(listed));
  const logged = (message: string) =>
    texts
      .filter(text => text.includes(`"${message}"`))
      .some(text => hashes.some(hash => text.includes(hash)));
  for (const message of ['cannot delete', 'swept']) {
    expect([message, logged(message)]).toEqual([message, true]);
  }
});
