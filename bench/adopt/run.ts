import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateTableCommand,
  type DynamoDBClient,
  paginateScan,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { seededRandom } from 'stepfunctions-emulator';
import { type LagPercentiles, lagPercentiles } from '../../lab/report/lag.ts';
import { StreamObserver } from '../../lab/watch/observer.ts';
import { localDynamoDb, localDynamoDbStreams } from '../../local/dynamodb/clients.ts';
import { startDynamoDbLocal } from '../../local/dynamodb/dynamodb-local.ts';
import { freePort } from '../../local/ports.ts';
import { type Machine, thisMachine } from '../live/machine.ts';
import { planDeeds } from './deeds.ts';

export interface AdoptOptions {
  readonly items: number;
  readonly minutes: number;
  readonly seed: number;
  readonly print: (text: string) => void;
}

export interface AdoptResult {
  readonly machine: Machine;
  readonly items: number;
  readonly minutes: number;
  /** Items that were in the table before the index was. */
  readonly writtenBefore: number;
  readonly renewed: number;
  readonly deleted: number;
  /** Expired items that are still there, renewed ones that are gone, and those that went before their second. */
  readonly left: number;
  readonly lost: number;
  readonly early: number;
  readonly lagMs: LagPercentiles;
}

const REGION = 'us-east-1';
const TABLE = 'Plain';
const ROOT = join(import.meta.dirname, '../..');
const COMMAND = join(ROOT, 'bin/precise-ttl.js');
/** From the start until the first item expires: the table is adopted, and a tick owns the minute. */
const AHEAD_SECONDS = 150;
/** After the last expiry: what a tick left is found by the two that follow. */
const AFTER_SECONDS = 150;

/** Fills a table by a script that knows nothing of this project, adopts it while that writes, and watches what is deleted. */
export async function runAdopt({ items, minutes, seed, print }: AdoptOptions): Promise<AdoptResult> {
  const machine = thisMachine();
  const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-adopt-'));
  const dynamoDb = await startDynamoDbLocal({ longRun: true });
  const client = localDynamoDb(dynamoDb.endpoint, REGION);
  const streams = localDynamoDbStreams(dynamoDb.endpoint, REGION);
  const environment = { ...process.env, AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.endpoint, AWS_REGION: REGION };
  const stopping = new AbortController();
  const ended: Promise<unknown>[] = [];
  try {
    await client.send(
      new CreateTableCommand({
        TableName: TABLE,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'OLD_IMAGE' },
      }),
    );
    const seenAt = new Map<string, number>();
    const observer = await StreamObserver.start({
      ...{ client, streams, tableName: TABLE },
      onRemoval: ({ id }, at) => {
        if (id?.S !== undefined && !seenAt.has(id.S)) seenAt.set(id.S, at);
      },
      onError: error => print(`the stream can't be read: ${error}`),
    });
    const from = Math.ceil(Date.now() / 1000) + AHEAD_SECONDS;
    const deeds = planDeeds({ items, from, seconds: minutes * 60, random: seededRandom(seed) });
    const write = (name: string, all: readonly unknown[]) => {
      const file = join(folder, name);
      writeFileSync(file, JSON.stringify(all));
      return run([join(ROOT, 'bench/adopt/plain-writer.mjs'), dynamoDb.endpoint, TABLE, file], environment);
    };
    await write('before.json', deeds.before);
    print(`${deeds.before.length} items written before there is an index`);
    const writing = write('after.json', deeds.after);
    ended.push(writing);

    const result = join(folder, 'adopted.json');
    const flags = ['--table', TABLE, '--ttl-attribute', 'expiresAt', '--yes', '--json', result];
    print(await run([COMMAND, 'adopt', ...flags], environment));
    // DynamoDB Local deletes by native TTL within seconds, where AWS takes minutes to days: it would do the sweep's work.
    await client.send(
      new UpdateTimeToLiveCommand({
        TableName: TABLE,
        TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: false },
      }),
    );
    const { configuration } = JSON.parse(readFileSync(result, 'utf8'));
    const config = join(folder, 'precise-ttl.config.json');
    writeFileSync(config, JSON.stringify({ region: REGION, tables: [configuration] }));
    const ports: string[] = [];
    for (const service of ['sfn', 'cloudwatch', 'scheduler']) {
      ports.push(`--${service}-port`, String(await freePort()));
    }
    const sweeping = run([COMMAND, 'local', '--config', config, ...ports], environment, stopping.signal);
    ended.push(sweeping.catch(() => undefined));

    await Promise.race([writing, sweeping]);
    const end = (from + minutes * 60 + AFTER_SECONDS) * 1000;
    while (Date.now() < end) {
      await Promise.race([sleep(Math.min(30_000, Math.max(0, end - Date.now()))), sweeping]);
      const due = [...deeds.expiresAt.values()].filter(ttl => ttl * 1000 <= Date.now()).length;
      print(`expired ${due}  deleted ${seenAt.size}`);
    }
    await observer.caughtUp();
    await observer.stop();
    const present = await idsIn(client);
    const lags = [...seenAt].map(([id, at]) => at - (deeds.expiresAt.get(id) ?? 0) * 1000);
    return {
      ...{ machine, items, minutes },
      writtenBefore: deeds.before.length,
      renewed: deeds.renewed.size,
      deleted: seenAt.size,
      left: [...present].filter(id => !deeds.renewed.has(id)).length,
      lost: [...deeds.renewed].filter(id => !present.has(id)).length,
      early: lags.filter(lag => lag < 0).length,
      lagMs: lagPercentiles(lags),
    };
  } finally {
    stopping.abort();
    await Promise.allSettled(ended);
    client.destroy();
    streams.destroy();
    await dynamoDb.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function idsIn(client: DynamoDBClient): Promise<Set<string>> {
  const ids = new Set<string>();
  const pages = paginateScan(
    { client },
    { TableName: TABLE, ProjectionExpression: 'id', ConsistentRead: true },
  );
  for await (const { Items = [] } of pages)
    for (const { id } of Items) if (id?.S !== undefined) ids.add(id.S);
  return ids;
}

/** Runs a program of this Node to its end, or until it is stopped, and gives what it printed. @throws when it fails */
async function run(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  signal?: AbortSignal,
): Promise<string> {
  const child = spawn(process.execPath, [...args], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const stop = () => child.kill('SIGINT');
  signal?.addEventListener('abort', stop, { once: true });
  process.once('exit', stop);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const [status] = (await once(child, 'close')) as [number | null];
  process.off('exit', stop);
  if (signal?.aborted || status === 0) return printed.trim();
  throw new Error(`${args.join(' ')} ended with ${status}; it printed:\n${printed}`);
}
