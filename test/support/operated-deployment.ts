import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateStateMachineCommand, type SFNClient } from '@aws-sdk/client-sfn';
import { replayName } from '../../config/names.ts';
import type { JournalTable } from '../../functions/journal/update-entry.ts';
import type { Clients } from '../../operate/aws/clients.ts';
import { createJournal } from './journal-table.ts';

export interface OperatedDeployment {
  readonly name: string;
  readonly journal: JournalTable;
  readonly clients: Omit<Clients, 'cloudWatch'>;
}

let deployments = 0;

/**
 * A deployment for commands: a real journal, and state machines that do nothing.
 */
export async function operatedDeployment(
  dynamoDb: DynamoDBClient,
  sfn: SFNClient,
  roleArn: string,
): Promise<OperatedDeployment> {
  deployments += 1;
  const name = `operated-${deployments}`;
  const journal = await createJournal(dynamoDb, name);
  for (const machine of [name, replayName(name)]) {
    const States = { First: { Type: 'Pass', End: true } };
    const definition = JSON.stringify({ QueryLanguage: 'JSONata', StartAt: 'First', States });
    await sfn.send(new CreateStateMachineCommand({ name: machine, definition, roleArn }));
  }
  const clients = {
    dynamoDb,
    sfn,
    where: () => 'here',
    isLocal: () => true,
    isBeside: () => true,
    destroy() {},
  };
  return { name, journal, clients };
}
