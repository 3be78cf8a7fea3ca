import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { NotLoopbackError } from 'stepfunctions-emulator';
import { localDynamoDb } from '../../../local/dynamodb/clients.ts';
import {
  attachDynamoDb,
  startDynamoDbLocal,
  startOrAttachDynamoDb,
} from '../../../local/dynamodb/dynamodb-local.ts';
import { LocalCloudError } from '../../../local/errors.ts';
import { isFree } from '../../../local/ports.ts';
import { folderWith } from '../../support/folder.ts';

const listens = async (endpoint: string) => !(await isFree(Number(new URL(endpoint).port)));

async function untilGone(endpoint: string): Promise<boolean> {
  for (let i = 0; i < 100; i++) {
    if (!(await listens(endpoint))) return true;
    await sleep(20);
  }
  return false;
}

const folder = folderWith();
let javas = 0;

/** Replaces java with a script for one test. */
function fakeJava(script: string): string {
  javas += 1;
  const java = join(folder, `java-${javas}`);
  writeFileSync(java, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return java;
}

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

/** Answers at the port that DynamoDB Local is told, as it answers without tables. Java itself starts for every file with tables. */
const ANSWERING = `exec '${process.execPath}' -e '
  require("node:http").createServer((_, answer) => answer.end("{\\"TableNames\\":[]}")).listen(process.argv.at(-1), "127.0.0.1");
' -- "$@"`;

test('starts on a free port, answers, can be attached to, and is gone after stop', async () => {
  const server = await startDynamoDbLocal({ java: fakeJava(ANSWERING) });
  cleanUps.push(server.stop);
  expect(server.endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const client = localDynamoDb(server.endpoint, 'eu-central-1');
  expect((await client.send(new ListTablesCommand())).TableNames).toEqual([]);
  client.destroy();

  const attached = await startOrAttachDynamoDb({ AWS_ENDPOINT_URL_DYNAMODB: `${server.endpoint}/` });
  expect(attached).toMatchObject({ endpoint: server.endpoint, startedHere: false });
  await attached.stop();
  expect(await listens(server.endpoint)).toBe(true);

  await Promise.all([server.stop(), server.stop()]);
  await server.stop();
  expect(await untilGone(server.endpoint)).toBe(true);
});

const VERSION = 'if [ "$1" = -version ]; then echo \'openjdk version "21.0.2"\' >&2; exit 0; fi';

/** A process of its own that starts it, prints the endpoint, and then does what it is told. */
async function startElsewhere(then: string): Promise<{ process: ChildProcess; endpoint: string }> {
  const file = join(import.meta.dirname, '../../../local/dynamodb/dynamodb-local.ts');
  const code = `import { startDynamoDbLocal } from ${JSON.stringify(file)};
    const { endpoint } = await startDynamoDbLocal({ java: ${JSON.stringify(fakeJava(ANSWERING))} });
    console.log(endpoint);
    ${then}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  cleanUps.push(() => child.kill('SIGKILL'));
  const endpoint = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (data: Buffer) => resolve(String(data).trim()));
    child.once('exit', () => reject(new Error('ended before DynamoDB Local answered')));
  });
  return { process: child, endpoint };
}

describe('leaves nothing behind when the process that started it', () => {
  test.each<[string, string, NodeJS.Signals | undefined]>([
    ['gets SIGKILL', 'setInterval(() => {}, 1000);', 'SIGKILL'],
    ['returns without stopping it', 'setTimeout(() => {}, 200);', undefined],
  ])('%s', async (_, then, signal) => {
    const { process: child, endpoint } = await startElsewhere(then);
    expect(await listens(endpoint)).toBe(true);
    const exited = new Promise(resolve => child.once('exit', resolve));
    if (signal) child.kill(signal);
    await exited;
    expect(await untilGone(endpoint)).toBe(true);
  });
});

describe('fails, saying what to install, when Java', () => {
  test.each([
    [
      'is missing',
      () => '/no/such/java',
      /^Java: expected version 17 or newer for DynamoDB Local, got no "\/no\/such\/java" that runs; install Java 17/,
    ],
    [
      'is too old',
      () =>
        fakeJava('echo Picked up JAVA_TOOL_OPTIONS >&2; echo \'openjdk version "11.0.22" 2024-01-16\' >&2'),
      /got 11 \(.*java-\d+\); install Java 17/,
    ],
    ['is ancient', () => fakeJava('echo \'java version "1.8.0_392"\' >&2'), /got 8 /],
    ['prints no version', () => fakeJava('echo hello'), /got "hello"; install Java 17/],
  ])('%s', async (_, java, expected) => {
    const started = startDynamoDbLocal({ java: java() });
    await expect(started).rejects.toThrow(LocalCloudError);
    await expect(started).rejects.toThrow(expected);
  });
});

test('fails with what was printed when it ends at once', async () => {
  const java = fakeJava(`${VERSION}\necho 'Error: no memory left' >&2; exit 1`);
  await expect(startDynamoDbLocal({ java })).rejects.toThrow(
    /expected it to start on port \d+, but it ended; it printed:\nError: no memory left/,
  );
});

test('fails after the time limit when nothing answers', async () => {
  const java = fakeJava(`${VERSION}\nexec sleep 60`);
  await expect(startDynamoDbLocal({ java, startTimeoutMs: 200 })).rejects.toThrow(
    /expected an answer on port \d+ within 0\.2 s, got none/,
  );
});

describe('fails to attach', () => {
  test('to another machine', async () => {
    const real = 'https://dynamodb.us-east-1.amazonaws.com';
    const attached = startOrAttachDynamoDb({ AWS_ENDPOINT_URL_DYNAMODB: real });
    await expect(attached).rejects.toThrow(NotLoopbackError);
    await expect(attached).rejects.toThrow('unset it to let the local cloud start its own');
    expect(() => localDynamoDb(real, 'us-east-1')).toThrow(NotLoopbackError);
  });

  test('where nothing listens', async () => {
    await expect(attachDynamoDb('http://127.0.0.1:1')).rejects.toThrow(
      'AWS_ENDPOINT_URL_DYNAMODB: expected a DynamoDB that answers at http://127.0.0.1:1, got ECONNREFUSED; start DynamoDB Local there, or unset AWS_ENDPOINT_URL_DYNAMODB to have one started',
    );
  });

  test('to something that is no DynamoDB', async () => {
    const web = createServer((_, response) => response.end('<html>')).listen(0, '127.0.0.1');
    cleanUps.push(() => web.close());
    await once(web, 'listening');
    const { port } = web.address() as AddressInfo;
    await expect(attachDynamoDb(`http://127.0.0.1:${port}`)).rejects.toThrow(LocalCloudError);
  });
});
