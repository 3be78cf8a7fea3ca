/** The capacity units that one answer of DynamoDB to a function consumed. */
export interface DynamoDbUsage {
  readonly readUnits: number;
  readonly writeUnits: number;
}

export const NO_USAGE: DynamoDbUsage = { readUnits: 0, writeUnits: 0 };

/** The names of DynamoDB's counters in an execution's `billing.usage`. */
export const DYNAMODB_COUNTERS = ['dynamoDbCalls', 'dynamoDbReadUnits', 'dynamoDbWriteUnits'] as const;
export type DynamoDbCounter = (typeof DYNAMODB_COUNTERS)[number];

/** Adds an amount to a counter; `onUsage` of an invocation. */
export type OnUsage = (counter: string, amount: number) => void;

/** Reports one answer of DynamoDB. */
export function reportDynamoDb(onUsage: OnUsage, { readUnits, writeUnits }: DynamoDbUsage): void {
  const amounts: Record<DynamoDbCounter, number> = {
    dynamoDbCalls: 1,
    dynamoDbReadUnits: readUnits,
    dynamoDbWriteUnits: writeUnits,
  };
  for (const counter of DYNAMODB_COUNTERS) onUsage(counter, amounts[counter]);
}
