import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Engine, realClock, systemRandom } from 'stepfunctions-emulator';
import { deleteChunk } from '../../functions/delete-chunk/handler.ts';
import { queryExpired } from '../../functions/query-expired/handler.ts';
import { waitUntil } from '../../functions/retry/backoff.ts';
import { readSettings } from '../../functions/runtime/environment.ts';
import { createDocuments } from '../../functions/table/dynamodb.ts';
import { indexReader } from '../../functions/table/index-query.ts';
import { indexScanner } from '../../functions/table/index-scan.ts';
import { MemoryJournal } from '../../lab/fuzz/memory-journal.ts';
import type { CarriedSettings, SweepReport } from '../../statemachine/contract.ts';
import { simulatedMachines } from '../../test/support/simulation/definition.ts';
import { type SweepFunctions, simulatedFunctions } from '../../test/support/simulation/functions.ts';

const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Deletes what expires at one time, and says how many items that was. */
export type DeleteAt = (ttl: number) => Promise<number>;

/**
 * Sweeps by an execution of the replay machine: the real definition on the emulator, with the functions in this process, by the client
 * that they have on AWS. Only the journal is in memory.
 *
 * @returns rejects when the execution fails
 */
export function sweepOf(client: DynamoDBClient, carried: CarriedSettings): DeleteAt {
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
    // What a call deleted whose answer did not come in time is not there for the next one.
    return deleted + notFound;
  };
}
