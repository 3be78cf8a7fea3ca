import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { memoryOf } from '../../../lab/experiments/memory/processes.ts';
import { type MemoryResult, problemsOf } from '../../../lab/experiments/memory.ts';

const sample = (residentMb: number) => ({ residentMb, threads: 20, dynamoDbMb: 300 });

/** A run whose minutes held so much, MB. */
function resultOf(residentMb: readonly number[], idleMb = 300): MemoryResult {
  return {
    before: sample(200),
    minutes: residentMb.map((mb, index) => ({ minute: index + 1, executions: 1_000, ...sample(mb) })),
    idle: { ...sample(idleMb), afterSeconds: 60 },
  };
}

const growing = (from: number, step: number) => Array.from({ length: 20 }, (_, index) => from + index * step);

test.each<[string, MemoryResult, RegExp[]]>([
  ['flat and small', resultOf(growing(500, 0)), []],
  ['just within the limit', resultOf([600, 600]), []],
  ['too large', resultOf([500, 601]), [/^it held 601 MB at most; expected at most 600$/]],
  [
    'a leak of 20 MB a minute',
    resultOf(growing(100, 20)),
    [/^it held 390 MB on average in the second half, 190 /],
  ],
  ['growth that a short run cannot judge', resultOf([100, 200, 300]), []],
  [
    'more when idle than under load',
    resultOf([400], 401),
    [/^it held more when idle \(401 MB\) than before$/],
  ],
])('%s', (_name, result, problems) => {
  expect(problemsOf(result)).toEqual(problems.map(problem => expect.stringMatching(problem)));
});

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('reads what another process holds, and nothing of one that is gone', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdout.write("up"); process.stdin.resume()']);
  await once(child.stdout, 'data');
  const { residentMb = 0, threads = 0 } = memoryOf(child.pid ?? 0) ?? {};
  expect(residentMb).toBeGreaterThan(10);
  expect(residentMb).toBeLessThan(1_000);
  expect(threads).toBeGreaterThan(1);
  child.stdin.end();
  await once(child, 'exit');
  expect(memoryOf(child.pid ?? 0)).toBeUndefined();
});
