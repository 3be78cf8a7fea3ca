import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** A schedule as GetSchedule answers it. */
export interface LoopbackSchedule {
  State: string;
  ScheduleExpression: string;
  Target: { Arn: string; Input: string };
}

/** An alarm as DescribeAlarms answers it. */
export interface LoopbackAlarm {
  StateValue: string;
  AlarmActions: string[];
  ActionsEnabled?: boolean;
}

/** What the servers of {@link useLoopbackAws} answer; a test changes it. */
export interface LoopbackAnswers {
  /** By `group/name`. */
  schedules: Map<string, LoopbackSchedule>;
  /** Messages by queue. */
  queues: Map<string, number>;
  /** By name. */
  alarms: Map<string, LoopbackAlarm>;
  /** Values by the names of metrics; others have none. */
  readonly metrics: Map<string, readonly number[]>;
  unreservedConcurrency: number;
  /** Actions that are refused, as IAM names them. */
  denied: Set<string>;
  /** What DescribePipe answers, by name. */
  readonly pipes: Map<string, object>;
  /** Actions that were asked for. */
  asked: string[];
}

export interface LoopbackAws {
  readonly endpoint: string;
  readonly answers: LoopbackAnswers;
}

/**
 * GetSchedule, GetQueueUrl, GetQueueAttributes, DescribeAlarms, GetMetricData, GetAccountSettings and DescribePipe, as far as the clients
 * need them.
 */
export function useLoopbackAws(): LoopbackAws {
  const answers: LoopbackAnswers = {
    schedules: new Map(),
    queues: new Map(),
    alarms: new Map(),
    metrics: new Map(),
    unreservedConcurrency: 1000,
    denied: new Set(),
    pipes: new Map(),
    asked: [],
  };
  let server: Server | undefined;
  beforeAll(async () => {
    server = createServer((request, response) => void answer(request, response, answers)).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
  });
  afterAll(() => {
    server?.closeAllConnections();
    server?.close();
  });
  return {
    get endpoint() {
      if (server === undefined) throw new Error('the server is there inside tests and hooks only');
      return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
    },
    answers,
  };
}

interface Answer {
  readonly action: string;
  readonly status: number;
  readonly error?: string;
  readonly body: object;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  answers: LoopbackAnswers,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const made = route(request, Buffer.concat(chunks).toString(), answers);
  answers.asked.push(made.action);
  const isDenied = answers.denied.has(made.action);
  const error = isDenied ? 'AccessDeniedException' : made.error;
  response.writeHead(isDenied ? 403 : made.status, {
    'content-type': 'application/json',
    ...(error !== undefined && { 'x-amzn-errortype': error }),
  });
  response.end(
    JSON.stringify(error === undefined ? made.body : { __type: error, message: `${made.action}: no` }),
  );
}

function route(request: IncomingMessage, body: string, answers: LoopbackAnswers): Answer {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const target = request.headers['x-amz-target'];
  const [, resource, name = ''] = url.pathname.split('/');
  if (request.method === 'GET' && resource === 'schedules') {
    const GroupName = url.searchParams.get('groupName') ?? '';
    const schedule = answers.schedules.get(`${GroupName}/${decodeURIComponent(name)}`);
    return found(
      'scheduler:GetSchedule',
      schedule && { ...schedule, GroupName },
      'ResourceNotFoundException',
    );
  }
  if (request.method === 'GET' && url.pathname === '/2016-08-19/account-settings') {
    const { unreservedConcurrency: UnreservedConcurrentExecutions } = answers;
    return found('lambda:GetAccountSettings', { AccountLimit: { UnreservedConcurrentExecutions } }, '');
  }
  if (request.method === 'GET' && url.pathname.startsWith('/v1/pipes/')) {
    const pipe = answers.pipes.get(decodeURIComponent(url.pathname.split('/').at(-1) ?? ''));
    return found('pipes:DescribePipe', pipe, 'NotFoundException');
  }
  const members = body === '' ? {} : (JSON.parse(body) as Record<string, string>);
  if (target === 'AmazonSQS.GetQueueUrl') {
    const { QueueName: queue = '' } = members;
    // That of a real account: no client may go there from here.
    const answered = answers.queues.has(queue)
      ? { QueueUrl: `https://sqs.us-east-1.amazonaws.com/123456789012/${queue}` }
      : undefined;
    return found('sqs:GetQueueUrl', answered, 'QueueDoesNotExist');
  }
  if (target === 'AmazonSQS.GetQueueAttributes') {
    const queue = members['QueueUrl']?.split('/').at(-1) ?? '';
    const Attributes = { ApproximateNumberOfMessages: String(answers.queues.get(queue)) };
    return found('sqs:GetQueueAttributes', { Attributes }, '');
  }
  if (target?.toString().endsWith('.DescribeAlarms')) {
    const { AlarmNames } = members as unknown as { readonly AlarmNames: readonly string[] };
    const MetricAlarms = AlarmNames.flatMap(AlarmName => {
      const alarm = answers.alarms.get(AlarmName);
      return alarm === undefined ? [] : [{ AlarmName, ...alarm }];
    });
    return found('cloudwatch:DescribeAlarms', { MetricAlarms }, '');
  }
  if (target?.toString().endsWith('.GetMetricData')) {
    const { MetricDataQueries } = members as unknown as {
      readonly MetricDataQueries: readonly {
        readonly MetricStat: { readonly Metric: { readonly MetricName: string } };
      }[];
    };
    const Values = MetricDataQueries.flatMap(
      ({ MetricStat }) => answers.metrics.get(MetricStat.Metric.MetricName) ?? [],
    );
    return found('cloudwatch:GetMetricData', { MetricDataResults: [{ Id: 'values', Values }] }, '');
  }
  return {
    action: `${request.method} ${request.url}`,
    status: 404,
    error: 'UnknownOperationException',
    body: {},
  };
}

function found(action: string, body: object | undefined, error: string): Answer {
  return body === undefined ? { action, status: 404, error, body: {} } : { action, status: 200, body };
}
