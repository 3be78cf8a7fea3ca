import type { ApiContext } from '../api/context.ts';
import { childrenOf, type ExecutionSummary } from '../api/executions.ts';
import { Execution } from '../interpreter/index.ts';
import type {
  EventData,
  ExecutionDescription,
  ExecutionList,
  HistoryPage,
  PageExecution,
  PageMachine,
} from './data.ts';
import { eventData, pageEvent } from './events.ts';

/** Largest number of events in one answer. */
const EVENTS_AT_ONCE = 5_000;
/** Largest number of events whose data one request can ask for. */
const DATA_AT_ONCE = 100;

/** Answers to the page's requests, by the last part of the path. All are read-only. */
export const ANSWERS: Readonly<Record<string, (context: ApiContext, query: URLSearchParams) => object>> = {
  machines: ({ stateMachines, executions }): readonly PageMachine[] =>
    stateMachines.all.map(({ arn, name, type }) => {
      const running = executions.of(arn).filter(({ execution }) => execution.status === 'RUNNING').length;
      return { arn, name, type, running };
    }),

  definition: ({ stateMachines }, query): { readonly definition: string } => ({
    definition: stateMachines.get(query.get('machine') ?? '').definitionText,
  }),

  executions({ executions }, query): ExecutionList {
    const { version } = executions;
    if (query.get('version') === String(version)) return { version };
    const machine = query.get('machine') ?? '';
    const all = [...executions.of(machine), ...executions.endedExpress(machine)];
    const list = all.map(({ execution }) => summaryOf(execution));
    return { version, executions: list };
  },

  /** The executions of a Map Run. */
  children: ({ executions }, query): readonly PageExecution[] =>
    childrenOf(executions.mapRun(query.get('mapRun') ?? '').mapRun).map(summaryOf),

  execution({ executions }, query): ExecutionDescription {
    const { execution, started } = executions.look(query.get('arn') ?? '');
    const { inputText, outputText, machine, error, cause, redriveCount } = execution;
    const parent = execution === started.execution ? undefined : parentOf(execution, executions);
    return {
      ...summaryOf(execution),
      machine: machine.name,
      machineArn: started.stateMachine.arn,
      type: machine.type,
      definition: started.stateMachine.definitionText,
      input: inputText,
      output: outputText,
      ...{ error, cause, redriveCount },
      parentArn: parent,
      forgotten: !(execution instanceof Execution),
    };
  },

  history({ executions, stateMachines }, query): HistoryPage {
    const { execution } = executions.look(query.get('arn') ?? '');
    const after = Number(query.get('after') ?? 0);
    const history = historyOf(execution);
    // Ids count from 1, without gaps.
    const events = history.slice(after, after + EVENTS_AT_ONCE).map(pageEvent);
    const more = after + events.length < history.length;
    return { events, more, now: stateMachines.now, execution: summaryOf(execution) };
  },

  /** The data of some events. */
  data({ executions }, query): readonly EventData[] {
    const history = historyOf(executions.look(query.get('arn') ?? '').execution);
    const ids = (query.get('ids') ?? '').split(',').slice(0, DATA_AT_ONCE);
    return ids.flatMap(id => history[Number(id) - 1] ?? []).map(eventData);
  },
};

/** The remaining history; empty if it was removed. */
const historyOf = (execution: ExecutionSummary): Execution['history'] =>
  execution instanceof Execution ? execution.history : [];

/** An execution in a list. */
export const summaryOf = ({ arn, name, status, startDate, stopDate }: ExecutionSummary): PageExecution => ({
  ...{ arn, name, status, startDate, stopDate },
});

function parentOf({ mapRunArn }: ExecutionSummary, executions: ApiContext['executions']): string | undefined {
  return mapRunArn === undefined ? undefined : executions.mapRun(mapRunArn).mapRun.settings.executionArn;
}
