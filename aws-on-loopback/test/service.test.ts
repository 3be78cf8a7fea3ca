import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { ApiError, type HttpProtocol } from 'stepfunctions-emulator/loopback';
import { type ApiInput, VALIDATION_ERRORS } from '../src/api-input.ts';
import { jsonProtocol, type LocalService, restProtocol, startServer } from '../src/service.ts';

/** What both APIs answer, by what the body asks for. */
const answerTo = (_context: unknown, input: ApiInput): object => {
  const asked = input.text('asked');
  if (asked === 'refuse') throw new ApiError('ConflictException', 'Asked for it.', 409);
  if (asked === 'break') throw new TypeError('not a function');
  return { asked };
};

interface Spoken {
  readonly protocol: HttpProtocol;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  /** As the SDK finds it in an answer. */
  readonly errorOf: (answer: Answer) => unknown;
  readonly internalError: string;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

describe.each<[string, Spoken]>([
  [
    'REST JSON',
    {
      protocol: restProtocol(
        {
          errors: VALIDATION_ERRORS,
          operations: { Ask: { method: 'POST', path: '/', fields: ['asked'], answer: answerTo } },
        },
        undefined,
      ),
      contentType: 'application/json',
      headers: {},
      errorOf: ({ headers, body }) => [headers['x-amzn-errortype'], body['Message']],
      internalError: 'InternalServerException',
    },
  ],
  [
    'AWS JSON 1.0',
    {
      protocol: jsonProtocol(
        {
          target: 'Service',
          errors: VALIDATION_ERRORS,
          operations: { Ask: { fields: ['asked'], answer: answerTo } },
        },
        undefined,
      ),
      contentType: 'application/x-amz-json-1.0',
      headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'Service.Ask' },
      errorOf: ({ body }) => [body['__type'], body['message']],
      internalError: 'InternalFailure',
    },
  ],
])('in %s', (_name, { protocol, contentType, headers, errorOf, internalError }) => {
  let server: LocalService;
  let errors: jest.SpyInstance;
  beforeAll(async () => {
    server = await startServer(protocol);
  });
  afterAll(() => server?.stop());
  beforeEach(() => {
    errors = jest.spyOn(console, 'error').mockImplementation(() => {});
  });
  afterEach(() => errors.mockRestore());

  const post = async (body: string, over: Readonly<Record<string, string>> = {}): Promise<Answer> => {
    const outgoing = request(server.endpoint, { method: 'POST', headers: { ...headers, ...over } });
    outgoing.end(body);
    const [incoming] = await once(outgoing, 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const answered = JSON.parse(Buffer.concat(chunks).toString());
    return { status: incoming.statusCode, headers: incoming.headers, body: answered };
  };
  const ask = (asked: string, over?: Readonly<Record<string, string>>) =>
    post(JSON.stringify({ asked }), over);

  test('answers', async () => {
    expect(await ask('Straße')).toMatchObject({
      status: 200,
      headers: { 'content-type': contentType, 'x-amzn-requestid': expect.any(String) },
      body: { asked: 'Straße' },
    });
    expect(errors).not.toHaveBeenCalled();
  });

  test('tells an error by its name and status', async () => {
    const answer = await ask('refuse');
    expect(answer.status).toBe(409);
    expect(errorOf(answer)).toEqual(['ConflictException', 'Asked for it.']);
    expect(errors).not.toHaveBeenCalled();
  });

  test('tells what is wrong with itself, here and there', async () => {
    const answer = await ask('break');
    expect(answer.status).toBe(500);
    expect(errorOf(answer)).toEqual([
      internalError,
      'The local server itself failed: TypeError: not a function',
    ]);
    expect(errors).toHaveBeenCalledWith(expect.any(TypeError));
  });

  test.each(['example.org', 'example.org:8000', '127.0.0.1.example.org'])(
    'refuses the host %s',
    async host => {
      const answer = await ask('a', { host });
      expect(answer.status).toBe(403);
      expect(errorOf(answer)).toEqual([
        'AccessDeniedException',
        `Host: expected this machine (127.0.0.1, [::1] or localhost), got "${host}"`,
      ]);
    },
  );

  test('takes a body of a mebibyte and no more', async () => {
    const [before, after] = ['{"asked":"', '"}'];
    const bytes = (size: number) => `${before}${'a'.repeat(size - before.length - after.length)}${after}`;
    expect((await post(bytes(1_048_576))).status).toBe(200);
    const answer = await post(bytes(1_048_577));
    expect(answer.status).toBe(413);
    expect(errorOf(answer)).toEqual(['RequestEntityTooLargeException', 'a request may have 1048576 bytes']);
  });

  test('goes on after a client that left in the middle of its request', async () => {
    const { hostname, port } = new URL(server.endpoint);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"a');
    socket.destroy();
    await once(socket, 'close');
    expect((await ask('a')).status).toBe(200);
    expect(errors).not.toHaveBeenCalled();
  });
});

test('in REST JSON the path and the query say what is asked for', async () => {
  const answer = (_context: unknown, input: ApiInput) => ({ name: input.text('Name'), to: input.text('to') });
  const operations = { Get: { method: 'GET', path: '/schedules/{Name}', fields: ['Name', 'to'], answer } };
  const server = await startServer(restProtocol({ errors: VALIDATION_ERRORS, operations }, undefined));
  try {
    const found = await fetch(`${server.endpoint}/schedules/a%2Fb?to=c`);
    expect(await found.json()).toEqual({ name: 'a/b', to: 'c' });
  } finally {
    await server.stop();
  }
});
