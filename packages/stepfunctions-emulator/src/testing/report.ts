import { writeFile } from 'node:fs/promises';
import { childrenOf } from '../api/executions.ts';
import type { Execution, WorkflowType } from '../interpreter/index.ts';
import { stateMachineArn } from '../made-up.ts';
import type { Report, ReportedExecution } from '../page/data.ts';
import { eventData, pageEvent } from '../page/events.ts';
import { reportPage } from '../page/html.ts';
import { pageSource } from '../page/page-source.ts';

export interface ReportedMachine {
  readonly name: string;
  readonly type: WorkflowType;
  /** JSON text. */
  readonly definition: string;
}

export async function writeReport(
  execution: Execution,
  machine: ReportedMachine,
  file: string | URL,
): Promise<void> {
  const report: Report = { definition: machine.definition, executions: reported(execution, machine) };
  await writeFile(file, reportPage(report, await pageSource()));
}

function reported(execution: Execution, machine: ReportedMachine, parentArn?: string): ReportedExecution[] {
  const { arn, name, status, startDate, stopDate, error, cause, history, inputText, outputText, mapRuns } =
    execution;
  const children = mapRuns.map(mapRun => [mapRun.settings.arn, childrenOf(mapRun)] as const);
  const own: ReportedExecution = {
    description: {
      ...{ arn, name, status, startDate, stopDate, type: machine.type, error, cause, parentArn },
      ...{ machine: machine.name, machineArn: stateMachineArn(machine.name) },
      ...{ input: inputText, output: outputText, forgotten: false },
    },
    events: history.map(pageEvent),
    data: history.map(eventData).filter(data => Object.keys(data).length > 1),
    mapRuns: Object.fromEntries(children.map(([mapRunArn, all]) => [mapRunArn, all.map(child => child.arn)])),
  };
  return [own, ...children.flatMap(([, all]) => all.flatMap(child => reported(child, machine, arn)))];
}
