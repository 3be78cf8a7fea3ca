import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '../../local/ports.ts';

/** `npx precise-ttl local` in a process of its own. */
export interface CloudProcess {
  readonly pid: number;
  readonly dynamoDbEndpoint: string;
  readonly sfnEndpoint: string;
  /** Rejects when it ends before it is stopped, with what it printed. */
  readonly ended: Promise<never>;
  stop(): Promise<void>;
}

const ROOT = join(import.meta.dirname, '../..');
/** Enough of what it printed to say why it ended. */
const PRINTED_LENGTH = 2_000;

/**
 * Starts it with the configuration of this folder, and waits until it runs.
 *
 * @throws when it can't be started, with what it printed
 */
export async function startCloudProcess(): Promise<CloudProcess> {
  const [dynamoDbPort, sfnPort] = [await freePort(), await freePort()];
  const [cloudWatchPort, schedulerPort] = [await freePort(), await freePort()];
  const { AWS_ENDPOINT_URL_DYNAMODB: _ours, ...environment } = process.env;
  const child = spawn(
    process.execPath,
    [
      ...[
        'bin/precise-ttl.js',
        'local',
        '--dynamodb-port',
        String(dynamoDbPort),
        '--sfn-port',
        String(sfnPort),
      ],
      ...['--cloudwatch-port', String(cloudWatchPort), '--scheduler-port', String(schedulerPort)],
    ],
    { cwd: ROOT, env: environment, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  // However this process ends, it doesn't leave the other one behind.
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
  ended.catch(() => {}); // whoever waits for it hears of it
  await Promise.race([ready, ended]);
  return {
    pid: child.pid ?? 0,
    dynamoDbEndpoint: `http://127.0.0.1:${dynamoDbPort}`,
    sfnEndpoint: `http://127.0.0.1:${sfnPort}`,
    ended,
    async stop() {
      stopping = true;
      child.kill('SIGINT');
      await exited;
    },
  };
}
