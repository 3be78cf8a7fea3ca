/** `npm run bench throughput`: compares the speed of a sweep with a plain loop. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { localDynamoDb } from 'aws-on-loopback/dynamodb/clients';
import { startDynamoDbLocal } from 'aws-on-loopback/dynamodb/dynamodb-local';
import { Engine, realClock, systemRandom } from 'stepfunctions-emulator';
import { deleteChunk } from '../../functions/delete-chunk/handler.ts';
import { queryExpired } from '../../functions/query-expired/handler.ts';
import { waitUntil } from '../../functions/retry/backoff.ts';
import { DELETE_MODES, type DeleteMode, readSettings } from '../../functions/runtime/environment.ts';
import { createDocuments } from '../../functions/table/dynamodb.ts';
import { indexReader } from '../../functions/table/index-query.ts';
import { indexScanner } from '../../functions/table/index-scan.ts';
import { synthesizedCloud } from '../../local/stack/synthesized.ts';
import { tableOf } from '../../local/stack/table-of.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import type { CarriedSettings } from '../../statemachine/contract/inputs.ts';
import type { SweepReport } from '../../statemachine/contract/report.ts';
import { simulatedMachines } from '../../test/support/simulation/definition.ts';
import { type SweepFunctions, simulatedFunctions } from '../../test/support/simulation/functions.ts';
import { MemoryJournal } from '../fuzz/memory-journal.ts';
import { defineExperiment } from './support/experiment.ts';
import { deleteInLoop, type ExpiredTable, makeExpiredTable, warmUp } from './support/expired-table.ts';
import { whole } from './support/flags.ts';
import { markdownTable, median } from './support/table.ts';

interface Measured {
  readonly itemsPerSecond: number;
  /** Processor time of this process, without DynamoDB Local's. */
  readonly processorMs: number;
}

/** A measurement of both, one after another. */
interface Round {
  readonly sweep: Measured;
  readonly loop: Measured;
}

interface ModeRounds {
  readonly mode: DeleteMode;
  readonly rounds: Round[];
}

const KEYS = {
  partitionKey: 'UserName',
  sortKey: 'SessionId',
  ttlAttribute: 'ExpirationTime',
  index: { shards: 1 },
};

/** The code of the sweep and the emulator is JIT-compiled first, like that of the loop. */
const WARM_SWEEPS = 10;
const WARM_ITEMS = 1_000;

export default defineExperiment({
  name: 'throughput',
  about: `
Lets one sweep delete items that have expired, and by turns with it a plain loop that reads the index and makes as many calls at
once, both in this process, on one warm DynamoDB Local. Shows how fast each was, and the ratio of the two, in the modes guarded
and batch. What else the machine does disturbs the numbers; the ratios of a round less, since its two runs follow each other. The processor
time is that of this process, without DynamoDB Local's: the emulator's and the functions' beside the loop's.`,
  flags: {
    items: whole({ min: 25, max: 100_000 }, 10_000, 'deleted by each, each time'),
    rounds: whole({ min: 1, max: 100 }, 5, 'rounds of each mode'),
  },
  holds: 'measured, and everything was deleted',
  async run({ flags: { items, rounds }, print }) {
    const propsOf = (mode: DeleteMode) => ({ tableName: `Expired-${mode}`, ...KEYS, deleteMode: mode });
    const stack = plainStack({ region: 'us-east-1', tables: DELETE_MODES.map(propsOf) });
    const dynamoDb = await startDynamoDbLocal({ longRun: true });
    const client = localDynamoDb(dynamoDb.endpoint, 'us-east-1');
    try {
      const modes: ModeRounds[] = [];
      for (const mode of DELETE_MODES) {
        const props = propsOf(mode);
        const table = await makeExpiredTable(
          client,
          props,
          tableOf(synthesizedCloud(stack), props.tableName),
        );
        const bySweep = sweepOf(client, table.carried);
        const byLoop = (ttl: number) => deleteInLoop(client, table.settings, ttl);
        await warmUp(client, table);
        for (let round = 0; round < WARM_SWEEPS; round += 1) await bySweep(await table.fill(WARM_ITEMS));
        const measured: ModeRounds = { mode, rounds: [] };
        for (let number = 0; number < rounds; number += 1) {
          const sweepFirst = number % 2 === 0;
          const first = await measure(table, items, sweepFirst ? bySweep : byLoop);
          const second = await measure(table, items, sweepFirst ? byLoop : bySweep);
          const round = sweepFirst ? { sweep: first, loop: second } : { sweep: second, loop: first };
          measured.rounds.push(round);
          print(cellsOf({ mode, rounds: [round] }).join('  '));
        }
        modes.push(measured);
      }
      return { text: markdownTable(HEAD, modes.map(cellsOf)), result: { modes } };
    } finally {
      client.destroy();
      await dynamoDb.stop();
    }
  },
});

/** @throws Error when not every item was deleted */
async function measure(table: ExpiredTable, items: number, deleteAll: DeleteAt): Promise<Measured> {
  const ttl = await table.fill(items);
  const before = process.cpuUsage();
  const startedAt = performance.now();
  const deleted = await deleteAll(ttl);
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(before);
  if (deleted !== items) throw new Error(`expected ${items} items to be deleted, got ${deleted}`);
  return { itemsPerSecond: items / seconds, processorMs: (user + system) / 1000 };
}

const HEAD = ['median', 'sweep/s', 'loop/s', 'sweep, processor ms', 'loop, processor ms', 'sweep ÷ loop'];

function cellsOf({ mode, rounds }: ModeRounds): string[] {
  const of = (value: (round: Round) => number) => median(rounds.map(value));
  const whole = [
    of(({ sweep }) => sweep.itemsPerSecond),
    of(({ loop }) => loop.itemsPerSecond),
    of(({ sweep }) => sweep.processorMs),
    of(({ loop }) => loop.processorMs),
  ].map(value => `${Math.round(value)}`);
  return [mode, ...whole, of(({ sweep, loop }) => sweep.itemsPerSecond / loop.itemsPerSecond).toFixed(2)];
}

const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Deletes the items of one TTL, and returns their number. */
type DeleteAt = (ttl: number) => Promise<number>;

/**
 * Sweeps by an execution of the replay machine: the real definition on the emulator, with the functions and their usual client in this
 * process. Only the journal is in memory.
 * @returns rejects when the execution fails
 */
function sweepOf(client: DynamoDBClient, carried: CarriedSettings): DeleteAt {
  const { endpoint, region, credentials } = client.config;
  const connection = { region, credentials, ...(endpoint && { endpoint }) };
  const documents = createDocuments({ maxAttempts: 1 }, connection);
  const runtimeOf = (settings: unknown) => ({
    settings: readSettings(settings),
    documents,
    logger: QUIET,
    clock: Date.now,
    random: Math.random,
    sleep: (ms: number) => realClock.sleep(ms),
  });
  const functions: SweepFunctions = {
    ...simulatedFunctions({
      clock: realClock,
      random: systemRandom,
      journal: new MemoryJournal(Date.now),
      dynamoDbOf: settings => ({
        readIndex: indexReader(documents, settings),
        scanIndex: indexScanner(documents, settings),
        readHeld: async () => new Set(),
        deleteBatch: () => Promise.reject(new TypeError('DeleteChunk has its own')),
      }),
    }),
    'query-expired': input => queryExpired(input, runtimeOf(input.settings)),
    'delete-chunk': input => deleteChunk(input, runtimeOf(input.settings)),
  };
  const engine = new Engine({
    invoker: {
      invoke: async (arn, payload) => {
        const name = arn.split(':').at(-1) as keyof SweepFunctions;
        return { ok: true, payload: await functions[name](payload as never) };
      },
    },
  });
  const machine = {
    arn: 'arn:aws:states:us-east-1:123456789012:stateMachine:throughput',
    name: 'throughput',
    roleArn: 'arn:aws:iam::123456789012:role/sweep',
    type: 'STANDARD',
    definition: simulatedMachines([carried]).replay,
  } as const;
  return async ttl => {
    const input = { from: waitUntil(ttl), to: waitUntil(ttl + 1) };
    const execution = engine.start(machine, { input });
    await execution.done;
    const { status, error, cause, output } = execution;
    if (status !== 'SUCCEEDED') throw new Error(`the sweep ended ${error}: ${cause}`);
    const { deleted, notFound } = output as unknown as SweepReport;
    // Items whose deletion was answered too late are not found by the next call.
    return deleted + notFound;
  };
}
