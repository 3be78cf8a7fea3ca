import { ListExecutionsCommand, type SFNClient } from '@aws-sdk/client-sfn';
import type { OpenExecution } from '../changes.ts';
import { permitted } from '../table/permitted.ts';

/**
 * Running executions, newest first.
 *
 * @param most size of a page, 1,000 at most
 * @throws {MissingPermissionError}, or the SDK's error
 */
export async function openExecutions(
  sfn: SFNClient,
  stateMachineArn: string,
  most = 1000,
): Promise<OpenExecution[]> {
  const { executions = [] } = await permitted('states:ListExecutions', stateMachineArn, () =>
    sfn.send(new ListExecutionsCommand({ stateMachineArn, statusFilter: 'RUNNING', maxResults: most })),
  );
  return executions.map(({ name = '', startDate }) => ({ name, startedAt: startDate ?? new Date(0) }));
}
