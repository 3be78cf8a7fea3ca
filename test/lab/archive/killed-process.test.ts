import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { KilledProcess } from '../../../lab/archive/killed-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'precise-ttl-killed-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A process that says what it was started with, or ends by itself. */
const PROGRAM = `
  process.on('message', ({ text }) => (text === 'end' ? process.exit(7) : process.send({ text, pid: process.pid })));
`;
const file = join(folder, 'program.mjs');
writeFileSync(file, PROGRAM);

function killed(text: string, overrides: Partial<ConstructorParameters<typeof KilledProcess>[0]> = {}) {
  const pids = new Set<number>();
  const problems: string[] = [];
  const child: KilledProcess = new KilledProcess({
    program: pathToFileURL(file),
    start: { text },
    kills: 3,
    random: { next: () => 0.01 },
    progress: () => 0.5,
    hadWork: () => pids.size !== 2,
    onMessage(message) {
      pids.add((message as { pid: number }).pid);
      child.works();
    },
    onKill: () => {},
    onProblem: problem => problems.push(problem),
    ...overrides,
  });
  return { child, pids, problems };
}

test('each process is killed when it works, and another one begins', async () => {
  const { child, pids, problems } = killed('work');
  await child.run();
  await child.stop();
  expect({ kills: child.kills, atWork: child.killsAtWork, problems }).toEqual({
    kills: 3,
    atWork: 2,
    problems: [],
  });
  expect(pids.size).toBeGreaterThanOrEqual(3);
});

test('says when a process ends by itself', async () => {
  let told: () => void = () => {};
  const ended = new Promise<void>(resolve => {
    told = resolve;
  });
  const found: string[] = [];
  const { child } = killed('end', {
    onProblem(problem) {
      found.push(problem);
      told();
    },
  });
  const running = child.run();
  await ended;
  await child.stop();
  await running;
  expect(found).toEqual(['a process ended by itself: exit status 7']);
  expect(child.kills).toBe(0);
});
