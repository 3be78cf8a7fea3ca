import { type DynamoDBClient, QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import type { FunctionInvoker } from 'stepfunctions-emulator';
import { reportDynamoDb } from '../../cost/dynamodb-usage.ts';

/** Capacity units of a query that counts at most one item: half a unit, because it is eventually consistent. */
const COUNTED = { readUnits: 0.5, writeUnits: 0 };

/** Whether a Task's Resource is a DynamoDB query by Step Functions itself. */
export function isDynamoDbQuery(resource: string): boolean {
  return resource.endsWith(':states:::aws-sdk:dynamodb:query');
}

/** The Resource `aws-sdk:dynamodb:query`: sends the query to the DynamoDB of this client only. */
export function dynamoDbQueries(client: Pick<DynamoDBClient, 'send'>): FunctionInvoker {
  return {
    async invoke(_resource, args, { signal, onUsage }) {
      try {
        const { $metadata: _metadata, ...answer } = await client.send(
          new QueryCommand(args as QueryCommandInput),
          { abortSignal: signal },
        );
        if (onUsage) reportDynamoDb(onUsage, COUNTED);
        return { ok: true, payload: answer };
      } catch (error) {
        const { name, message } = error as Error;
        // Error name in the format of Step Functions' SDK integrations.
        return { ok: false, errorType: `DynamoDb.${name}`, errorMessage: message };
      }
    },
  };
}
