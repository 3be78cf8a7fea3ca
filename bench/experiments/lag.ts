/** `npm run bench lag`: measures how late items are deleted, to the second and once a minute. */
import type { Given } from '../../cli/command.ts';
import { count } from '../../cli/dashboard/words.ts';
import { startDynamoDbLocal } from '../../local/dynamodb/dynamodb-local.ts';
import { CHUNK_KEYS } from '../../statemachine/contract/limits.ts';
import type { DemoResult, Judged } from '../demo/judge.ts';
import { runMainJob } from '../demo/main-job.ts';
import { defineExperiment, markdownTable, seconds, seed, wholeNumber } from './support/experiment.ts';

const MODES = {
  second: "to the second (precision: 'second')",
  minute: "once a minute (precision: 'minute')",
} as const;
type Mode = keyof typeof MODES;

const FLAGS = {
  minutes: { ...wholeNumber(1, 1_440, 'how long items keep expiring'), default: 5 },
  rate: { ...wholeNumber(1, 1_000, 'items per second'), default: 20 },
  seed: { ...seed('makes the same items again'), default: 1 },
} as const;

export default defineExperiment({
  name: 'lag',
  about: `
Lets the same items expire in a table that is swept to the second, and then in one that is swept once a minute, and shows how late
they are deleted. Each is a run of npm start on a DynamoDB Local of its own, which takes some minutes longer than items expire.`,
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
  const table = { tableName: 'Lag', partitionKey: 'UserName', sortKey: 'SessionId', precision: mode };
  const dynamoDb = await startDynamoDbLocal({ longRun: true });
  try {
    return await runMainJob({
      config: { region: 'us-east-1', tables: [table] },
      ...{ ...flags, dynamoDb, signal },
      output: { write: () => undefined },
      show: ({ tally: { expired, overdue } }) =>
        show(`${mode}: expired ${count(expired)}, overdue ${count(overdue)}`),
      cloud: {
        // AWS Lambda starts functions in parallel. On two cores, that would delay the first deletions by seconds: so functions start early.
        warm: Math.ceil(flags.rate / CHUNK_KEYS),
        functions: { maxConcurrency: 10 },
      },
    });
  } finally {
    await dynamoDb.stop();
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
