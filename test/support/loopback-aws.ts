import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { json } from 'node:stream/consumers';

/** What the server of {@link useLoopbackAws} answers; a test changes it. */
export interface LoopbackAnswers {
  /** By `group/name`, as GetSchedule answers it. */
  readonly schedules: Map<string, object>;
  /** Messages by queue. */
  readonly queues: Map<string, number>;
  /** Actions that were asked for. */
  readonly asked: string[];
}

/** The services that the commands ask and that are not on this machine, as far as the clients need them. */
export function useLoopbackAws() {
  const answers: LoopbackAnswers = { schedules: new Map(), queues: new Map(), asked: [] };
  let server: Server;
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const [action, body] = route(request, await json(request).catch(() => ({})), answers);
      answers.asked.push(action);
      response.writeHead(body === undefined ? 404 : 200, {
        'content-type': 'application/json',
        ...(body === undefined && { 'x-amzn-errortype': 'ResourceNotFoundException' }),
      });
      response.end(JSON.stringify(body ?? { __type: 'ResourceNotFoundException', message: action }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    get endpoint() {
      return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
    },
    answers,
  };
}

function route(
  { url = '/', headers }: IncomingMessage,
  input: unknown,
  { schedules, queues }: LoopbackAnswers,
): readonly [action: string, body: object | undefined] {
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
  const [, resource, name = ''] = pathname.split('/');
  if (resource === 'schedules')
    return ['scheduler:GetSchedule', schedules.get(`${searchParams.get('groupName')}/${name}`)];
  if (pathname.endsWith('/account-settings')) return ['lambda:GetAccountSettings', {}];
  if (pathname.startsWith('/v1/pipes/')) return ['pipes:DescribePipe', undefined];
  const [service, operation] = String(headers['x-amz-target']).split('.');
  const { QueueName = '', QueueUrl = '' } = input as Readonly<Record<string, string>>;
  switch (operation) {
    case 'GetQueueUrl':
      // That of a real account: no client may go there from here.
      return [
        'sqs:GetQueueUrl',
        queues.has(QueueName)
          ? { QueueUrl: `https://sqs.us-east-1.amazonaws.com/123456789012/${QueueName}` }
          : undefined,
      ];
    case 'GetQueueAttributes': {
      const messages = queues.get(QueueUrl.split('/').at(-1) ?? '');
      return ['sqs:GetQueueAttributes', { Attributes: { ApproximateNumberOfMessages: String(messages) } }];
    }
    default:
      return [service?.startsWith('Granite') ? `cloudwatch:${operation}` : `${service}:${operation}`, {}];
  }
}
