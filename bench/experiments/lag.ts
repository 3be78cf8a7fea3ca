/** `npm run bench lag`: measures how late items are deleted, to the second and once a minute. */
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Given } from '../../cli/command.ts';
import { toEpochSeconds } from '../../expiry/ttl.ts';
import { guardedBatch } from '../../functions/delete-chunk/deletion.ts';
import { carriedSettings, readSettings } from '../../functions/runtime/environment.ts';
import { localDynamoDb } from '../../local/dynamodb/clients.ts';
import { startDynamoDbLocal } from '../../local/dynamodb/dynamodb-local.ts';
import { ensureTable } from '../../local/dynamodb/tables.ts';
import { synthesizedCloud } from '../../local/stack/synthesized.ts';
import { tableOf } from '../../local/stack/table-of.ts';
import { modelOf } from '../../stacks/config/deployments.ts';
import { functionSettings, type PreciseTtlProps, resolveProps } from '../../stacks/config/props.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import { CHUNK_KEYS } from '../../statemachine/contract/limits.ts';
import type { DemoResult, Judged } from '../demo/judge.ts';
import { ownNames, runDemo } from '../demo/run.ts';
import { count } from '../report/numbers.ts';
import { writtenOnce } from '../workload/plan.ts';
import { fill } from './support/backlog.ts';
import { defineExperiment, markdownTable, realTime, seconds } from './support/experiment.ts';

const MODES = {
  second: "to the second (precision: 'second')",
  minute: "once a minute (precision: 'minute')",
} as const;
type Mode = keyof typeof MODES;

const FLAGS = realTime(5);

const REGION = 'us-east-1';

export default defineExperiment({
  name: 'lag',
  about: `
Lets the same items expire in a table that is swept to the second, and then in one that is swept once a minute, and shows how late
they are deleted. Each is a run of npm start in which every item is written once and expires, on a DynamoDB Local of its own that has
deleted before. Each takes some minutes longer than items expire.`,
  flags: FLAGS,
  holds: 'every promise of npm start was kept',
  async run(given) {
    const results = [];
    for (const mode of Object.keys(MODES) as Mode[]) {
      if (!given.signal.aborted) results.push({ mode, ...(await measure(mode, given)) });
    }
    return {
      text: lagTable(results),
      data: { modes: results.map(({ mode, result }) => ({ mode, ...result })) },
      problems: results.flatMap(({ violations }) => violations),
      unproven: results.flatMap(({ doubts }) => doubts),
    };
  },
});

async function measure(mode: Mode, { flags, show, signal }: Given<typeof FLAGS>): Promise<Judged> {
  const { minutes, rate, seed } = flags;
  const { tableName, deployment } = ownNames('Lag');
  const table: PreciseTtlProps = {
    ...{ tableName, partitionKey: 'UserName', sortKey: 'SessionId', ttlAttribute: 'ExpirationTime' },
    precision: mode,
    deployment,
  };
  const { precision, pollSeconds, deleteMode } = resolveProps(table);
  const dynamoDb = await startDynamoDbLocal({ longRun: true });
  try {
    await warmUp(dynamoDb.endpoint);
    return await runDemo({
      stack: plainStack({ region: REGION, tables: [table] }),
      ...{ dynamoDb, tableName, deployment, region: REGION, standsFor: mode, model: modelOf(table) },
      sweep: { precision, pollSeconds, deleteMode },
      mix: writtenOnce,
      ...{ minutes, rate, seed, signal },
      output: { write: () => undefined },
      show: ({ tally: { expired, overdue } }) =>
        show(`${mode}: expired ${count(expired)}, overdue ${count(overdue)}`),
      cloud: {
        // On Lambda functions start in parallel; on two cores the first second's items would wait for seconds.
        warm: Math.ceil(rate / CHUNK_KEYS),
        functions: { maxConcurrency: 10 },
      },
    });
  } finally {
    await dynamoDb.stop();
  }
}

const WARM_ROUNDS = 360;

/** Lets Java compile its delete code: the first deletes by PartiQL take two seconds of processor time, and would distort the measurement. */
async function warmUp(endpoint: string): Promise<void> {
  const props = { tableName: 'WarmUp', partitionKey: 'id' };
  const settings = readSettings(carriedSettings(functionSettings(resolveProps(props))));
  const stack = synthesizedCloud(plainStack({ region: REGION, tables: [props] }));
  const client = localDynamoDb(endpoint, REGION);
  const documents = DynamoDBDocumentClient.from(client);
  const ttl = toEpochSeconds(Date.now());
  const keys = Array.from({ length: CHUNK_KEYS }, (_unused, item) => ({
    key: { id: { S: `item-${item}` } },
    ttl,
  }));
  const deleteAll = guardedBatch(documents, settings, ttl, Date.now);
  try {
    await ensureTable(client, tableOf(stack, props.tableName));
    for (let round = 0; round < WARM_ROUNDS; round += 1) {
      await fill(documents, settings, CHUNK_KEYS, () => ttl);
      await deleteAll(keys);
    }
  } finally {
    client.destroy();
  }
}

function lagTable(results: readonly { readonly mode: Mode; readonly result: DemoResult }[]): string {
  const rows = results.map(({ mode, result: { expired, deleted, lagMs } }) => [
    MODES[mode],
    `${count(deleted)} of ${count(expired)}`,
    ...[lagMs.p50, lagMs.p99, lagMs.max].map(seconds),
  ]);
  return markdownTable(['mode', 'deleted', 'p50, s', 'p99, s', 'max, s'], rows);
}
