import type { EventDetails, HistoryEvent } from '../../interpreter/index.ts';
import { takeExecutionArn } from '../arns.ts';
import { type Operation, seconds } from '../context.ts';
import { takeItems, takePage } from '../paging.ts';

/** The data fields of an event's details, which a request can leave out. */
const DATA = new Set(['assignedVariables', 'input', 'inputDetails', 'output', 'outputDetails', 'parameters']);

export const getExecutionHistory: Operation = ({ executions }, members) => {
  const execution = executions.whole(takeExecutionArn(members));
  const reverse = members.boolean('reverseOrder') ?? false;
  const withData = members.boolean('includeExecutionData') ?? true;
  const page = takePage(members, `GetExecutionHistory ${execution.arn} ${reverse}`);
  const { history } = execution;
  const { items, ...more } = takeItems(page, reverse ? history.toReversed() : history, ({ id }) =>
    reverse ? -id : id,
  );
  return { events: items.map(event => asEvent(event, withData)), ...more };
};

function asEvent({ timestamp, ...event }: HistoryEvent, withData: boolean): object {
  const members = Object.entries(event).map(([name, value]) => {
    if (withData || !name.endsWith('EventDetails')) return [name, value];
    return [name, withoutData(value as EventDetails)];
  });
  return { timestamp: seconds(timestamp), ...Object.fromEntries(members) };
}

function withoutData(details: EventDetails): object {
  return Object.fromEntries(Object.entries(details).filter(([name]) => !DATA.has(name)));
}
