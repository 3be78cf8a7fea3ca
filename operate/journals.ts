import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type PreciseTtlProps, type ResolvedProps, resolveProps } from '../config/props.ts';
import { type DeploymentState, journalName } from '../functions/journal/layout.ts';
import { readState } from '../functions/journal/read-state.ts';
import type { JournalTable } from '../functions/journal/update-entry.ts';
import { JournalUnreadableError, JournalUnwritableError } from '../functions/runtime/errors.ts';
import { permitted } from './aws/errors.ts';
import { JournalNotFoundError } from './errors.ts';

/** The journal of a deployment, for a command. */
export interface DeploymentJournal extends JournalTable {
  readonly region: string;
}

/** A table with the journal of its deployment. */
export interface JournaledTable {
  readonly props: ResolvedProps;
  readonly journal: DeploymentJournal;
  /** State of the deployment, as it was read. */
  readonly state: DeploymentState;
}

/** The journal of a deployment. @param deployment its name */
export function journalAt(dynamoDb: DynamoDBClient, deployment: string, region: string): DeploymentJournal {
  const documents = DynamoDBDocumentClient.from(dynamoDb, { unmarshallOptions: { wrapNumbers: true } });
  return { documents, tableName: journalName(deployment), region };
}

/**
 * Reads the journals of these tables' deployments, each once.
 *
 * @throws {JournalNotFoundError}, {MissingPermissionError}, {JournalUnreadableError} for a record in an unknown format, or the
 * SDK's error
 */
export async function readJournals(
  dynamoDb: DynamoDBClient,
  region: string,
  tables: readonly PreciseTtlProps[],
): Promise<JournaledTable[]> {
  const read = new Map<string, Promise<Omit<JournaledTable, 'props'>>>();
  const readOf = (deployment: string) => {
    const journal = journalAt(dynamoDb, deployment, region);
    const reading =
      read.get(deployment) ??
      inJournal('dynamodb:Query', journal, () => readState(journal)).then(state => ({ journal, state }));
    read.set(deployment, reading);
    return reading;
  };
  return Promise.all(
    tables.map(async table => {
      const props = resolveProps(table);
      return { props, ...(await readOf(props.sweep)) };
    }),
  );
}

/**
 * Calls a journal. Takes the SDK's error out of the error of the functions' code that wraps it, so that the user learns what to mend.
 *
 * @param action name in IAM
 */
export async function inJournal<Result>(
  action: 'dynamodb:Query' | 'dynamodb:UpdateItem',
  journal: DeploymentJournal,
  call: () => Promise<Result>,
): Promise<Result> {
  const { tableName, region } = journal;
  return permitted(action, journalArn(journal), async () => {
    try {
      return await call();
    } catch (error) {
      const cause = causeOf(error);
      if (!(cause instanceof Error) || cause.name !== 'ResourceNotFoundException') throw cause;
      throw new JournalNotFoundError(
        `journal: expected the table ${tableName} in ${region}, got none of that name; deploy first, or look whether ` +
          'account, region and AWS_ENDPOINT_URL_DYNAMODB are the right ones',
      );
    }
  });
}

export function journalArn({ tableName, region }: DeploymentJournal): string {
  return `arn:aws:dynamodb:${region}:*:table/${tableName}`;
}

function causeOf(error: unknown): unknown {
  const isOurs = error instanceof JournalUnreadableError || error instanceof JournalUnwritableError;
  return isOurs ? (error.cause ?? error) : error;
}
