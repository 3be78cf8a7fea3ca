import type {
  EventData,
  ExecutionDescription,
  ExecutionList,
  HistoryPage,
  PageExecution,
  PageMachine,
  Report,
  ReportedExecution,
} from '../../src/page/data.ts';

export interface Source {
  readonly live: boolean;
  machines(): Promise<readonly PageMachine[]>;
  /** JSON text of the current state machine. */
  definition(machineArn: string): Promise<string>;
  executions(machineArn: string, version: number | undefined): Promise<ExecutionList>;
  execution(arn: string): Promise<ExecutionDescription>;
  history(arn: string, after: number): Promise<HistoryPage>;
  data(arn: string, ids: readonly number[]): Promise<readonly EventData[]>;
  children(mapRunArn: string): Promise<readonly PageExecution[]>;
}

/** The server refused a request, for the reason in the message. */
export class RefusedError extends Error {}

export const SERVER: Source = {
  live: true,
  machines: () => ask('machines', {}),
  definition: async machine => (await ask<{ definition: string }>('definition', { machine })).definition,
  executions: (machine, version = -1) => ask('executions', { machine, version: String(version) }),
  execution: arn => ask('execution', { arn }),
  history: (arn, after) => ask('history', { arn, after: String(after) }),
  data: (arn, ids) => ask('data', { arn, ids: ids.join() }),
  children: mapRun => ask('children', { mapRun }),
};

async function ask<T>(what: string, query: Readonly<Record<string, string>>): Promise<T> {
  const response = await fetch(`/page/data/${what}?${new URLSearchParams(query)}`);
  const answer = (await response.json()) as T & { readonly message?: string };
  if (!response.ok) throw new RefusedError(answer.message ?? response.statusText);
  return answer;
}

export function reportSource({ executions, definition }: Report): Source {
  const byArn = new Map(executions.map(each => [each.description.arn, each]));
  const find = (arn: string): ReportedExecution => {
    const found = byArn.get(arn);
    if (found === undefined) throw new RefusedError(`The report does not hold ${arn}`);
    return found;
  };
  const [first] = executions;
  return {
    live: false,
    async machines() {
      if (first === undefined) return [];
      const { machine: name, machineArn: arn, type } = first.description;
      return [{ arn, name, type, running: 0 }];
    },
    definition: async () => definition,
    executions: async () => ({ version: 1, executions: first === undefined ? [] : [first.description] }),
    execution: async arn => ({ ...find(arn).description, definition }),
    async history(arn, after) {
      const { events, description } = find(arn);
      const now = description.stopDate ?? description.startDate;
      return { events: events.slice(after), more: false, now, execution: description };
    },
    async data(arn, ids) {
      const wanted = new Set(ids);
      return find(arn).data.filter(({ id }) => wanted.has(id));
    },
    children: async mapRunArn =>
      (executions.find(({ mapRuns }) => mapRunArn in mapRuns)?.mapRuns[mapRunArn] ?? []).map(
        arn => find(arn).description,
      ),
  };
}
