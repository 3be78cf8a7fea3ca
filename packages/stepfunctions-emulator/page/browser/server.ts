import type {
  EventData,
  ExecutionDescription,
  ExecutionList,
  HistoryPage,
  PageExecution,
  PageMachine,
} from '../../src/page/data.ts';

/** The server refused a request. The message says why. */
export class RefusedError extends Error {}

export const server = {
  machines: () => ask<readonly PageMachine[]>('machines', {}),
  /** JSON text of the state machine's current definition. */
  definition: async (machine: string) =>
    (await ask<{ readonly definition: string }>('definition', { machine })).definition,
  executions: (machine: string, version = -1) =>
    ask<ExecutionList>('executions', { machine, version: String(version) }),
  execution: (arn: string) => ask<ExecutionDescription>('execution', { arn }),
  history: (arn: string, after: number) => ask<HistoryPage>('history', { arn, after: String(after) }),
  data: (arn: string, ids: readonly number[]) => ask<readonly EventData[]>('data', { arn, ids: ids.join() }),
  children: (mapRun: string) => ask<readonly PageExecution[]>('children', { mapRun }),
};

async function ask<T>(what: string, query: Readonly<Record<string, string>>): Promise<T> {
  const response = await fetch(`/page/data/${what}?${new URLSearchParams(query)}`);
  const answer = (await response.json()) as T & { readonly message?: string };
  if (!response.ok) throw new RefusedError(answer.message ?? response.statusText);
  return answer;
}
