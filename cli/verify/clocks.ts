import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { answeredAt, keepDates } from '../../functions/table/dynamodb.ts';

/** The clock of the machine, or of a test. */
export interface Time {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Rejects when the command is interrupted. */
  readonly sleep: (ms: number) => Promise<unknown>;
}

/** Bounds for how far a clock is ahead of this machine's clock, milliseconds. */
export interface Offset {
  readonly least: number;
  readonly most: number;
}

/** Combines samples: each range contains the true offset, and so does their intersection. */
export function narrowed(samples: readonly Offset[]): Offset {
  return {
    least: Math.max(...samples.map(({ least }) => least)),
    most: Math.min(...samples.map(({ most }) => most)),
  };
}

/** How far one clock is ahead of the other, with the uncertainty, milliseconds. */
export function skewOf(one: Offset, other: Offset): { readonly ms: number; readonly uncertaintyMs: number } {
  const [least, most] = [one.least - other.most, one.most - other.least];
  return { ms: Math.round((least + most) / 2), uncertaintyMs: Math.round(Math.abs(most - least) / 2) };
}

/** Samples of a clock that shows whole seconds: with several samples in each second they show where its seconds begin. */
const SAMPLES = 24;
const BETWEEN_MS = 170;

/** The offset of DynamoDB's clock, which sweeps use, from the `Date` header of its answers. */
export async function dynamoDbOffset(
  client: DynamoDBClient,
  TableName: string,
  { now, sleep }: Time,
): Promise<Offset> {
  keepDates(client);
  const samples: Offset[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const asked = now();
    const seconds = answeredAt(
      await client.send(new GetItemCommand({ TableName, Key: { id: { S: 'clock' } } })),
    );
    const answered = now();
    if (seconds !== undefined)
      samples.push({ least: seconds * 1000 - answered, most: (seconds + 1) * 1000 - asked });
    await sleep(BETWEEN_MS);
  }
  return narrowed(samples);
}
