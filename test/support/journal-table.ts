import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { JOURNAL_KEYS, journalName } from '../../functions/journal/layout.ts';
import type { JournalTable } from '../../functions/journal/read-state.ts';
import { tableInput } from './table-input.ts';

let journals = 0;

/** An empty journal on DynamoDB Local, by a client like that of the functions. */
export async function createJournal(client: DynamoDBClient, deployment?: string): Promise<JournalTable> {
  journals += 1;
  const tableName = journalName(deployment ?? `deployment-${journals}`);
  const keys = Object.values(JOURNAL_KEYS);
  await client.send(new CreateTableCommand(tableInput({ name: tableName, keys, index: null })));
  const documents = DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: true } });
  return { documents, tableName };
}
