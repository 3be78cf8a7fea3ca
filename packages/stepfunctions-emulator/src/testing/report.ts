import { writeFile } from 'node:fs/promises';
import type { ExecutionStatus, HistoryEvent, Json, WorkflowType } from '../interpreter/index.ts';
import { stateMachineArn } from '../made-up.ts';
import type { Report, ReportedExecution } from '../page/data.ts';
import { eventData, pageEvent } from '../page/events.ts';
import { reportPage } from '../page/html.ts';
import { pageSource } from '../page/page-source.ts';

/** The state machine of a written execution. */
export interface ReportedMachine {
  readonly name: string;
  readonly type: WorkflowType;
  readonly definition: string;
}

/** The parts of an execution that the report contains. */
export interface Reported {
  readonly arn: string;
  readonly name: string;
  readonly status: ExecutionStatus;
  readonly input: Json;
  readonly output: Json | undefined;
  readonly error: string | undefined;
  readonly cause: string | undefined;
  readonly startDate: number;
  readonly stopDate: number;
  readonly mapRunArn: string | undefined;
  /** Events of GetExecutionHistory. */
  readonly history: readonly unknown[];
  readonly children: readonly Reported[];
}

/** Writes an execution and its children as one HTML file. */
export async function writeReport(
  execution: Reported,
  machine: ReportedMachine,
  file: string | URL,
): Promise<void> {
  await writeFile(file, reportPage(reportOf(execution, machine), await pageSource()));
}

function reportOf(execution: Reported, machine: ReportedMachine): Report {
  const reported = (one: Reported, parentArn?: string): ReportedExecution[] => [
    reportedExecution(one, machine, parentArn),
    ...one.children.flatMap(child => reported(child, one.arn)),
  ];
  return { definition: machine.definition, executions: reported(execution) };
}

function reportedExecution(
  execution: Reported,
  { name: machine, type }: ReportedMachine,
  parentArn: string | undefined,
): ReportedExecution {
  const { arn, name, status, startDate, stopDate, error, cause, children } = execution;
  const history = execution.history as readonly HistoryEvent[];
  const mapRuns: Record<string, string[]> = {};
  for (const { arn: child, mapRunArn = '' } of children) {
    mapRuns[mapRunArn] ??= [];
    mapRuns[mapRunArn].push(child);
  }
  return {
    description: {
      ...{ arn, name, status, startDate, stopDate, machine, type },
      ...{ error, cause, parentArn },
      machineArn: stateMachineArn(machine),
      input: JSON.stringify(execution.input),
      output: JSON.stringify(execution.output),
      forgotten: false,
    },
    events: history.map(pageEvent),
    data: history.map(eventData).filter(data => Object.keys(data).length > 1),
    mapRuns,
  };
}
