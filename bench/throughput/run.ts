import { DELETE_MODES, type DeleteMode } from '../../functions/runtime/environment.ts';
import { localDynamoDb } from '../../local/dynamodb/clients.ts';
import { startDynamoDbLocal } from '../../local/dynamodb/dynamodb-local.ts';
import { synthesizedCloud } from '../../local/stack/synthesized.ts';
import { tableOf } from '../../local/stack/table-of.ts';
import { plainStack } from '../../stacks/plain-stack.ts';
import { type ExpiredTable, makeExpiredTable } from '../live/expired-table.ts';
import { deleteInLoop } from '../live/loop.ts';
import { type Machine, thisMachine } from '../live/machine.ts';
import { warmUp } from '../live/warm-up.ts';
import { type DeleteAt, sweepOf } from './sweep.ts';

export interface ThroughputOptions {
  readonly items: number;
  readonly rounds: number;
  /** Told of each round that has ended. */
  readonly onRound: (mode: DeleteMode, round: Round) => void;
}

/** The two of a round, one right after the other. */
export interface Round {
  readonly sweep: Run;
  readonly loop: Run;
}

export interface Run {
  readonly itemsPerSecond: number;
  /** Processor time of this process, without DynamoDB Local's. */
  readonly processorMs: number;
}

export interface ThroughputResult {
  readonly settings: Pick<ThroughputOptions, 'items' | 'rounds'>;
  readonly machine: Machine;
  readonly modes: readonly { readonly mode: DeleteMode; readonly rounds: readonly Round[] }[];
}

const KEYS = { partitionKey: 'UserName', sortKey: 'SessionId', ttlAttribute: 'ExpirationTime', shards: 1 };

/** The sweep's own code, and the emulator's, is compiled as the loop's is. */
const WARM_SWEEPS = 10;
const WARM_ITEMS = 1_000;

/** Lets a sweep and a plain loop delete the same number of items, by turns, on one DynamoDB Local. */
export async function measureThroughput({
  items,
  rounds,
  onRound,
}: ThroughputOptions): Promise<ThroughputResult> {
  const machine = thisMachine();
  const propsOf = (mode: DeleteMode) => ({ tableName: `Expired-${mode}`, ...KEYS, deleteMode: mode });
  const synthesized = synthesizedCloud(
    plainStack({ region: 'us-east-1', tables: DELETE_MODES.map(propsOf) }),
  );
  const dynamoDb = await startDynamoDbLocal({ longRun: true });
  const client = localDynamoDb(dynamoDb.endpoint, 'us-east-1');
  try {
    const modes: { mode: DeleteMode; rounds: Round[] }[] = [];
    for (const mode of DELETE_MODES) {
      const props = propsOf(mode);
      const table = await makeExpiredTable(client, props, tableOf(synthesized, props.tableName));
      const bySweep = sweepOf(client, table.carried);
      const byLoop = (ttl: number) => deleteInLoop(client, table.settings, ttl);
      await warmUp(client, table);
      for (let round = 0; round < WARM_SWEEPS; round += 1) await bySweep(await table.fill(WARM_ITEMS));
      const measured: Round[] = [];
      for (let round = 0; round < rounds; round += 1) {
        measured.push(await runRound(round));
      }
      modes.push({ mode, rounds: measured });

      async function runRound(number: number): Promise<Round> {
        const sweepFirst = number % 2 === 0;
        const first = await measure(table, items, sweepFirst ? bySweep : byLoop);
        const second = await measure(table, items, sweepFirst ? byLoop : bySweep);
        const round = sweepFirst ? { sweep: first, loop: second } : { sweep: second, loop: first };
        onRound(mode, round);
        return round;
      }
    }
    return { settings: { items, rounds }, machine, modes };
  } finally {
    client.destroy();
    await dynamoDb.stop();
  }
}

/** @throws Error when not every item was deleted */
async function measure(table: ExpiredTable, items: number, deleteAll: DeleteAt): Promise<Run> {
  const ttl = await table.fill(items);
  const before = process.cpuUsage();
  const startedAt = performance.now();
  const deleted = await deleteAll(ttl);
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(before);
  if (deleted !== items) throw new Error(`expected ${items} items to be deleted, got ${deleted}`);
  return { itemsPerSecond: items / seconds, processorMs: (user + system) / 1000 };
}
