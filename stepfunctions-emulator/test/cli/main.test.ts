import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ListStateMachinesCommand,
  StartExecutionCommand,
  StartSyncExecutionCommand,
} from '@aws-sdk/client-sfn';
import { PASS, WAIT } from '../api/support.ts';
import { type EmulatorProcess, exportedBy, startEmulator } from '../support/emulator-process.ts';
import { sfnClient } from '../support/step-functions-api.ts';

const running: EmulatorProcess[] = [];
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stepfunctions-emulator-'));
  writeFileSync(join(folder, 'wait.asl.json'), WAIT);
  writeFileSync(join(folder, 'pass.asl.json'), PASS);
  const Choices = [{ Condition: '{% false %}', Next: 'End' }];
  const States = { Round: { Type: 'Choice', Choices, Default: 'Round' }, End: { Type: 'Succeed' } };
  const loop = { QueryLanguage: 'JSONata', StartAt: 'Round', States };
  writeFileSync(join(folder, 'loop.asl.json'), JSON.stringify(loop));
});
afterAll(() => {
  // A test that fails half-way shall not leave a server behind.
  for (const { child } of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const run = (...args: string[]): EmulatorProcess => {
  const started = startEmulator(args, { cwd: folder });
  running.push(started);
  return started;
};

test.concurrent('--version says the version of the package', async () => {
  const { ended, printed } = run('--version');
  expect(await ended).toBe(0);
  const manifest = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8');
  expect(printed.stdout).toBe(`${JSON.parse(manifest).version}\n`);
});

test.concurrent.each([
  [['--nope'], 2, /^--nope: expected one of/],
  [
    ['--definition', 'nope.json'],
    1,
    /^--definition nope\.json: expected a file with a definition, got no file\n$/,
  ],
])('%j ends with status %d and one message', async (args, status, message) => {
  const { ended, printed } = run(...args);
  expect(await ended).toBe(status);
  expect(printed.stderr).toMatch(message);
  expect(printed.stderr).not.toMatch(/\n {4}at /);
  expect(printed.stdout).toBe('');
});

test.concurrent('--express-again runs an Express execution again, and none that its client waits for', async () => {
  const express = ['--definition', 'pass.asl.json', '--type', 'EXPRESS'];
  const server = run('--port', '0', ...express, '--express-again', '0', '--express-again', '0.2');
  const [, stateMachineArn] = await server.until(/--state-machine-arn (\S+) [\s\S]*Ctrl-C stops/);
  const client = sfnClient(exportedBy(server)['AWS_ENDPOINT_URL_SFN'] ?? '');
  await client.send(new StartSyncExecutionCommand({ stateMachineArn, name: 'waited-for' }));
  await client.send(new StartExecutionCommand({ stateMachineArn, name: 'once' }));
  await server.until(/(^.* {2}pass:once\S* {2}SUCCEEDED in .*\n){3}/m);
  client.destroy();
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  expect(server.printed.stdout.match(/ {2}pass:\S+/g)?.sort()).toEqual([
    ...Array(3).fill(expect.stringContaining('pass:once')),
    expect.stringContaining('pass:waited-for'),
  ]);
});

test.concurrent('a delivery that is still to come keeps nobody from stopping it', async () => {
  const server = run(
    '--port',
    '0',
    '--definition',
    'pass.asl.json',
    '--type',
    'EXPRESS',
    '--express-again',
    '600',
  );
  const [, stateMachineArn] = await server.until(/--state-machine-arn (\S+) [\s\S]*Ctrl-C stops/);
  const client = sfnClient(exportedBy(server)['AWS_ENDPOINT_URL_SFN'] ?? '');
  await client.send(new StartExecutionCommand({ stateMachineArn, name: 'once' }));
  await server.until(/pass:once/);
  client.destroy();
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  expect(server.printed.stdout.match(/pass:once/g)).toHaveLength(1);
});

test.concurrent('an execution that goes round for ever keeps nobody from stopping it', async () => {
  const server = run('--port', '0', '--definition', 'loop.asl.json', '--type', 'loop=EXPRESS');
  const [, stateMachineArn] = await server.until(/--state-machine-arn (\S+) [\s\S]*Ctrl-C stops/);
  const client = sfnClient(exportedBy(server)['AWS_ENDPOINT_URL_SFN'] ?? '');
  await client.send(new StartExecutionCommand({ stateMachineArn, name: 'round' }));
  // The next request is answered, too.
  const { stateMachines } = await client.send(new ListStateMachinesCommand());
  expect(stateMachines).toMatchObject([{ name: 'loop' }]);
  client.destroy();
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  expect(server.printed.stdout).toMatch(
    /loop:round\S* {2}ABORTED in .*: Emulator\.Stopped: The server was stopped\.\n$/,
  );
});

test.concurrent.each(['SIGINT', 'SIGTERM'] as const)('%s stops it cleanly', async signal => {
  const server = run('--port', '0', '--definition', 'wait.asl.json');
  const [, stateMachineArn] = await server.until(/--state-machine-arn (\S+) [\s\S]*Ctrl-C stops/);
  const client = sfnClient(exportedBy(server)['AWS_ENDPOINT_URL_SFN'] ?? '');
  await client.send(new StartExecutionCommand({ stateMachineArn, name: 'waiting' }));
  client.destroy();
  server.child.kill(signal);
  expect(await server.ended).toBe(0);
  expect(server.printed.stdout).toMatch(
    /wait:waiting {2}ABORTED in .*: Emulator\.Stopped: The server was stopped\.\n$/,
  );
  expect(server.printed.stderr).toBe('');
});
