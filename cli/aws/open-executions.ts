import { ListExecutionsCommand, type SFNClient } from '@aws-sdk/client-sfn';
import { permitted } from '../table/permitted.ts';

export interface OpenExecution {
  readonly name: string;
  readonly startedAt: Date;
}

/** Executions that have not ended, the newest first; 1,000 at the most. */
export async function openExecutions(sfn: SFNClient, stateMachineArn: string): Promise<OpenExecution[]> {
  const { executions = [] } = await permitted('states:ListExecutions', stateMachineArn, () =>
    sfn.send(new ListExecutionsCommand({ stateMachineArn, statusFilter: 'RUNNING', maxResults: 1000 })),
  );
  return executions.map(({ name = '', startDate }) => ({ name, startedAt: startDate ?? new Date(0) }));
}
