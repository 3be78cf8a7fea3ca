import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DescribeStateMachineCommand,
  type SFNClient,
  StartExecutionCommand,
  StartSyncExecutionCommand,
} from '@aws-sdk/client-sfn';
import { readFlags } from '../../src/cli/flags.ts';
import { readOptions } from '../../src/cli/options.ts';
import { type Served, serve } from '../../src/cli/serve.ts';
import { describeExecution, describeStart } from '../../src/cli/text.ts';
import type { Execution } from '../../src/interpreter/index.ts';
import { FAIL, PASS, WAIT } from '../api/support.ts';
import { functionError, useFakeLambda } from '../support/fake-lambda.ts';
import { sfnClient } from '../support/step-functions-api.ts';

const lambda = useFakeLambda(({ functionName }) =>
  functionName === 'echo' ? { body: '{"from":"lambda"}' } : functionError('CustomError', 'two\n  lines'),
);

const CALL = (name: string) =>
  JSON.stringify({
    QueryLanguage: 'JSONata',
    StartAt: 'A',
    States: {
      A: { Type: 'Task', Resource: `arn:aws:lambda:eu-west-1:111122223333:function:${name}`, End: true },
    },
  });

let folder: string;
const undo: (() => Promise<unknown> | unknown)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stepfunctions-emulator-'));
});
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
  rmSync(folder, { recursive: true, force: true });
});

const write = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};

interface Started extends Served {
  readonly client: SFNClient;
  readonly ended: Execution[];
  readonly reloads: string[];
  readonly options: ReturnType<typeof readOptions>;
}

async function start(...args: string[]): Promise<Started> {
  const ended: Execution[] = [];
  const reloads: string[] = [];
  const options = readOptions(readFlags([...args, '--port=0']), {});
  const served = await serve(options, {
    onExecution: execution => ended.push(execution),
    onReload: file => reloads.push(`loaded ${file}`),
    onReloadFailure: error => reloads.push(error.message),
  });
  undo.push(() => served.stop());
  const client = sfnClient(served.endpoint);
  undo.push(() => client.destroy());
  return { ...served, client, ended, reloads, options };
}

const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise(resolve => setTimeout(resolve, 10));
};

test('the state machines of the files can be run, and each end is one line', async () => {
  const { client, ended, endpoint, stateMachines, options, ...served } = await start(
    '--definition',
    write('works.asl.json', CALL('echo')),
    '--definition',
    `fails=${write('other.json', CALL('broken'))}`,
    '--type=fails=EXPRESS',
    `--lambda-endpoint=${lambda.endpoint}`,
    '--region=eu-west-1',
    '--account=111122223333',
  );
  expect(stateMachines.map(({ arn, type }) => [arn, type])).toEqual([
    ['arn:aws:states:eu-west-1:111122223333:stateMachine:fails', 'EXPRESS'],
    ['arn:aws:states:eu-west-1:111122223333:stateMachine:works', 'STANDARD'],
  ]);
  const [fails, works] = stateMachines.map(({ arn }) => arn);
  await client.send(new StartExecutionCommand({ stateMachineArn: works, name: 'one' }));
  await until(() => ended.length === 1);
  const { status } = await client.send(
    new StartSyncExecutionCommand({ stateMachineArn: fails, name: 'two' }),
  );
  expect(status).toBe('FAILED');
  expect(ended.map(describeExecution)).toEqual([
    expect.stringMatching(/^\d\d:\d\d:\d\dZ {2}works:one {2}SUCCEEDED in \d\.\d\d s: \{"from":"lambda"\}$/),
    expect.stringMatching(/^\d\d:\d\d:\d\dZ {2}fails:two {2}FAILED in \d\.\d\d s: CustomError: two lines$/),
  ]);
  const text = describeStart({ endpoint, stateMachines, ...served }, options);
  expect(text).toMatch(/^ {2}STANDARD {2}arn:.*:works$/m);
  expect(text).toContain(`\nexport AWS_ENDPOINT_URL_SFN=${endpoint}\nexport AWS_REGION=eu-west-1\n`);
});

test('a function that is nowhere fails as Lambda says it, and says what to do', async () => {
  const { client, ended, stateMachines } = await start('--definition', write('a.json', CALL('nowhere')));
  await client.send(new StartExecutionCommand({ stateMachineArn: stateMachines[0]?.arn }));
  await until(() => ended.length === 1);
  expect(ended[0]?.error).toBe('Lambda.ResourceNotFoundException');
  expect(ended[0]?.cause).toMatch(
    /^Function not found: arn:.*:nowhere \(.*without --functions and --lambda-endpoint\)$/,
  );
});

test('on the virtual clock an hour is over at once', async () => {
  const { client, ended, stateMachines } = await start(
    '--virtual-clock',
    '--definition',
    write('a.json', WAIT),
  );
  await client.send(new StartExecutionCommand({ stateMachineArn: stateMachines[0]?.arn, name: 'slow' }));
  await until(() => ended.length === 1);
  expect(describeExecution(ended[0] as Execution)).toMatch(/a:slow {2}SUCCEEDED in 3600\.00 s: \{\}$/);
});

test('--watch takes what a file changes to, and keeps what it was when that is wrong', async () => {
  const file = write('a.json', PASS);
  const { client, reloads, stateMachines } = await start('--watch', '--definition', file);
  const definition = async () =>
    (await client.send(new DescribeStateMachineCommand({ stateMachineArn: stateMachines[0]?.arn })))
      .definition;
  write('a.json', FAIL);
  await until(() => reloads.length === 1);
  expect(await definition()).toBe(FAIL);
  write('a.json', `${FAIL}}`);
  await until(() => reloads.length === 2);
  expect(await definition()).toBe(FAIL);
  rmSync(file);
  await until(() => reloads.length === 3);
  write('a.json', PASS);
  await until(() => reloads.length === 4);
  expect(await definition()).toBe(PASS);
  expect(reloads).toEqual([
    `loaded ${file}`,
    expect.stringMatching(/^.*a\.json: expected a STANDARD definition/),
    `--definition ${file}: expected a file with a definition, got no file`,
    `loaded ${file}`,
  ]);
});

test('stopping ends the executions that run, and can be repeated', async () => {
  const { client, ended, stateMachines, stop } = await start('--definition', write('a.json', WAIT));
  await client.send(new StartExecutionCommand({ stateMachineArn: stateMachines[0]?.arn }));
  await Promise.all([stop(), stop()]);
  expect(ended.map(({ status, error }) => [status, error])).toEqual([['ABORTED', 'Emulator.Stopped']]);
});

describe('fails to start', () => {
  test.each([
    ['with no file', () => join(folder, 'nope.json'), /^--definition .*nope\.json: .*, got no file$/],
    ['with a folder', () => folder, /^--definition .*: expected a file with a definition, got a folder$/],
    ['with text', () => write('a.json', 'StartAt: A'), /a\.json: .*\n {2}\/: expected JSON, got .*StartAt/],
    [
      'with a definition that has several problems',
      () => write('a.json', PASS.replace('"End"', '"X":1,"Y":2,"End"')),
      /a\.json: expected a STANDARD definition that can be run, got:\n {2}\/States\/A\/X: .*\n {2}\/States\/A\/Y: /,
    ],
  ])('%s', async (_what, file, message) => {
    await expect(start('--definition', `x=${file()}`)).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringMatching(message),
    });
  });

  test('with an endpoint for functions that is not on this machine', async () => {
    await expect(start('--lambda-endpoint', 'https://lambda.us-east-1.amazonaws.com')).rejects.toMatchObject({
      name: 'NotLoopbackError',
      message: expect.stringMatching(/^--lambda-endpoint: expected a URL on this machine .*leave it out/),
    });
  });

  test('on a port that is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    undo.push(() => taken.close());
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const options = readOptions(readFlags([`--port=${port}`]), {});
    const events = { onExecution: () => {}, onReload: () => {}, onReloadFailure: () => {} };
    await expect(serve(options, events)).rejects.toMatchObject({
      name: 'StartError',
      message: `--port: expected a free port, got ${port}, on which something listens; stop that, or choose another port with --port N`,
    });
  });
});
