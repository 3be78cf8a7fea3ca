import { UpdateCommand, type UpdateCommandInput, type UpdateCommandOutput } from '@aws-sdk/lib-dynamodb';
import { JournalUnwritableError } from '../runtime/errors.ts';
import type { Documents } from '../table/dynamodb.ts';
import { DEPLOYMENT_ID } from './layout.ts';

/** The table of a journal and its client. */
export interface JournalTable {
  readonly documents: Documents;
  readonly tableName: string;
}

/**
 * Changes an entry of the deployment.
 *
 * @returns undefined when the condition of the update does not hold
 * @throws JournalUnwritableError
 */
export async function updateEntry(
  { documents, tableName }: JournalTable,
  at: string,
  update: Omit<UpdateCommandInput, 'TableName' | 'Key'>,
): Promise<UpdateCommandOutput | undefined> {
  const command = new UpdateCommand({ TableName: tableName, Key: { id: DEPLOYMENT_ID, at }, ...update });
  try {
    return await documents.send(command);
  } catch (error) {
    if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return undefined;
    throw unwritable(tableName, error);
  }
}

export function unwritable(tableName: string, error: unknown): JournalUnwritableError {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return new JournalUnwritableError(
    `Journal ${tableName}: expected to write it, got ${name}: ${message}. See to the table, and to what the role of the caller may do with it.`,
    { cause: error },
  );
}
