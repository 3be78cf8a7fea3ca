import type { JsonObject } from '../json.ts';
import type { Line, MapItem } from './line.ts';

/** The states that can be retried. Recorded on AWS: the context of a Pass has no RetryCount, that of a Task has. */
const RETRIED: ReadonlySet<string> = new Set(['Task', 'Parallel', 'Map']);

/** `$states.context` of one state. */
export function contextObject(
  line: Line,
  state: {
    readonly name: string;
    readonly type: string;
    readonly enteredTime: number;
    readonly retryCount: number;
    readonly taskToken: string | undefined;
  },
): JsonObject {
  const { run, item } = line;
  return {
    Execution: {
      Id: run.arn,
      Input: run.input,
      Name: run.name,
      RoleArn: run.machine.roleArn,
      StartTime: isoTime(run.startDate),
      // Recorded on AWS: Express executions have it too, only synchronous ones don't.
      ...(!run.synchronous && { RedriveCount: run.redriveCount }),
      ...(run.redriveDate !== undefined && { RedriveTime: isoTime(run.redriveDate) }),
    },
    StateMachine: { Id: run.machine.arn, Name: run.machine.name },
    State: {
      Name: state.name,
      EnteredTime: isoTime(state.enteredTime),
      ...(RETRIED.has(state.type) && { RetryCount: state.retryCount }),
    },
    ...(state.taskToken !== undefined && { Task: { Token: state.taskToken } }),
    ...(item !== undefined && { Map: { Item: itemObject(item) } }),
  };
}

function itemObject(item: MapItem): JsonObject {
  const object: JsonObject = { Index: item.index, Value: item.value, Source: 'STATE_DATA' };
  if (item.key !== undefined) object['Key'] = item.key;
  return object;
}

export const isoTime = (ms: number) => new Date(ms).toISOString();
