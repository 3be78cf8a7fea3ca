import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { answeredAt, keepDates } from '../../functions/table/dynamodb.ts';
import type { Time } from './time.ts';

/** How far a clock is ahead of this machine's: between these, milliseconds. */
export interface Offset {
  readonly least: number;
  readonly most: number;
}

/** The range after all samples: each is right, so that the truth lies in their intersection. */
export function narrowed(samples: readonly Offset[]): Offset {
  return {
    least: Math.max(...samples.map(({ least }) => least)),
    most: Math.min(...samples.map(({ most }) => most)),
  };
}

/** How far the one clock is ahead of the other, milliseconds, and how sure that is. */
export function skewOf(one: Offset, other: Offset): { readonly ms: number; readonly uncertaintyMs: number } {
  const [least, most] = [one.least - other.most, one.most - other.least];
  return { ms: Math.round((least + most) / 2), uncertaintyMs: Math.round(Math.abs(most - least) / 2) };
}

/** Samples of a clock that shows whole seconds: more of them than fit into a second show where its seconds begin. */
const SAMPLES = 24;
const BETWEEN_MS = 170;

/** DynamoDB's clock, by the `Date` of its answers: what sweeps go by. */
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
