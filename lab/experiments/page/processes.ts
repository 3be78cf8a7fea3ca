import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from 'aws-on-loopback/ports';

/** `npx precise-ttl local` in a separate process. */
export interface CloudProcess {
  readonly pid: number;
  /** Process id of DynamoDB Local; undefined when it was not found. */
  readonly dynamoDbPid: number | undefined;
  readonly dynamoDbEndpoint: string;
  readonly sfnEndpoint: string;
  /** The address of the page of the sweep. */
  readonly sweepPage: string;
  /** Rejects with the process's output when it ends before it is stopped. */
  readonly ended: Promise<never>;
  stop(): Promise<void>;
}

const ROOT = join(import.meta.dirname, '../../..');
/** The page of the sweep has a token in its address. */
const SWEEP_PAGE = /http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}\//;
/** Length of the output that is kept to explain why the process ended. */
const PRINTED_LENGTH = 4_000;

/**
 * Starts `npx precise-ttl local` with the configuration of this repository, and waits until it runs.
 *
 * @throws when it can't be started, with what it printed
 */
export async function startCloudProcess(): Promise<CloudProcess> {
  const ports: Record<string, number> = {};
  for (const service of ['dynamodb', 'sfn', 'cloudwatch', 'scheduler']) ports[service] = await freePort();
  const portFlags = Object.entries(ports).flatMap(([service, port]) => [`--${service}-port`, `${port}`]);
  const { AWS_ENDPOINT_URL_DYNAMODB: _ours, ...environment } = process.env;
  const child = spawn(process.execPath, ['bin/precise-ttl.js', 'local', ...portFlags], {
    ...{ cwd: ROOT, env: environment, stdio: ['ignore', 'pipe', 'pipe'] },
  });
  // The child process is killed when this process exits.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  let printed = '';
  let stopping = false;
  const exited = once(child, 'exit').then(() => process.off('exit', kill));
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-PRINTED_LENGTH);
      if (/Ctrl-C stops/.test(printed)) resolve();
    });
  }
  const ended = exited.then(() => {
    if (!stopping) throw new Error(`npx precise-ttl local ended by itself; it printed:\n${printed}`);
    return new Promise<never>(() => {});
  });
  ended.catch(() => {}); // Callers that await it see the error.
  await Promise.race([ready, ended]);
  return {
    pid: child.pid ?? 0,
    dynamoDbPid: findBelow(child.pid ?? 0, 'DynamoDBLocal'),
    dynamoDbEndpoint: `http://127.0.0.1:${ports['dynamodb']}`,
    sfnEndpoint: `http://127.0.0.1:${ports['sfn']}`,
    sweepPage: SWEEP_PAGE.exec(printed)?.[0] ?? '',
    ended,
    async stop() {
      stopping = true;
      child.kill('SIGINT');
      await exited;
    },
  };
}

/** Memory of a process at one moment, as the operating system counts it. */
interface ProcessMemory {
  /** Resident memory, MB of 1,048,576 bytes. */
  readonly residentMb: number;
  readonly threads: number;
}

/** Returns undefined for a process that has ended. Source: proc_pid_status(5). */
export function memoryOf(pid: number): ProcessMemory | undefined {
  const status = read(`/proc/${pid}/status`);
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  const [residentKb, threads] = [field('VmRSS'), field('Threads')];
  return Number.isNaN(residentKb) || Number.isNaN(threads)
    ? undefined
    : { residentMb: residentKb / 1024, threads };
}

/** The process, below another one, in whose command line a text occurs. */
function findBelow(pid: number, text: string): number | undefined {
  for (const child of childrenOf(pid)) {
    const found = isJava(child, text) ? child : findBelow(child, text);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Whether a process is Java with this text in its command line. A shell that watches a process also contains that process's command line.
 */
function isJava(pid: number, text: string): boolean {
  const [program = '', ...args] = read(`/proc/${pid}/cmdline`).split('\0');
  return program.endsWith('java') && args.some(arg => arg.includes(text));
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap(thread =>
      read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
