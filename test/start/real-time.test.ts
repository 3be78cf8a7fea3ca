import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DemoResult } from '../../bench/demo/judge.ts';
import { EXIT_STATUS } from '../../bench/demo/main-job.ts';

/*
 * npm start as it is, on the wall clock: up to two minutes. What the machine that runs this has to do besides is not known,
 * so that what is not decided is accepted where nothing else can be asked for.
 */

const START = [join(import.meta.dirname, '../../bin/precise-ttl.js'), 'start'];
const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-real-time-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Started {
  readonly signal: (name: NodeJS.Signals) => void;
  /** Resolves when the command has printed this. */
  readonly printed: (text: RegExp) => Promise<void>;
  readonly ended: Promise<{ status: number | null; stdout: string; result: DemoResult }>;
}

function start(name: string, args: readonly string[]): Started {
  const file = join(folder, `${name}.json`);
  const child = spawn(process.execPath, [...START, '--json', file, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.on('data', data => {
    stdout += data;
  });
  return {
    signal: signal => child.kill(signal),
    printed: text =>
      new Promise(resolve => {
        const look = () => {
          if (!text.test(stdout)) return;
          child.stdout.off('data', look);
          resolve();
        };
        child.stdout.on('data', look);
      }),
    ended: new Promise(resolve => {
      child.on('close', status =>
        resolve({ status, stdout, result: JSON.parse(readFileSync(file, 'utf8')) as DemoResult }),
      );
    }),
  };
}

test.concurrent('a process that stands still while sessions expire says so', async () => {
  const job = start('stopped', ['--minutes', '0.6', '--rate', '10']);
  await job.printed(/\d:\d\d left/);
  job.signal('SIGSTOP');
  await new Promise(resolve => setTimeout(resolve, 10_000));
  job.signal('SIGCONT');
  const { status, stdout, result } = await job.ended;
  expect(result.machine.stoodStillMs).toBeGreaterThan(9_500);
  expect(result).toMatchObject({ verdict: 'undecided', expired: result.deleted });
  expect(result.promises).toContainEqual({ name: 'liveKept', status: 'kept', expected: 0, got: 0 });
  expect(status).toBe(EXIT_STATUS.undecided);
  expect(stdout).toMatch(/This machine: it, or this process, stood still for \d+\.\d s/);
});
