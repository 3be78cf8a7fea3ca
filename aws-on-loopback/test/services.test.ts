import { buffer } from 'node:stream/consumers';
import {
  CreateScheduleGroupCommand,
  GetScheduleCommand,
  ListScheduleGroupsCommand,
  ListSchedulesCommand,
  type SchedulerClient,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler';
import type { ScheduleResource } from '../src/scheduler/schedule.ts';
import { startScheduler } from '../src/scheduler/scheduler-api.ts';
import type { LocalService } from '../src/service.ts';
import { SERVICES } from '../src/services.ts';
import { schedulerClient } from './support/endpoint-clients.ts';

type ServiceName = keyof typeof SERVICES;

interface Client {
  readonly send: (command: never) => Promise<unknown>;
  readonly destroy: () => void;
  readonly middlewareStack: { readonly add: (middleware: never, options: never) => void };
}

const SCHEDULE: ScheduleResource = {
  address: 'aws_scheduler_schedule.tick',
  name: 'tick',
  arn: 'arn:aws:scheduler:us-east-1:123456789012:schedule/default/tick',
  expression: 'rate(1 hour)',
  timezone: 'UTC',
  enabled: true,
  targetArn: 'arn:aws:states:us-east-1:123456789012:stateMachine:sweep',
  roleArn: 'arn:aws:iam::123456789012:role/x',
};

const STARTED: Readonly<Record<ServiceName, () => Promise<[LocalService, (endpoint: string) => Client]>>> = {
  Scheduler: async () => [
    await startScheduler({ schedules: [SCHEDULE], updateSchedule: () => {} }),
    schedulerClient,
  ],
};

/** A call of each operation, in this order; the compiler wants one for every entry of the list. */
const CALLS: {
  readonly [Service in ServiceName]: { readonly [Operation in keyof (typeof SERVICES)[Service]]: object };
} = {
  Scheduler: {
    GetSchedule: new GetScheduleCommand({ Name: 'tick', GroupName: 'default' }),
    UpdateSchedule: new UpdateScheduleCommand({
      Name: 'tick',
      ScheduleExpression: 'rate(2 hours)',
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target: { Arn: SCHEDULE.targetArn, RoleArn: SCHEDULE.roleArn },
      ClientToken: 'x',
    }),
    ListSchedules: new ListSchedulesCommand({ GroupName: 'default', MaxResults: 10 }),
    ListScheduleGroups: new ListScheduleGroupsCommand({ MaxResults: 10 }),
  },
};

/** Services whose answers are JSON. */
const IN_JSON: readonly ServiceName[] = ['Scheduler'];

/** The names in a value, each with the names that lead to it. */
function namesIn(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap(one => namesIn(one, `${path}[]`)))].sort();
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .flatMap(([name, one]) => [`${path}.${name}`, ...namesIn(one, `${path}.${name}`)])
    .sort();
}

/** @returns what the last answer was before the client read it: a client drops every name that AWS's models don't have */
function listen({ middlewareStack }: Client): () => string {
  let answered = '';
  const stack = middlewareStack as unknown as SchedulerClient['middlewareStack'];
  stack.add(
    next => async args => {
      const result = await next(args);
      const response = result.response as { body: NodeJS.ReadableStream | Buffer };
      const body = await buffer(response.body as NodeJS.ReadableStream);
      answered = body.toString();
      response.body = body;
      return result;
    },
    { name: 'listen', step: 'deserialize', priority: 'low' },
  );
  return () => answered;
}

/** An operation that is not in the list. */
const OTHERS: Readonly<Record<ServiceName, object>> = {
  Scheduler: new CreateScheduleGroupCommand({ Name: 'new' }),
};

test.each(Object.keys(SERVICES) as ServiceName[])(
  "%s answers each of its operations to AWS's client, and refuses another by telling what there is",
  async name => {
    const [service, clientOf] = await STARTED[name]();
    const client = clientOf(service.endpoint);
    const answered = IN_JSON.includes(name) ? listen(client) : () => '';
    try {
      const operations = Object.keys(SERVICES[name]);
      for (const [operation, command] of Object.entries<object>(CALLS[name])) {
        expect(command.constructor.name).toBe(`${operation}Command`);
        const { $metadata, ...read } = (await client.send(command as never)) as Record<string, unknown>;
        if (!IN_JSON.includes(name)) continue;
        expect([operation, namesIn(JSON.parse(answered()))]).toEqual([operation, namesIn(read)]);
      }
      const refusal = await client.send(OTHERS[name] as never).catch((error: Error) => error.message);
      expect(operations.filter(operation => !String(refusal).includes(operation))).toEqual([]);
    } finally {
      client.destroy();
      await service.stop();
    }
  },
);
