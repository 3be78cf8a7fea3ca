/**
 * `npm run bench archive-cost`: what archiving takes of the processor, and how small its objects are. See `--help`.
 */
import { createHash } from 'node:crypto';
import { runCommand } from '../cli/run-command.ts';
import { expiryModel } from '../expiry/model.ts';
import { archiveExpiries } from '../functions/archive-expiries/handler.ts';
import type { DynamoDbStreamRecord } from '../functions/stream/event.ts';

const FLAGS = {
  calls: {
    type: 'number',
    min: 1,
    max: 10_000,
    whole: true,
    default: 100,
    value: 'N',
    help: 'calls to take the mean of',
  },
} as const;

const BATCH = 1000;
const ITEM_BYTES = 1000;
const TTL = 1_795_165_200;

/** Hexadecimal digits that nobody can compress to less than half. */
const randomText = (seed: number, length: number): string => {
  let text = '';
  for (let part = 0; text.length < length; part += 1)
    text += createHash('sha256').update(`${seed}/${part}`).digest('hex');
  return text.slice(0, length);
};

/** A session: two random keys, and settings that are much the same in each. @param random share of what is random */
function record(place: number, random: number): DynamoDbStreamRecord {
  const blob = randomText(place, Math.round(ITEM_BYTES * random));
  const rest = '{"theme":"dark","language":"en","page":"/orders","items":3},'.repeat(17);
  const item = {
    id: { S: randomText(-place - 1, 32) },
    data: { S: blob + rest.slice(0, ITEM_BYTES - blob.length - 60) },
    ttl: { N: String(TTL) },
  };
  return {
    eventID: randomText(place, 32),
    eventName: 'REMOVE',
    dynamodb: {
      ApproximateCreationDateTime: TTL + 1,
      Keys: { id: item.id },
      OldImage: item,
      SequenceNumber: `4000000000000000${place}`,
    },
  };
}

async function measure(random: number, calls: number) {
  const event = { Records: Array.from({ length: BATCH }, (_unused, place) => record(place, random)) };
  let bytes = 0;
  let logged = '';
  const log = (...line: unknown[]) => {
    logged = JSON.stringify(line);
  };
  const runtime = {
    settings: {
      tableName: 'SessionData',
      model: expiryModel({ partitionKey: 'id' }),
      logKeys: 'full',
      archiveBucket: 'bucket',
      archivePrefix: '',
      archiveFormat: 'dynamodb-json',
      archiveRemovals: 'expiries',
    },
    put: async ({ body }: { readonly body: Uint8Array }) => {
      bytes = body.length;
    },
    journal: { writeEntries: async () => undefined },
    logger: { info: log, error: log },
    clock: Date.now,
  } as const;
  for (let warm = 0; warm < 10; warm += 1) await archiveExpiries(event, runtime);
  const before = process.cpuUsage();
  for (let call = 0; call < calls; call += 1) await archiveExpiries(event, runtime);
  const { user, system } = process.cpuUsage(before);
  return { processorMs: (user + system) / 1000 / calls, bytes, logged };
}

await runCommand({
  flags: FLAGS,
  help: flags => `npm run bench archive-cost -- [flags]

Archives batches of ${BATCH} items of ${ITEM_BYTES} bytes, and prints what one batch takes of a whole core and how large its object is. The
calculator of ${'`precise-ttl cost --archive`'} assumes what this prints: cost/assumptions.ts.

${flags}`,
  async run({ calls }) {
    for (const random of [0, 0.1, 0.5, 1]) {
      const { processorMs, bytes, logged } = await measure(random, calls);
      console.log(
        `${String(random * 100).padStart(3)}% random: ${processorMs.toFixed(1)} ms of a core, ${bytes} bytes, ` +
          `${((bytes / BATCH / ITEM_BYTES) * 100).toFixed(0)}% of the items' size; logs ${logged.length} characters`,
      );
    }
    return 0;
  },
});
